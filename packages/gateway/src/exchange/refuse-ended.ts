/** How a request is refused that was admitted, and is ended before anything of its answer is out. */
import type { Reason } from '@sallyport/contract'
import { type Refusal, refuse } from './exchange.ts'

/** Why something that was admitted is ended. */
export type EndReason = Extract<Reason, 'access_ended' | 'lease_ended' | 'gateway_closed'>

/** Ends that are the gate's own, with the seconds after which another attempt makes sense; any other is the caller's. */
const RETRY_AFTER_S: Partial<Record<Reason, number>> = {
  gateway_stopping: 5,
  lease_ended: 5,
  gateway_closed: 60,
}

/** Makes the refusal; the connection is closed with it. */
export function refuseEnded(reason: Reason): Refusal {
  const retryAfterS = RETRY_AFTER_S[reason]
  return retryAfterS === undefined
    ? refuse(403, 'gate', reason, { close: true })
    : refuse(503, 'gate', reason, { close: true, retryAfterS })
}
