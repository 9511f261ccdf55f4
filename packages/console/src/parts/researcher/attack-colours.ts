/** Colours of classes of attack: the eight most frequent of a view have one each, as the rules of the firewall's page have. */
const COLOURS = [1, 2, 3, 4, 5, 6, 7, 8].map((index) => `--series-${index}`)
const OTHERS = '--outcome-gate'

interface Attacks {
  readonly class: string
  readonly attempts: number
}

/** The colour of each class, as the name of a custom property; the most frequent class of all lists has the first. */
export function attackColours(lists: readonly (readonly Attacks[])[]): (attackClass: string) => string {
  const ranked = attackTotals(lists).map((one) => one.class)
  const colours = new Map(ranked.map((name, index) => [name, COLOURS[index] ?? OTHERS]))
  return (attackClass) => colours.get(attackClass) ?? OTHERS
}

/** Attempts by class over all lists, the most frequent first. */
export function attackTotals(lists: readonly (readonly Attacks[])[]): readonly Attacks[] {
  const totals = new Map<string, number>()
  for (const one of lists.flat()) totals.set(one.class, (totals.get(one.class) ?? 0) + one.attempts)
  return [...totals]
    .map(([name, attempts]) => ({ class: name, attempts }))
    .sort((left, right) => right.attempts - left.attempts || (left.class < right.class ? -1 : 1))
}
