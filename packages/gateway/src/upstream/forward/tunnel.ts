/** A WebSocket between a researcher and an origin: bytes both ways at the slower side's pace, messages counted. */
import type { EventDraft, Reason } from '@sallyport/contract'
import type { Exchange } from '../../exchange/exchange.ts'
import type { LiveExchange } from '../../exchange/live-exchanges.ts'
import type { DownstreamTunnel, TunnelSink } from '../../exchange/responder.ts'
import type { OriginConnection, ResponseSink } from '../pool/origin-connection.ts'
import type { OriginError } from '../pool/origin-error.ts'
import type { ForwardServices } from './forward-services.ts'
import { FrameCounter } from './frame-counter.ts'

export class Tunnel implements ResponseSink, TunnelSink, LiveExchange {
  readonly exchange: Exchange
  livePosition = -1
  readonly #event: EventDraft
  #downstream: DownstreamTunnel | null = null
  readonly #connection: OriginConnection
  readonly #services: ForwardServices
  readonly #in = new FrameCounter()
  readonly #out = new FrameCounter()
  readonly #openedAt = performance.now()
  #lastActivity = this.#openedAt
  #over = false

  constructor(exchange: Exchange, connection: OriginConnection, services: ForwardServices) {
    this.exchange = exchange
    this.#connection = connection
    this.#services = services
    const counts = { requestBytes: 0, responseBytes: 0, messagesIn: 0, messagesOut: 0 }
    this.#event = {
      ...exchange.event,
      ...counts,
      kind: 'websocket_close',
      outcome: 'interrupted',
      // What the firewall found, and where the answer leads, is in the record once, where the WebSocket opens.
      hits: [],
      leadsTo: [],
      firstByteUs: 0,
    }
  }

  /** Begins to carry. The close is intended at once, so that it is in the record whatever happens to the gateway. */
  start(downstream: DownstreamTunnel): void {
    const { live, recorder } = this.#services
    this.#downstream = downstream
    live.add(this)
    this.#connection.handOver(this)
    recorder.intend(this.#event).catch(() => this.cut('journal_full'))
    downstream.startTunnel()
  }

  onDownstreamData(chunk: Buffer): void {
    this.#lastActivity = performance.now()
    this.#event.requestBytes += chunk.length
    this.#in.count(chunk)
    if (!this.#connection.write(Buffer.from(chunk))) this.#downstream?.pause()
  }
  onDownstreamDrain(): void {
    this.#connection.resume()
  }
  onDownstreamEnd(): void {
    this.#connection.endTunnel()
  }
  onDownstreamClosed(): void {
    this.#close('client_aborted')
  }

  onTunnelData(chunk: Buffer): void {
    this.#lastActivity = performance.now()
    this.#event.responseBytes += chunk.length
    this.#out.count(chunk)
    if (this.#downstream?.write(chunk) === false) this.#connection.pause()
  }

  onDrain(): void {
    this.#downstream?.resume()
  }
  onTunnelEnd(): void {
    this.#downstream?.end()
    this.#close('')
  }
  onFailure(error: OriginError): void {
    this.#close(error.reason)
  }

  cut(reason: Reason): void {
    this.#close(reason)
  }
  sweep(now: number): void {
    if (now - this.#lastActivity > this.#services.limits.websocketIdleTimeoutMs)
      this.#close('request_timeout')
  }

  #close(reason: Reason | ''): void {
    if (this.#over) return
    this.#over = true
    const event = this.#event
    event.time = Date.now()
    event.outcome = 'origin'
    // A client that closes after its close frame simply ends the conversation.
    event.reason = reason === 'client_aborted' ? '' : reason
    event.messagesIn = this.#in.messages
    event.messagesOut = this.#out.messages
    event.durationUs = Math.round((performance.now() - this.#openedAt) * 1000)
    this.#connection.destroy()
    if (reason === '') this.#downstream?.destroySoon()
    else this.#downstream?.destroy()
    this.#services.live.remove(this)
    this.exchange.end()
    this.#services.recorder.record(event)
    this.#services.onFinished(this.exchange)
  }

  // Nothing of HTTP follows an upgrade.
  onInformation(): void {}
  onHead(): void {}
  onData(): void {}
  onEnd(): void {}
  onUpgrade(): void {}
  onReadEnd(): void {}
}
