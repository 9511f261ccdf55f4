/** From a parsed request to its end: read, judge, then answer or forward. The hot path; it touches memory only. */

import { performance } from 'node:perf_hooks'
import type { Closures } from '../closures/closures.ts'
import type { Recognizers } from '../credentials/callers.ts'
import type { ParsedRequest, RequestHandler, Unreadable } from '../downstream/read-request.ts'
import { Exchange, type Refusal, refuse, refuseForFault, type Verdict } from '../exchange/exchange.ts'
import { senderOf } from '../exchange/live-exchanges.ts'
import { refuseEnded } from '../exchange/refuse-ended.ts'
import type { Responder, ResponderOwner } from '../exchange/responder.ts'
import type { Lease } from '../lease/lease.ts'
import { writeRefusal, writeReply } from '../pages/write-refusal.ts'
import { finishForSite } from '../record/redact.ts'
import type { SnapshotSource } from '../snapshot/snapshot.ts'
import { Forwarding } from '../upstream/forward/forward.ts'
import type { ForwardServices } from '../upstream/forward/forward-services.ts'
import { draftEvent } from './draft-event.ts'
import { judge, type NamedStage } from './pipeline.ts'
import { SmallBody } from './small-body.ts'
import { fileUnread } from './unreadable.ts'
import { whyEnded } from './why-ended.ts'

export interface HandlerServices extends ForwardServices {
  readonly gatewayId: string
  readonly snapshots: SnapshotSource
  readonly lease: Lease
  readonly closures: Closures
  readonly stages: readonly NamedStage[]
  /** Know who sends what no stage is asked about. */
  readonly recognizers: Recognizers
  /** Called with an error that should not happen, and the request that met it. */
  readonly onUnexpected: (error: unknown, requestId: string) => void
}

/** What journal, origin and answer take of a request that passes, milliseconds: twice what reading and judging it takes. */
const FORWARDING_MS = 0.05

/** Makes the handler of requests, for HTTP/1 and HTTP/2. */
export function createRequestHandler(services: HandlerServices): RequestHandler {
  return (responder, parsed, peer) => {
    const startedAt = performance.now()
    const event = draftEvent(parsed.request, parsed.userAgent, peer.tls, services.gatewayId)
    const exchange = new Exchange(parsed.request, services.snapshots.current, event, startedAt)
    if (parsed.unreadable) {
      answerUnreadable(exchange, responder, parsed.unreadable, services)
      return
    }
    const verdict = judgeSafely(() => judge(services.stages, exchange), exchange, services)
    responder.identify(exchange.researcher?.id ?? '')
    proceed({ exchange, responder, parsed }, verdict, services)
  }
}

/** A request and by whom it came. */
interface Asked {
  readonly exchange: Exchange
  readonly responder: Responder
  readonly parsed: ParsedRequest
}

/** Goes on with a verdict, once it is there. */
function proceed(asked: Asked, verdict: Verdict | Promise<Verdict>, services: HandlerServices): void {
  const { exchange, responder } = asked
  if (!(verdict instanceof Promise)) {
    conclude(asked, verdict, services)
    return
  }
  verdict
    .then((settled) => conclude(asked, unlessEnded(settled, exchange, services), services))
    .catch((error: unknown) => {
      services.onUnexpected(error, exchange.event.id)
      responder.destroy()
    })
}

/** A stage that fails lets nothing pass and takes nobody else down: its request is refused, and recorded as any other. */
function judgeSafely(
  decide: () => Verdict | Promise<Verdict>,
  exchange: Exchange,
  services: HandlerServices,
): Verdict | Promise<Verdict> {
  const failed = (error: unknown): Verdict => {
    services.onUnexpected(error, exchange.event.id)
    return refuseForFault()
  }
  try {
    const verdict = decide()
    return verdict instanceof Promise ? verdict.catch(failed) : verdict
  } catch (error) {
    return failed(error)
  }
}

/** A stage that waits may do so for long where much waits with it. What closed meanwhile is closed for this request, too. */
function unlessEnded(
  verdict: Verdict,
  exchange: Exchange,
  { snapshots, lease, closures }: HandlerServices,
): Verdict {
  if (verdict !== null) return verdict
  const reason = whyEnded(exchange, { snapshot: snapshots.current, lease, closures, now: Date.now() })
  return reason && refuseEnded(reason)
}

/** Refused, and the connection closed: what follows on it cannot be trusted to be where it seems. */
function answerUnreadable(
  exchange: Exchange,
  responder: Responder,
  { status, reason }: Unreadable,
  services: HandlerServices,
): void {
  fileUnread(exchange, services.recognizers)
  responder.identify(exchange.researcher?.id ?? '')
  responder.owner = new OwnAnswer(exchange, services)
  writeRefusal(exchange, responder, refuse(status, 'gate', reason, { close: true }))
}

function conclude(asked: Asked, verdict: Verdict, services: HandlerServices): void {
  const { exchange, responder, parsed } = asked
  const { site, event } = exchange
  if (verdict?.kind === 'body') {
    const judged = (result: Buffer | Refusal): Verdict | Promise<Verdict> =>
      Buffer.isBuffer(result) ? judgeSafely(() => verdict.judge(result), exchange, services) : result
    new SmallBody(responder, event, verdict.bytesMax, (result) =>
      proceed(asked, judged(result), services),
    ).read(parsed.expectsContinue)
    return
  }
  if (verdict === null && site) {
    const counted = services.live.prepare(senderOf(exchange))
    if (counted !== null) {
      proceed(
        asked,
        counted.then(() => null),
        services,
      )
      return
    }
    // Here and no earlier: what has waited comes by a second time, and the hash of a hash is another.
    finishForSite(exchange)
    responder.charge(FORWARDING_MS)
    new Forwarding(exchange, site, responder, parsed.expectsContinue, services).start()
    return
  }
  const owner = new OwnAnswer(exchange, services, verdict?.kind !== 'reply' || verdict.recorded)
  responder.owner = owner
  if (responder.gone) owner.onDownstreamClosed()
  else if (verdict?.kind === 'reply') writeReply(exchange, responder, verdict)
  else writeRefusal(exchange, responder, finalFor(exchange, verdict ?? refuse(503, 'gate', 'unknown_host')))
}

/** A stranger's connection ends with its refusal, so that every further attempt costs another connection. */
const finalFor = ({ researcher }: Exchange, refusal: Refusal): Refusal =>
  researcher ? refusal : { ...refusal, close: true }

/**
 * An answer of the gate's own: recorded, where it is to be, when it is out or its connection is gone. What the site does not want kept is
 * taken out then, and not before: it takes longer than all else under a name that some site has, which strangers could measure.
 */
class OwnAnswer implements ResponderOwner {
  readonly #exchange: Exchange
  readonly #services: HandlerServices
  readonly #recorded: boolean

  constructor(exchange: Exchange, services: HandlerServices, recorded = true) {
    this.#exchange = exchange
    this.#services = services
    this.#recorded = recorded
  }

  onDownstreamClosed(): void {
    const { event, startedAt } = this.#exchange
    event.durationUs = Math.round((performance.now() - startedAt) * 1000)
    this.#exchange.end()
    if (!this.#recorded) return
    this.#services.onEnding(this.#exchange)
    finishForSite(this.#exchange)
    this.#services.recorder.record(event)
    this.#services.onFinished(this.#exchange)
  }
  // The answer is in one piece, and nothing more of the request's body is read.
  onDownstreamDrain(): void {}
  onDownstreamBroken(): void {}
}
