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
import { selectSenders, VERDICT_SUMS, verdictsOf } from './verdict-cells.ts'

/** A thousand operations with five parameters each, of which every class was tried in every one. */
const ROWS_MAX = 120_000
const KEY = 'route, method, class, part, parameter'

/** The most frequent first. */
export async function parameterRows(
  store: Pick<TrafficStore, 'query'>,
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
  const rows = await store.query<Cells>(
    `SELECT ${KEY}, ${selectSenders(senders)}, ${VERDICT_SUMS}
     FROM ${from} AS c GROUP BY ${KEY} ${having} ORDER BY ${VERDICT_WORDS.join(' + ')} DESC LIMIT ${ROWS_MAX + 1}`,
    parameters.values,
    { asArrays: true },
  )
  return { rows: rows.slice(0, ROWS_MAX).map(rowOf), isPartial: rows.length > ROWS_MAX }
}

/** As they are selected, verdicts last. */
type Cells = readonly [
  route: string,
  method: string,
  attackClass: string,
  part: string,
  parameter: string,
  researchers: readonly string[],
  researcherCount: number,
  firstMs: number,
  lastMs: number,
  ...verdicts: number[],
]

function rowOf(cells: Cells): RecordedParameter {
  const [route, method, attackClass, part, parameter, researchers, researcher_count, first_ms, last_ms] =
    cells
  return {
    ...verdictsOf(cells),
    ...{ route, method, class: attackClass, part, parameter },
    ...{ researchers, researcher_count, first_ms, last_ms },
  }
}
