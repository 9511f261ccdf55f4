/** The stage of closures: nothing is served of what the operator has closed at this gateway. */
import { CLOSURE_RETRY_AFTER_S, type Closures } from '../../closures/closures.ts'
import { refuse, type Stage } from '../../exchange/exchange.ts'

/** Makes the stage. */
export function createClosuresStage(closures: Closures): Stage {
  return ({ event }) =>
    closures.isClosed(event)
      ? refuse(503, 'gate', 'gateway_closed', { retryAfterS: CLOSURE_RETRY_AFTER_S })
      : null
}
