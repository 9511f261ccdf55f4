/** How a request is refused for which no connection came free. */
import { type Refusal, refuse } from '../../exchange/exchange.ts'
import type { NoFreeConnection } from '../pool/origin-error.ts'

/** Makes the refusal: the researcher's own requests are too many, or those of all. */
export const whyNotServed = ({ whose }: NoFreeConnection): Refusal =>
  whose === 'researcher'
    ? refuse(429, 'gate', 'too_many_streams', { retryAfterS: 1 })
    : refuse(504, 'gate', 'origin_timeout', { retryAfterS: 1 })
