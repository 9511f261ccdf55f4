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

/**
 * Does `work` again and again until the signal is aborted, each time after a pause; what it rejects with goes to `failed`, and the next
 * time comes all the same. Resolves when the signal is aborted and nothing is under way.
 */
export async function repeat(
  work: () => Promise<void>,
  pauseMs: number,
  failed: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await pause(pauseMs, signal)
    if (!signal.aborted) await work().catch(failed)
  }
}
