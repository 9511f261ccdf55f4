import { setTimeout as sleep } from 'node:timers/promises'

export interface BackOffBounds {
  readonly minMs: number
  readonly maxMs: number
}

/**
 * How long to wait after so many failures in a row: exponential from `minMs` to `maxMs`, less up to half of it by chance, so that
 * clients that failed together do not come back together.
 */
export const backOffMs = (failures: number, { minMs, maxMs }: BackOffBounds): number =>
  Math.min(maxMs, minMs * 2 ** failures) * (0.5 + Math.random() / 2)

/** Waits so long, or until the signal is aborted, whichever comes first; never rejects. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined)
