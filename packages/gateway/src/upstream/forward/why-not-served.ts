/** How a request is refused that cannot be forwarded now: for what the gateway has no room, or the origin is left alone. */
import { performance } from 'node:perf_hooks'
import { type Exchange, type Refusal, refuse } from '../../exchange/exchange.ts'
import { senderOf } from '../../exchange/live-exchanges.ts'
import type { LaneKey } from '../pool/connection-quotas.ts'
import type { NoFreeConnection } from '../pool/origin-error.ts'
import type { OriginPool } from '../pool/origin-pool.ts'
import type { ForwardServices } from './forward-services.ts'

/** Nothing is forwarded that cannot be recorded. */
export const refuseUnrecorded = (): Refusal => refuse(503, 'gate', 'journal_full', { retryAfterS: 5 })

/** The refusal of a request before it is forwarded; null where the circuit has let it through, and is to hear of it. */
export function whyNotNow(
  exchange: Exchange,
  pool: OriginPool,
  lane: LaneKey,
  { recorder, live, limits }: ForwardServices,
): Refusal | null {
  if (!recorder.admitting) return refuseUnrecorded()
  if (live.countOf(senderOf(exchange)) > limits.streamsPerResearcherMax)
    return refuse(429, 'gate', 'too_many_streams', { retryAfterS: 1 })
  const now = performance.now()
  if (pool.breakers.admit(lane, now)) return null
  const retryAfterS = Math.max(1, Math.ceil(pool.breakers.waitMs(lane, now) / 1000))
  return refuse(503, 'gate', 'origin_circuit_open', { retryAfterS })
}

/** The refusal where no connection came free: the researcher's own requests are too many, or those of all. */
export const whyNotServed = ({ whose }: NoFreeConnection): Refusal =>
  whose === 'researcher'
    ? refuse(429, 'gate', 'too_many_streams', { retryAfterS: 1 })
    : refuse(504, 'gate', 'origin_timeout', { retryAfterS: 1 })
