/** How many requests there were, in all and by who answered them. */
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { familyFor } from '../query/family.ts'
import { noOutcomes, type OutcomeCounts } from '../query/outcomes.ts'
import { Parameters, type Scope, source } from './predicate.ts'

export interface Totals {
  readonly total: number
  readonly outcomes: OutcomeCounts
}

export async function totals(store: TrafficStore, scope: Scope): Promise<Totals> {
  const parameters = new Parameters()
  const from = source(scope, familyFor(scope.filter), ['outcome', 'requests'], parameters)
  const rows = await store.query<{ outcome: keyof OutcomeCounts; requests: number }>(
    `SELECT outcome, sum(requests) AS requests FROM ${from} GROUP BY outcome`,
    parameters.values,
  )
  const outcomes = noOutcomes()
  for (const row of rows) outcomes[row.outcome] = row.requests
  return { total: rows.reduce((total, row) => total + row.requests, 0), outcomes }
}
