/** What of a scope covers which operation and class of attack: counts by recorded route. */
import { VERDICT_WORDS, type VerdictWord } from '@sallyport/contract'
import type { TrafficStore } from '../../../../traffic-store/connection.ts'
import type { Recorded, RecordedCoverage } from '../../../../traffic-store/rows/recorded-coverage.ts'
import { Parameters, type Scope, source } from '../predicate.ts'

const ROWS_MAX = 100_000
const RESEARCHERS_MAX = 100
const KEY = 'level, route, method, class'

/** How the routes begin that are told apart: by `segments` segments, one of which `beginnings` holds. All others are one empty route. */
export interface RouteBeginnings {
  readonly segments: number
  readonly beginnings: readonly string[]
}

/** What of the rows is wanted. */
export interface CoverageRowOptions {
  /** What scanners ask for is mostly nowhere: without this, each such path is a row. */
  readonly known?: RouteBeginnings | undefined
  /** To unite who sent them is half of the work. */
  readonly withResearchers?: boolean | undefined
  /** How many of them of a row, at most 100. */
  readonly researchersMax?: number | undefined
}

/** The rows with most requests first. */
export async function coverageRows(
  store: Pick<TrafficStore, 'query'>,
  scope: Scope,
  { known, withResearchers = false, researchersMax = RESEARCHERS_MAX }: CoverageRowOptions = {},
): Promise<Recorded<RecordedCoverage>> {
  const parameters = new Parameters()
  const route =
    known === undefined
      ? 'c.route'
      : `if(substringIndex(c.route, '/', ${Math.trunc(known.segments) + 1}) IN ${parameters.bind('Array(String)', known.beginnings)}, c.route, '')`
  const columns = [
    ...KEY.split(', '),
    ...VERDICT_WORDS,
    'uninspected',
    ...(withResearchers ? ['researchers'] : []),
    'first_seen',
    'last_seen',
  ]
  const family = (scope.filter.hacker?.length ?? 0) > 0 ? 'coverageOfResearchers' : 'coverage'
  const from = source(scope, family, columns, parameters)
  const sums = VERDICT_WORDS.map((word) => `sum(c.${word}) AS ${word}`)
  const united = Math.min(RESEARCHERS_MAX, Math.trunc(researchersMax))
  const rows = await store.query<Cells>(
    `SELECT level, ${route} AS route, method, class, sum(c.uninspected) AS uninspected,
       ${withResearchers ? `groupUniqArrayArray(${united})(c.researchers)` : '[]'} AS researchers,
       toUnixTimestamp64Milli(min(c.first_seen)) AS first_ms, toUnixTimestamp64Milli(max(c.last_seen)) AS last_ms, ${sums.join(', ')}
     FROM ${from} AS c GROUP BY ${KEY} ORDER BY ${VERDICT_WORDS.join(' + ')} DESC LIMIT ${ROWS_MAX + 1}`,
    parameters.values,
    { asArrays: true },
  )
  return { rows: rows.slice(0, ROWS_MAX).map(rowOf), isPartial: rows.length > ROWS_MAX }
}

/** As they are selected, verdicts last. */
type Cells = readonly [
  level: RecordedCoverage['level'],
  route: string,
  method: string,
  attackClass: string,
  uninspected: number,
  researchers: readonly string[],
  firstMs: number,
  lastMs: number,
  ...verdicts: number[],
]

function rowOf(cells: Cells): RecordedCoverage {
  const [level, route, method, attackClass, uninspected, researchers, first_ms, last_ms, ...counts] = cells
  const row = {
    level,
    route,
    method,
    class: attackClass,
    uninspected,
    researchers,
    first_ms,
    last_ms,
    ...NONE,
  }
  for (const [index, word] of VERDICTS) row[word] = counts[index] ?? 0
  return row
}

const VERDICTS = [...VERDICT_WORDS.entries()]
// The words are all of the keys.
const NONE = Object.fromEntries(VERDICT_WORDS.map((word) => [word, 0])) as Record<VerdictWord, number>
