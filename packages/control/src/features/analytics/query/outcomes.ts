/** Counts by outcome, with a zero for each outcome that did not occur. */
import { OUTCOMES, type Outcome } from '@sallyport/contract'

export type OutcomeCounts = Record<Outcome, number>

const countsOf = (count: (outcome: Outcome) => number): OutcomeCounts =>
  // Each outcome has an entry, which `fromEntries` does not say.
  Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(outcome)])) as OutcomeCounts

export const noOutcomes = (): OutcomeCounts => countsOf(() => 0)

/** Expressions that count `requests` by outcome, as columns named after the outcomes. */
export const OUTCOME_COLUMNS = OUTCOMES.map(
  (outcome) => `sumIf(requests, outcome = '${outcome}') AS outcome_${outcome}`,
).join(', ')

export type OutcomeRow = { readonly [O in Outcome as `outcome_${O}`]: number }

/** The counts of a row selected with `OUTCOME_COLUMNS`. */
export const outcomesOf = (row: OutcomeRow): OutcomeCounts => countsOf((outcome) => row[`outcome_${outcome}`])
