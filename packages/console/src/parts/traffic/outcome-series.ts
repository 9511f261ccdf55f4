import { OUTCOMES, type Outcome } from '@sallyport/contract'
import type { TimelineSeries } from '../../design/timeline/timeline-scale.ts'
import { OUTCOME_WORDS } from './outcome-mark.tsx'

type Counts = Readonly<Record<Outcome, number>>

/** One series an outcome, leaving out those that never happened; or that of one alone. */
export function outcomeSeries(
  buckets: readonly { readonly outcomes: Counts }[],
  only: Outcome | null = null,
): readonly TimelineSeries[] {
  return OUTCOMES.filter((outcome) => only === null || only === outcome)
    .map((outcome) => ({
      name: OUTCOME_WORDS[outcome],
      colour: `var(--outcome-${outcome})`,
      values: buckets.map((bucket) => bucket.outcomes[outcome]),
    }))
    .filter((series) => series.values.some((value) => value > 0))
}

/** Totals by outcome over all buckets. */
export const outcomeTotals = (buckets: readonly { readonly outcomes: Counts }[]): Counts =>
  // Every outcome is among `OUTCOMES`.
  Object.fromEntries(
    OUTCOMES.map((outcome) => [outcome, buckets.reduce((sum, { outcomes }) => sum + outcomes[outcome], 0)]),
  ) as Counts

/** How many requests all buckets hold; 0 until they are there. */
export const requestTotal = (buckets: readonly { readonly total: number }[] = []): number =>
  buckets.reduce((sum, bucket) => sum + bucket.total, 0)
