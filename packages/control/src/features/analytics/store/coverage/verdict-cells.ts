/** What rows of coverage have in common: who, when, and a count for each verdict, which stand last. */
import { VERDICT_WORDS, type VerdictWord } from '@sallyport/contract'
import type { SenderOptions } from '../../../../traffic-store/rows/recorded-coverage.ts'

/** More of a row are not named, and not counted. */
export const RESEARCHERS_MAX = 100

/** Selects who sent it, how many they are, and when the first and the last of it was. */
export function selectSenders(options: SenderOptions): string {
  const { withResearchers = false, researchersMax = RESEARCHERS_MAX, countResearchers = false } = options
  const united = Math.min(RESEARCHERS_MAX, Math.trunc(researchersMax))
  const who = withResearchers ? `groupUniqArrayArray(${united})(c.researchers)` : '[]'
  const count = withResearchers && countResearchers ? `uniqUpToArray(${RESEARCHERS_MAX})(c.researchers)` : '0'
  return `${who} AS researchers, ${count} AS researcher_count, toUnixTimestamp64Milli(min(c.first_seen)) AS first_ms, toUnixTimestamp64Milli(max(c.last_seen)) AS last_ms`
}

/** The sums of the verdicts, in the order of their words. */
export const VERDICT_SUMS = VERDICT_WORDS.map((word) => `sum(c.${word}) AS ${word}`).join(', ')

// The words are all of the keys.
const NONE = Object.fromEntries(VERDICT_WORDS.map((word) => [word, 0])) as Record<VerdictWord, number>

/** The counts of a row that ends with them. Read by place: an array of the rest of each row would be one more for each. */
export function verdictsOf(cells: readonly unknown[]): Record<VerdictWord, number> {
  const counts = { ...NONE }
  const first = cells.length - VERDICT_WORDS.length
  for (let index = 0; index < VERDICT_WORDS.length; index += 1) {
    const word = VERDICT_WORDS[index]
    if (word !== undefined) counts[word] = Number(cells[first + index])
  }
  return counts
}
