interface Attacks {
  readonly class: string
  readonly attempts: number
}

/** Attempts by class over all lists, the most frequent first. */
export function attackTotals(lists: readonly (readonly Attacks[])[]): readonly Attacks[] {
  const totals = new Map<string, number>()
  for (const one of lists.flat()) totals.set(one.class, (totals.get(one.class) ?? 0) + one.attempts)
  return [...totals]
    .map(([name, attempts]) => ({ class: name, attempts }))
    .sort((left, right) => right.attempts - left.attempts || (left.class < right.class ? -1 : 1))
}
