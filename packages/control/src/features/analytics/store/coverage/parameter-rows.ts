/** Attempts of all classes by the place of the hit, with a count for each verdict. */
import { VERDICT_WORDS, type VerdictWord } from '@sallyport/contract'
import type { TrafficStore } from '../../../../traffic-store/connection.ts'
import { Parameters, type Scope, source } from '../predicate.ts'
import type { CoverageRowOptions } from './coverage-rows.ts'
import { ALL_ROUTES, knownRoutes } from './known-routes.ts'
import { selectSenders, VERDICT_SUMS, verdictsOf } from './verdict-cells.ts'

/** Attempts of one class in one parameter of one route. Times are milliseconds since the epoch. */
export interface ParameterRow extends Readonly<Record<VerdictWord, number>> {
  readonly route: string
  readonly method: string
  readonly class: string
  readonly part: string
  readonly parameter: string
  /** Who made them, as many as were asked for; strangers have none. */
  readonly researchers: readonly string[]
  /** How many made them, 101 where it were more; 0 where it was not asked for. */
  readonly researcher_count: number
  readonly first_ms: number
  readonly last_ms: number
}

export interface ParameterRows {
  readonly rows: readonly ParameterRow[]
  /** Whether there were more: the rarest are then left out. */
  readonly isPartial: boolean
}

/** A thousand operations with five parameters each, of which every class was tried in every one. */
const ROWS_MAX = 120_000
const KEY = 'route, method, class, part, parameter'

/** The most frequent first. */
export async function parameterRows(
  store: Pick<TrafficStore, 'query'>,
  scope: Scope,
  { known, ...senders }: CoverageRowOptions = {},
): Promise<ParameterRows> {
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

function rowOf(cells: Cells): ParameterRow {
  const [route, method, attackClass, part, parameter, researchers, researcher_count, first_ms, last_ms] =
    cells
  return {
    ...verdictsOf(cells),
    ...{ route, method, class: attackClass, part, parameter },
    ...{ researchers, researcher_count, first_ms, last_ms },
  }
}
