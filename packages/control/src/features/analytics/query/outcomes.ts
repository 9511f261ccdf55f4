/** Counts by outcome, with a zero for each outcome that did not occur. */
import { OUTCOMES, type Outcome } from '@sallyport/contract'

export type OutcomeCounts = Record<Outcome, number>

export const noOutcomes = (): OutcomeCounts => ({
  origin: 0,
  block: 0,
  limit: 0,
  firewall: 0,
  gate: 0,
  interrupted: 0,
})

/** Expressions that count `requests` by outcome, as columns named after the outcomes. */
export const OUTCOME_COLUMNS = OUTCOMES.map(
  (outcome) => `sumIf(requests, outcome = '${outcome}') AS outcome_${outcome}`,
).join(', ')

export type OutcomeRow = { readonly [O in Outcome as `outcome_${O}`]: number }

/** The counts of a row selected with `OUTCOME_COLUMNS`. */
export const outcomesOf = (row: OutcomeRow): OutcomeCounts => ({
  origin: row.outcome_origin,
  block: row.outcome_block,
  limit: row.outcome_limit,
  firewall: row.outcome_firewall,
  gate: row.outcome_gate,
  interrupted: row.outcome_interrupted,
})
