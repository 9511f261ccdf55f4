/** From a parsed request to its end: read, judge, then answer or forward. The hot path; it touches memory only. */

import type { Peer, Reading, Unreadable } from '../downstream/read-request.ts'
import type { Client, ClientOwner } from '../exchange/client.ts'
import { Exchange, type Refusal, refuse, type Verdict } from '../exchange/exchange.ts'
import { isStillAdmitted } from '../exchange/live.ts'
import { writeRefusal, writeReply } from '../pages/write-refusal.ts'
import { redact } from '../recorder/redact.ts'
import type { SnapshotSource } from '../snapshot/snapshot.ts'
import { Forwarding, type ForwardServices } from '../upstream/forward/forward.ts'
import { draftEvent } from './draft-event.ts'
import { judge, type NamedStage } from './pipeline.ts'
import { SmallBody } from './small-body.ts'
import { noteSite } from './unreadable.ts'

export interface HandlerServices extends ForwardServices {
  readonly gatewayId: string
  readonly snapshots: SnapshotSource
  readonly stages: readonly NamedStage[]
  /** Told of an error that should not happen, and of the request that met it. */
  readonly onUnexpected: (error: unknown, requestId: string) => void
}

/** What journal, origin and answer take of a request that passes, milliseconds: twice what reading and judging it takes. */
const FORWARDING_MS = 0.05

export type RequestHandler = (client: Client, reading: Reading, peer: Peer) => void

/** Makes the handler of requests, for HTTP/1 and HTTP/2. */
export function createRequestHandler(services: HandlerServices): RequestHandler {
  return (client, reading, peer) => {
    const startedAt = performance.now()
    const event = draftEvent(reading.request, reading.userAgent, peer.tls, services.gatewayId)
    const exchange = new Exchange(reading.request, services.snapshots.current, event, startedAt)
    if (reading.unreadable) {
      answerUnreadable(exchange, client, reading.unreadable, services)
      return
    }
    const verdict = judgeSafely(() => judge(services.stages, exchange), exchange, services)
    client.identify(exchange.researcher?.id ?? '')
    proceed({ exchange, client, reading }, verdict, services)
  }
}

/** A request and by whom it came. */
interface Asked {
  readonly exchange: Exchange
  readonly client: Client
  readonly reading: Reading
}

/** Goes on with a verdict, once it is there. */
function proceed(asked: Asked, verdict: Verdict | Promise<Verdict>, services: HandlerServices): void {
  const { exchange, client } = asked
  if (!(verdict instanceof Promise)) {
    conclude(asked, verdict, services)
    return
  }
  verdict
    .then((settled) => conclude(asked, unlessEnded(settled, exchange, services), services))
    .catch((error: unknown) => {
      services.onUnexpected(error, exchange.event.id)
      client.destroy()
    })
}

/** A stage that fails lets nothing pass and takes nobody else down: its request is refused, and recorded as any other. */
function judgeSafely(
  decide: () => Verdict | Promise<Verdict>,
  exchange: Exchange,
  services: HandlerServices,
): Verdict | Promise<Verdict> {
  const refuseForFault = (error: unknown): Verdict => {
    services.onUnexpected(error, exchange.event.id)
    return refuse(500, 'gate', 'gate_error', { close: true })
  }
  try {
    const verdict = decide()
    return verdict instanceof Promise ? verdict.catch(refuseForFault) : verdict
  } catch (error) {
    return refuseForFault(error)
  }
}

/** A stage that waits may do so for long where much waits with it. What closed meanwhile is closed for this request, too. */
function unlessEnded(verdict: Verdict, exchange: Exchange, { snapshots }: HandlerServices): Verdict {
  if (verdict !== null || isStillAdmitted(exchange, snapshots.current, Date.now())) return verdict
  return refuse(403, 'gate', 'access_ended', { close: true })
}

/** Refused, and the connection closed: what follows on it cannot be trusted to be where it seems. */
function answerUnreadable(
  exchange: Exchange,
  client: Client,
  { status, reason }: Unreadable,
  services: HandlerServices,
): void {
  noteSite(exchange)
  client.owner = new OwnAnswer(exchange, services)
  writeRefusal(exchange, client, refuse(status, 'gate', reason, { close: true }))
}

function conclude(asked: Asked, verdict: Verdict, services: HandlerServices): void {
  const { exchange, client, reading } = asked
  const { site, snapshot, event } = exchange
  if (verdict?.kind === 'body') {
    const judged = (result: Buffer | Refusal): Verdict | Promise<Verdict> =>
      Buffer.isBuffer(result) ? judgeSafely(() => verdict.judge(result), exchange, services) : result
    new SmallBody(client, event, verdict.bytesMax, (result) => proceed(asked, judged(result), services)).read(
      reading.expectsContinue,
    )
    return
  }
  if (site) redact(event, site, snapshot)
  if (verdict === null && site) {
    client.charge(FORWARDING_MS)
    new Forwarding(exchange, site, client, reading.expectsContinue, services).start()
    return
  }
  const owner = new OwnAnswer(exchange, services, verdict?.kind !== 'reply' || verdict.recorded)
  client.owner = owner
  if (client.gone) owner.onClientClosed()
  else if (verdict?.kind === 'reply') writeReply(exchange, client, verdict)
  else writeRefusal(exchange, client, finalFor(exchange, verdict ?? refuse(503, 'gate', 'unknown_host')))
}

/** A stranger's connection ends with its refusal: whoever goes on has to pay for another one. */
const finalFor = ({ researcher }: Exchange, refusal: Refusal): Refusal =>
  researcher ? refusal : { ...refusal, close: true }

/** An answer of the gate's own: recorded, where it is to be, when it is out or its connection is gone. */
class OwnAnswer implements ClientOwner {
  readonly #exchange: Exchange
  readonly #services: HandlerServices
  readonly #recorded: boolean

  constructor(exchange: Exchange, services: HandlerServices, recorded = true) {
    this.#exchange = exchange
    this.#services = services
    this.#recorded = recorded
  }

  onClientClosed(): void {
    const { event, startedAt } = this.#exchange
    event.durationUs = Math.round((performance.now() - startedAt) * 1000)
    this.#exchange.end()
    if (!this.#recorded) return
    this.#services.recorder.record(event)
    this.#services.onFinished(this.#exchange)
  }
  // The answer is in one piece, and nothing more of the request's body is read.
  onClientDrain(): void {}
  onClientBroken(): void {}
}
