/**
 * Forwarding one admitted request: journal, connection, request out, answer back. Both directions flow at the pace of
 * the slower side; an end, an abort or a cut on either side reaches the other; exactly one record is made.
 *
 * The answer's head waits for the end of the read that brought it, so that head and small body leave in one write: the
 * write system calls are most of what a request costs.
 */
import { performance } from 'node:perf_hooks'
import type { Reason } from '@sallyport/contract'
import { type Exchange, type Refusal, refuse } from '../../exchange/exchange.ts'
import type { LiveExchange } from '../../exchange/live-exchanges.ts'
import { refuseEnded } from '../../exchange/refuse-ended.ts'
import type { Responder, ResponderOwner } from '../../exchange/responder.ts'
import { writeRefusal } from '../../pages/write-refusal.ts'
import type { GatewayLimits } from '../../settings.ts'
import type { CompiledSite } from '../../snapshot/snapshot.ts'
import type { LaneKey } from '../pool/connection-quotas.ts'
import { OriginConnection, type OriginExchange, type ResponseSink } from '../pool/origin-connection.ts'
import { NoFreeConnection, OriginError, STATUS_OF_ORIGIN_REASON } from '../pool/origin-error.ts'
import type { OriginPool } from '../pool/origin-pool.ts'
import { rewritingBody } from './bodies/rewrite-body.ts'
import type { ForwardServices } from './forward-services.ts'
import { answerHeaders, answerTrailers } from './headers/answer-headers.ts'
import type { OriginHead } from './headers/response-headers.ts'
import { openTunnel } from './open-tunnel.ts'
import { outgoingRequest } from './outgoing-request.ts'
import { RequestBody } from './request-body.ts'
import { provesWebSocket } from './websocket-proof.ts'
import { refuseUnrecorded, whyNotNow, whyNotServed } from './why-not-served.ts'

/**
 * How far the answer is. `asking`: nothing of it was written. `answering`: its head is out. `answered`: the whole of it was
 * written, the origin's or the gate's own; over TLS it is on its way for a while. `over`: it is out, its connection has
 * gone, or a tunnel has taken its place.
 */
type Phase = 'asking' | 'answering' | 'answered' | 'over'

export class Forwarding implements ResponseSink, ResponderOwner, LiveExchange {
  readonly exchange: Exchange
  livePosition = -1
  readonly #site: CompiledSite
  #responder: Responder
  readonly #services: ForwardServices
  readonly #pool: OriginPool
  readonly #lane: LaneKey
  readonly #body: RequestBody | null
  #phase: Phase = 'asking'
  #connection: OriginExchange | null = null
  /** A connection is being opened, or waited for. */
  #opening = false
  #sentAgain = false
  #head: OriginHead | null = null
  /** Body that arrived in the present read and was not written yet; its bytes are the connection's own. */
  #held: Buffer | null = null
  /** Whether the circuit let this request through, perhaps as the one that tries, and has not heard of it since. */
  #admitted = false
  /** True while the researcher does not take what was written. */
  #blocked = false
  #lastActivity: number

  constructor(
    exchange: Exchange,
    site: CompiledSite,
    responder: Responder,
    expectsContinue: boolean,
    services: ForwardServices,
  ) {
    this.exchange = exchange
    this.#site = site
    this.#responder = responder
    this.#services = services
    this.#pool = services.origins.of(site)
    this.#lane = services.origins.laneOf(site, exchange.event.researcherId)
    this.#lastActivity = exchange.startedAt
    this.#body =
      exchange.request.bodyBytes === 0
        ? null
        : new RequestBody(responder, exchange, expectsContinue, services.limits.bodyBytesMax)
  }

  /** Starts; everything after it happens by events. */
  start(): void {
    this.#services.live.add(this)
    this.#responder.owner = this
    if (this.#responder.gone) {
      this.onDownstreamClosed()
      return
    }
    const refusal = whyNotNow(this.exchange, this.#pool, this.#lane, this.#services)
    if (refusal) {
      this.#refuse(refusal)
      return
    }
    this.#admitted = true
    if (this.#body?.holds)
      this.#body.collect(
        () => this.#noteActivity(),
        (found) => (found ? this.#refuse(found) : this.#journal()),
      )
    else this.#journal()
  }

  #noteActivity(): void {
    this.#lastActivity = performance.now()
  }

  /** Nothing goes to the origin before the intent is in the journal. */
  #journal(): void {
    if (this.#isDecided) return
    this.#services.recorder.intend(this.exchange.event).then(
      () => this.#connect(),
      () => this.#refuse(refuseUnrecorded()),
    )
  }

