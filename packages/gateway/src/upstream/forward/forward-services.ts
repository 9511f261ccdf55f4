/** What forwarding a request, and a WebSocket after it, needs of the rest of the gateway. */
import type { Exchange } from '../../exchange/exchange.ts'
import type { LiveExchanges } from '../../exchange/live-exchanges.ts'
import type { Recorder } from '../../record/recorder.ts'
import type { GatewayLimits } from '../../settings.ts'
import type { OriginPools } from '../pool/origin-pools.ts'
import type { AssertionSigner } from './assertion.ts'

export interface ForwardServices {
  readonly origins: OriginPools
  readonly recorder: Recorder
  readonly live: LiveExchanges
  readonly assertions: AssertionSigner
  readonly limits: GatewayLimits
  /** Called once with each exchange when its end is known, before its record is made: fills in what the end says of its sender. */
  readonly onEnding: (exchange: Exchange) => void
  /** Called once with each finished exchange, after its record was made. */
  readonly onFinished: (exchange: Exchange) => void
}
