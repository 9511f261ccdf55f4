/** Numbers that look random and are the same each time (mulberry32). */
export interface Random {
  /** From 0 up to, and without, a bound. */
  below(bound: number): number
  pick<T>(items: readonly T[]): T
  chance(share: number): boolean
}

export function createRandom(seed: number): Random {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (bound: number): number => Math.floor(next() * bound)
  return {
    below,
    pick: <T>(items: readonly T[]): T => {
      const item = items[below(items.length)]
      if (item === undefined && items.length === 0) throw new RangeError('nothing to pick from')
      return item as T
    },
    chance: (share) => next() < share,
  }
}
