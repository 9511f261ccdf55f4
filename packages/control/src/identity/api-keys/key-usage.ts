import type { StoredApiKey } from './api-key-verifier.ts'

export interface KeyUsageOptions {
  /** Writes when the keys of one organization were last used; ids to milliseconds since the epoch. */
  readonly write: (orgId: string, usedAt: ReadonlyMap<string, number>) => Promise<void>
  readonly failed: (error: unknown) => void
  readonly intervalMs?: number
}

export interface KeyUsage {
  used(key: StoredApiKey, at: number): void
  /** Writes what is pending. */
  flush(): Promise<void>
  /** Stops the timer and writes what is pending. */
  close(): Promise<void>
}

/**
 * Remembers when API keys were used and writes it once an interval: one statement an organization, at most one write
 * a key and minute, however many requests it makes.
 */
export function createKeyUsage(options: KeyUsageOptions): KeyUsage {
  let pending = new Map<string, Map<string, number>>()

  const flush = async (): Promise<void> => {
    const taken = pending
    pending = new Map()
    for (const [orgId, usedAt] of taken) await options.write(orgId, usedAt).catch(options.failed)
  }
  const timer = setInterval(() => void flush(), options.intervalMs ?? 60_000)
  timer.unref()

  return {
    used(key, at) {
      const ofOrganization = pending.get(key.orgId) ?? new Map<string, number>()
      ofOrganization.set(key.id, at)
      pending.set(key.orgId, ofOrganization)
    },
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}
