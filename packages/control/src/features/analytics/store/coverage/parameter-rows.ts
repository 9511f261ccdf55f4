/** Attempts of all classes by the place of the hit, with a count for each verdict. */
import { VERDICT_WORDS } from '@sallyport/contract'
import type { TrafficStore } from '../../../../traffic-store/connection.ts'
import type {
  CoverageOptions,
  Recorded,
  RecordedParameter,
} from '../../../../traffic-store/rows/recorded-coverage.ts'
import { Parameters, type Scope, source } from '../predicate.ts'
import { ALL_ROUTES, knownRoutes } from './known-routes.ts'
import { type Columns, FEWEST_LAST, rowsOf, selectVerdicts } from './verdict-columns.ts'

/** A thousand operations with five parameters each, of which every class was tried in every one. */
const ROWS_MAX = 120_000
const KEY = 'route, method, class, part, parameter'

/** The most frequent first. */
export async function parameterRows(
  store: Pick<TrafficStore, 'queryColumns'>,
  scope: Scope,
  { known, ...senders }: CoverageOptions = {},
): Promise<Recorded<RecordedParameter>> {
  const parameters = new Parameters()
  const columns = [
    ...KEY.split(', '),
    ...VERDICT_WORDS,
    ...(senders.withResearchers ? ['researchers'] : []),
    'first_seen',
    'last_seen',
  ]
  const family = (scope.filter.hacker?.length ?? 0) > 0 ? 'attemptVerdictsOfResearchers' : 'attemptVerdicts'
  const { conditions, having } = known === undefined ? ALL_ROUTES : knownRoutes(known, parameters.bind)
  const from = source(scope, family, columns, parameters, { conditions })
  const read = await store.queryColumns<Columns<RecordedParameter>>(
    `SELECT ${KEY}, ${selectVerdicts(senders)}
     FROM ${from} AS c GROUP BY ${KEY} ${having} ORDER BY ${FEWEST_LAST} LIMIT ${ROWS_MAX + 1}`,
    parameters.values,
  )
  const rows = rowsOf(read)
  return { rows: rows.slice(0, ROWS_MAX), isPartial: rows.length > ROWS_MAX }
}
