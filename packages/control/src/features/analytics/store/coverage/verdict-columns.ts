/** What rows of coverage have in common: who, when, and a count for each verdict. */
import { VERDICT_WORDS } from '@sallyport/contract'
import type { RecordedVerdicts, SenderOptions } from '../../../../traffic-store/rows/recorded-coverage.ts'

/** More of a row are not named, and not counted. */
export const RESEARCHERS_MAX = 100

/** The order in which the first of too many rows are kept. */
export const FEWEST_LAST = 'arraySum(verdicts) DESC'

/** Selects how many had each verdict, who they were, how many, and when the first and the last of it was. */
export function selectVerdicts(options: SenderOptions): string {
  const { withResearchers = false, researchersMax = RESEARCHERS_MAX, countResearchers = false } = options
  const united = Math.min(RESEARCHERS_MAX, Math.trunc(researchersMax))
  const columns = [
    `[${VERDICT_WORDS.map((word) => `sum(c.${word})`).join(', ')}] AS verdicts`,
    ...(withResearchers ? [`groupUniqArrayArray(${united})(c.researchers) AS researchers`] : []),
    ...(withResearchers && countResearchers
      ? [`uniqUpToArray(${RESEARCHERS_MAX})(c.researchers) AS researcher_count`]
      : []),
    'toUnixTimestamp64Milli(min(c.first_seen)) AS first_ms',
    'toUnixTimestamp64Milli(max(c.last_seen)) AS last_ms',
  ]
  return columns.join(', ')
}

/** Rows as the store answers them: a list for each member. Who sent them, and how many they are, only where it was asked for. */
export type Columns<Row extends RecordedVerdicts> = {
  readonly [Name in Exclude<keyof Row, keyof Unasked>]: readonly Row[Name][]
} & { readonly [Name in keyof Unasked]?: readonly Row[Name][] }

type Unasked = Pick<RecordedVerdicts, 'researchers' | 'researcher_count'>

const UNASKED: Unasked = { researchers: [], researcher_count: 0 }

/** The rows of columns. */
export function rowsOf<Row extends RecordedVerdicts>(columns: Columns<Row>): Row[] {
  const named = Object.entries<readonly unknown[]>(columns)
  return columns.verdicts.map((_, index) => {
    const row: Record<string, unknown> = { ...UNASKED }
    for (const [name, values] of named) row[name] = values[index]
    // The columns are those of a row.
    return row as unknown as Row
  })
}
