/** The answer to a request for which no connection to the origin came free in time. */
import { type Refusal, refuse } from '../../exchange/exchange.ts'
import type { NoFreeConnection } from '../pool/origin-error.ts'

/** Says whether the researcher has too many requests there, or everybody. */
export const whyNotServed = ({ whose }: NoFreeConnection): Refusal =>
  whose === 'researcher'
    ? refuse(429, 'gate', 'too_many_streams', { retryAfterS: 1 })
    : refuse(504, 'gate', 'origin_timeout', { retryAfterS: 1 })
