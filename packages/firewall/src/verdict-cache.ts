/**
 * A bounded memory of verdicts in two generations: when the young one is full it becomes the old one, and what the old
 * one still held is forgotten. What is asked for stays, without the bookkeeping of an exact LRU on every look-up.
 */
export interface VerdictCache<Verdict> {
  get(key: string): Verdict | undefined
  set(key: string, verdict: Verdict): void
}

/** @param entriesMax at most this many verdicts are remembered */
export function createVerdictCache<Verdict>(entriesMax: number): VerdictCache<Verdict> {
  const generationMax = Math.max(1, Math.floor(entriesMax / 2))
  let young = new Map<string, Verdict>()
  let old = new Map<string, Verdict>()
  const set = (key: string, verdict: Verdict): void => {
    if (young.size >= generationMax) {
      old = young
      young = new Map()
    }
    young.set(key, verdict)
  }
  return {
    get(key) {
      const found = young.get(key)
      if (found !== undefined) return found
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
    set,
  }
}
