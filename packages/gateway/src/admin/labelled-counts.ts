/** Counts by labels: values of labels without spaces, joined by them, in the order in which the metric names them. */
export type LabelledCounts = ReadonlyMap<string, number>

/** The counts of several, together. */
export function sumOfLabelledCounts(all: readonly LabelledCounts[]): LabelledCounts {
  const total = new Map<string, number>()
  for (const counted of all)
    for (const [labels, count] of counted) total.set(labels, (total.get(labels) ?? 0) + count)
  return total
}
