/**
 * Look-ups whose answer is remembered for less than a second, on purpose so short: a busy client costs two look-ups a
 * second instead of thousands, and what is revoked through any control process stops working everywhere within that
 * time, without messages between processes that could get lost.
 */
const REMEMBER_MS = 500

export interface RememberedOptions<Value> {
  readonly find: (key: string) => Promise<Value>
  readonly now?: () => number
  readonly rememberMs?: number
  readonly entriesMax?: number
}

export interface Remembered<Value> {
  find(key: string): Promise<Value>
  /** Forgets everything at once; called after something of this process has changed. */
  forget(): void
}

export function createRemembered<Value>(options: RememberedOptions<Value>): Remembered<Value> {
  const { find, now = Date.now, rememberMs = REMEMBER_MS, entriesMax = 10_000 } = options
  const entries = new Map<string, { readonly value: Promise<Value>; readonly until: number }>()
  return {
    /** Requests that arrive together share one look-up: what is remembered is the promise. */
    find(key) {
      const known = entries.get(key)
      if (known && now() < known.until) return known.value
      const value = find(key)
      // Deleted first, so that it goes to the end: the map stays ordered by age and the oldest is dropped.
      entries.delete(key)
      entries.set(key, { value, until: now() + rememberMs })
      value.catch(() => entries.delete(key))
      if (entries.size > entriesMax) for (const oldest of entries.keys().take(1)) entries.delete(oldest)
      return value
    },
    forget: () => entries.clear(),
  }
}
