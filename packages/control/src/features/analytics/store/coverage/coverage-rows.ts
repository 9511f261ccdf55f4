/** What of a scope covers which operation and class of attack: counts by recorded route. */
import { VERDICT_WORDS } from '@sallyport/contract'
import type { TrafficStore } from '../../../../traffic-store/connection.ts'
import type {
  CoverageOptions,
  RecordedCoverage,
  RecordedMap,
} from '../../../../traffic-store/rows/recorded-coverage.ts'
import { type FamilyName, Parameters, type Scope, source } from '../predicate.ts'
import { ALL_ROUTES, knownRoutes } from './known-routes.ts'
import { type Columns, FEWEST_LAST, rowsOf, selectVerdicts } from './verdict-columns.ts'

const ROWS_MAX = 100_000
const KEY = 'level, route, method, class'

/** The rows with most requests first. */
export async function coverageRows(
  store: Pick<TrafficStore, 'query' | 'queryColumns'>,
  scope: Scope,
  options: CoverageOptions = {},
): Promise<RecordedMap> {
  const [read, total] = await Promise.all([
    readRows(store, scope, options),
    options.known === undefined ? undefined : totals(store, scope),
  ])
  const rows = read.slice(0, ROWS_MAX)
  return { rows, others: total ? rest(total, rows) : NO_OTHERS, isPartial: read.length > ROWS_MAX }
}

async function readRows(
  store: Pick<TrafficStore, 'queryColumns'>,
  scope: Scope,
  { known, ...senders }: CoverageOptions,
): Promise<RecordedCoverage[]> {
  const { withResearchers = false } = senders
  const parameters = new Parameters()
  const columns = [
    ...KEY.split(', '),
    ...VERDICT_WORDS,
    'uninspected',
    ...(withResearchers ? ['researchers'] : []),
    'first_seen',
    'last_seen',
  ]
  const { conditions, having } = known === undefined ? ALL_ROUTES : knownRoutes(known, parameters.bind)
  const from = source(scope, familyFor(scope), columns, parameters, { conditions })
  const read = await store.queryColumns<Columns<RecordedCoverage>>(
    `SELECT ${KEY}, sum(c.uninspected) AS uninspected, ${selectVerdicts(senders)}
     FROM ${from} AS c GROUP BY ${KEY} ${having} ORDER BY ${FEWEST_LAST} LIMIT ${ROWS_MAX + 1}`,
    parameters.values,
  )
  return rowsOf(read)
}

/** One researcher is asked for in the order of researchers. */
const familyFor = (scope: Scope): FamilyName => (hasResearchers(scope) ? 'coverageOfResearchers' : 'coverage')

const hasResearchers = ({ filter }: Scope): boolean => (filter.hacker?.length ?? 0) > 0

const NO_OTHERS = { requests: 0, attempts: 0 }

/** Requests and attempts to whatever route. */
async function totals(store: Pick<TrafficStore, 'query'>, scope: Scope): Promise<RecordedMap['others']> {
  const parameters = new Parameters()
  const ofSome = hasResearchers(scope)
  const from = ofSome
    ? source(scope, 'coverageOfResearchers', ['level', ...VERDICT_WORDS], parameters)
    : source(scope, 'coverageTotals', ['level', 'requests'], parameters)
  const count = ofSome ? VERDICT_WORDS.map((word) => `c.${word}`).join(' + ') : 'c.requests'
  const [sums = NO_OTHERS] = await store.query<RecordedMap['others']>(
    `SELECT sumIf(${count}, level = 'request') AS requests, sumIf(${count}, level = 'class') AS attempts FROM ${from} AS c`,
    parameters.values,
  )
  return sums
}

/** What of the totals is in no row. Something may be stored between the two questions, and what is counted twice is no less than nothing. */
function rest(total: RecordedMap['others'], rows: readonly RecordedCoverage[]): RecordedMap['others'] {
  const counted = { request: 0, class: 0 }
  for (const { level, verdicts } of rows) for (const count of verdicts) counted[level] += count
  return {
    requests: Math.max(0, total.requests - counted.request),
    attempts: Math.max(0, total.attempts - counted.class),
  }
}