  /** Nothing is wanted of the origin any more: the request was refused or its client has gone while it waited. */
  get #isDecided(): boolean {
    return this.#phase === 'answered' || this.#phase === 'over'
  }

  #connect(): void {
    if (this.#isDecided) return
    const { websocket } = this.exchange.request
    const idle = this.#pool.acquireIdle(this.#lane, websocket)
    if (idle) {
      this.#send(idle)
      return
    }
    this.#opening = true
    this.#pool.acquire(this.#lane, this, websocket).then(
      (connection) => {
        this.#opening = false
        if (this.#isDecided) connection.giveBack()
        else this.#send(connection)
      },
      (error: OriginError | NoFreeConnection) => {
        this.#opening = false
        if (error instanceof NoFreeConnection) this.#refuse(whyNotServed(error))
        else this.onFailure(error)
      },
    )
  }

  #send(connection: OriginExchange): void {
    this.#connection = connection
    this.#noteActivity()
    const { head, sent } = outgoingRequest(this.exchange, this.#site, this.#body, this.#services.assertions)
    if (!this.#body) {
      connection.start(head, sent, this)
      return
    }
    connection.cork()
    connection.start(head, sent, this)
    this.#body.pump(connection, (refusal) => this.#onBodyProgress(refusal))
    connection.uncork()
  }

  #onBodyProgress(refusal: Refusal | null): void {
    this.#noteActivity()
    if (refusal) this.onDownstreamBroken(refusal)
  }

  onDrain(): void {
    this.#noteActivity()
    this.#body?.resume()
  }

  onInformation(head: OriginHead): void {
    this.#noteActivity()
    if (head.status === 100) {
      this.#body?.sendContinue()
      return
    }
    if (this.exchange.isForwardedPreflight) return
    const headers = [...this.#translated(head), 'Sallyport-Request-Id', this.exchange.event.id]
    this.#responder.writeInformation(head.status, head.statusText, headers)
  }

  onHead(head: OriginHead): void {
    this.#head = head
    this.#noteAnswer()
    // The origin is well for those whose protocol has such a status.
    if (!this.#responder.carries(head.status)) this.#refuse(refuse(502, 'gate', 'origin_malformed'))
  }

  #noteAnswer(): void {
    const { event, startedAt } = this.exchange
    this.#noteActivity()
    event.firstByteUs = Math.round((this.#lastActivity - startedAt) * 1000)
    this.#admitted = false
    this.#services.origins.noteSuccess(event.siteId, this.#lane, this.#pool)
  }

  onData(chunk: Buffer): void {
    if (this.#isDecided || this.exchange.isForwardedPreflight) return
    const { event } = this.exchange
    event.responseBytes += chunk.length
    if (this.#held) this.#writeHeld()
    this.#held = chunk
  }

  onEnd(rawTrailers: readonly string[]): void {
    if (this.#isDecided) return
    this.#writeHeadOnce()
    this.#phase = 'answered'
    this.#body?.close()
    this.#responder.end(this.#held, answerTrailers(rawTrailers, this.exchange))
    this.#held = null
  }

  onReadEnd(): void {
    if (this.#isDecided) return
    this.#noteActivity()
    if (!this.#head) return
    if (this.#held) this.#writeHeld()
    else if (this.#phase === 'asking') {
      this.#writeHeadOnce()
      this.#responder.flushHead()
    }
  }

  #writeHeld(): void {
    const chunk = this.#held
    this.#held = null
    if (!chunk) return
    this.#writeHeadOnce()
    if (this.#responder.write(chunk)) return
    this.#blocked = true
    this.#connection?.pause()
  }

  onDownstreamDrain(): void {
    this.#blocked = false
    this.#noteActivity()
    // After the end of the answer the connection may carry another already.
    if (!this.#isDecided) this.#connection?.resume()
  }
  onDownstreamProgress(): void {
    this.#noteActivity()
  }

  #translated(head: OriginHead): readonly string[] {
    return answerHeaders(head, this.exchange, this.#site.config)
  }

  #writeHeadOnce(): void {
    const head = this.#head
    if (this.#phase !== 'asking' || !head) return
    this.#phase = 'answering'
    const { exchange } = this
    const headers = this.#translated(head).concat(exchange.responseHeaders)
    headers.push('Sallyport-Request-Id', exchange.event.id)
    exchange.event.status = head.status
    exchange.event.outcome = 'origin'
    this.#responder = rewritingBody(this.#responder, head.status, headers, exchange, this.#site.config)
    this.#responder.writeHead(head.status, head.statusText, headers, false)
  }

  onFailure(error: OriginError): void {
    if (this.#isDecided) return
    const { reason } = error
    const { siteId } = this.exchange.event
    if (error.isUnprocessed && this.#maySendAgain()) return
    this.#admitted = false
    this.#services.origins.noteFailure(siteId, this.#lane, this.#pool, error)
    this.#connection = null
    if (this.#phase === 'asking') {
      this.#refuse(refuse(STATUS_OF_ORIGIN_REASON[reason], 'gate', reason))
      return
    }
    this.exchange.event.reason = reason
    this.#responder.destroy()
  }

  /** Sends what the origin did not begin with once more, where there is no body to be sent again. */
  #maySendAgain(): boolean {
    if (this.#body || this.#phase !== 'asking' || this.#sentAgain) return false
    this.#sentAgain = true
    this.#connection = null
    this.#connect()
    return true
  }

  /** The origin speaks WebSocket: the handshake is over and recorded, a tunnel takes its place. */
  onUpgrade(head: OriginHead): void {
    const connection = this.#connection
    if (!(connection instanceof OriginConnection) || this.#phase !== 'asking') return
    const { exchange } = this
    this.#noteAnswer()
    if (!provesWebSocket(exchange.request.rawHeaders, head.rawHeaders)) {
      this.#refuse(refuse(502, 'gate', 'origin_malformed'))
      return
    }
    const headers = [...this.#translated(head), ...exchange.responseHeaders]
    const start = openTunnel(exchange, connection, this.#responder, head.statusText, headers, this.#services)
    if (!start) return
    this.#phase = 'over'
    this.#services.live.remove(this)
    start()
  }
  onTunnelData(): void {}
  onTunnelEnd(): void {}

  cut(reason: Reason): void {
    if (this.#phase === 'over') return
    const { event } = this.exchange
    if (this.#phase === 'asking') {
      this.#refuse(refuseEnded(reason))
      return
    }
    event.reason = reason
    this.#responder.destroy()
  }

  onDownstreamBroken(refusal: Refusal): void {
    if (this.#phase === 'over') return
    if (this.#phase === 'asking') {
      this.#refuse(refusal)
      return
    }
    this.exchange.event.reason = refusal.reason
    this.#responder.destroy()
  }

  sweep(now: number): void {
    const silentMs = now - this.#lastActivity
    const { limits } = this.#services
    if (this.#phase === 'over' || silentMs < SHORTEST_TIMEOUT_MS) return
    if (this.#blocked || this.#phase === 'answered') {
      if (silentMs > limits.answerIdleTimeoutMs) this.cut('client_aborted')
    } else if (this.#body?.waitsForClient) {
      if (silentMs > limits.bodyIdleTimeoutMs)
        this.onDownstreamBroken(refuse(408, 'gate', 'request_timeout', { close: true }))
    } else if (this.#connection && silentMs > this.#originTimeoutMs(limits)) {
      this.#connection.destroy()
      this.onFailure(new OriginError('origin_timeout', 'silent'))
    }
  }

  #originTimeoutMs(limits: GatewayLimits): number {
    return this.#head ? limits.originBodyIdleTimeoutMs : limits.originHeadTimeoutMs
  }

  /** Answers in the origin's place. */
  #refuse(refusal: Refusal): void {
    if (this.#phase !== 'asking') return
    this.#phase = 'answered'
    this.#connection?.destroy()
    this.#connection = null
    this.#stopWaiting()
    // What is wrong with the rest of the request would stand in the record as why it was refused.
    this.#responder.stopBody()
    writeRefusal(this.exchange, this.#responder, refusal)
  }

  #stopWaiting(): void {
    if (this.#opening) this.#pool.cancel(this.#lane, this)
  }

  /** The end, good or bad: the answer is out, or its connection is gone. */
  onDownstreamClosed(): void {
    if (this.#phase === 'over') return
    const isWhole = this.#phase === 'answered'
    this.#phase = 'over'
    const { exchange } = this
    const { event } = exchange
    if (!isWhole) this.#connection?.destroy()
    this.#stopWaiting()
    if (this.#admitted) this.#pool.breakers.abandon(this.#lane)
    if (!this.#responder.answered && event.reason === '') event.reason = 'client_aborted'
    if (event.outcome === 'interrupted') event.outcome = this.#connection ? 'origin' : 'gate'
    this.#body?.close()
    event.durationUs = Math.round((performance.now() - exchange.startedAt) * 1000)
    this.#services.live.remove(this)
    exchange.end()
    if (exchange.recordAfter === null) this.#record()
    else exchange.recordAfter.finally(() => this.#record()).catch(() => {})
  }

  #record(): void {
    this.#services.onEnding(this.exchange)
    this.#services.recorder.record(this.exchange.event)
    this.#services.onFinished(this.exchange)
  }
}

/** The sweep looks no closer at what was active within this. */
const SHORTEST_TIMEOUT_MS = 50
