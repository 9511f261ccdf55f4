/** One attempt to deliver, whatever way it goes. */
import type { DeliveryOutcome } from '@sallyport/contract'
import { backOffMs } from '@sallyport/toolbox'
import type { AttemptEnd } from './delivery-store.ts'

/** What came of an attempt. */
export interface AttemptResult {
  readonly outcome: DeliveryOutcome
  /** What the receiver answered; 0 where it did not. */
  readonly status: number
  /** How long it asks to be left alone. */
  readonly retryAfterMs?: number
}

/** Pauses between attempts: 5 s, 10 s, 20 s … 12 h, each less up to half of it by chance; three to four days in all. */
const PAUSES = { minMs: 5_000, maxMs: 12 * 3_600_000 }
export const ATTEMPTS_MAX = 20
const RETRY_AFTER_MAX_MS = 24 * 3_600_000

/** How long a receiver that took nothing is left alone because it asked for that, within bounds. */
export const askedPauseMs = ({ retryAfterMs = 0 }: AttemptResult): number =>
  Math.min(retryAfterMs, RETRY_AFTER_MAX_MS)

/** What becomes of a delivery after so many attempts. */
export function afterAttempt(result: AttemptResult, attempts: number): AttemptEnd {
  const { outcome, status } = result
  if (outcome === 'accepted') return { outcome, status, state: 'delivered', pauseMs: 0 }
  if (outcome === 'gone' || attempts >= ATTEMPTS_MAX) return { outcome, status, state: 'failed', pauseMs: 0 }
  const pauseMs = Math.max(backOffMs(attempts - 1, PAUSES), askedPauseMs(result))
  return { outcome, status, state: 'waiting', pauseMs }
}
