/** Counts by name that the store keeps as two lists, names and numbers, and by verdict as columns. */
import { VERDICT_WORDS, type VerdictWord } from '@sallyport/contract'

/** What `sumMap` answers: names, and the sum of each. */
export type SummedNames = readonly [names: readonly string[], sums: readonly number[]]

/** Names with their sums, the greatest first, at most `max`. */
export const byCount = ([names, sums]: SummedNames, max: number): [name: string, count: number][] =>
  names
    .map((name, index): [string, number] => [name, sums[index] ?? 0])
    .sort(([leftName, left], [rightName, right]) => right - left || (leftName < rightName ? -1 : 1))
    .slice(0, max)

export type VerdictRow = Readonly<Record<VerdictWord, number>>

/** The verdicts that a row has any of. */
export const verdictsOf = (row: VerdictRow): Partial<Record<VerdictWord, number>> =>
  Object.fromEntries(VERDICT_WORDS.filter((word) => row[word] > 0).map((word) => [word, row[word]]))

/** Sums of the columns of a subquery `c` that are named after the verdicts. */
export const VERDICT_SUMS = VERDICT_WORDS.map((word) => `sum(c.${word}) AS ${word}`).join(', ')
