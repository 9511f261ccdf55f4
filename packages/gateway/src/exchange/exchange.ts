/**
 * One request on its way through the gateway: what changes per request lives here and nowhere else. Stages read the
 * request, fill in what they find out, and either let it pass or answer it.
 */
import type { EventDraft, Outcome, Reason, ResearcherConfig, SiteConfig } from '@sallyport/contract'
import type { HeaderBlock } from '../headers/header-block.ts'
import type { CompiledSite, Snapshot } from '../snapshot/snapshot.ts'

/** The request as it arrived: framing undone, nothing else changed. */
export interface ReceivedRequest {
  readonly method: string
  /** Request target, byte for byte (one character per byte). */
  readonly target: string
  readonly headers: HeaderBlock
  /** Those of `headers`: name, value, name, value …, in the order and the case in which they were sent. */
  readonly rawHeaders: readonly string[]
  readonly httpVersion: '1.0' | '1.1' | '2'
  /** Host header or `:authority`, lower case, without the port. */
  readonly host: string
  /** The port that the client named in it, empty where it named none. */
  readonly hostPort: string
  readonly secure: boolean
  readonly clientAddress: string
  /** Declared length of the body; null where it is chunked, 0 where there is none. */
  readonly bodyBytes: number | null
  /** True where the client asks for a protocol upgrade to WebSocket. */
  readonly websocket: boolean
  /** The `Sallyport-Key` header, empty where there is none. */
  readonly key: string
  /** Values of the `Cookie` headers. */
  readonly cookies: readonly string[]
  /** The `Accept` header, empty where there is none. */
  readonly accept: string
  /** True where it came to the proxy port by itself, and not in a tunnel: who it is from is asked as a proxy asks. */
  readonly isAskedOfProxy?: boolean
  /** True where it came by the proxy port in either way. */
  readonly isProxied?: boolean
}

/** Name and port under which the client sees the gated host, as in its Host header. */
export const gatedAuthority = ({ host, hostPort }: Pick<ReceivedRequest, 'host' | 'hostPort'>): string =>
  hostPort === '' ? host : `${host}:${hostPort}`

/** The gate's own answer in the origin's place, with why. */
export interface Refusal {
  readonly kind: 'refusal'
  readonly status: number
  readonly outcome: Exclude<Outcome, 'origin' | 'interrupted'>
  /** What is told. */
  readonly reason: Reason
  /** What is recorded instead, where whoever asked must not be told; empty where that is the same. */
  readonly recordedAs: Reason | ''
  /** The rule that refused: a block rule's id, a policy's name, a firewall rule's id; empty where there is none. */
  readonly rule: string
  /** The reading of the target that fell under the rule; empty where that has no meaning. */
  readonly reading: string
  /** Whole seconds after which a retry makes sense; 0 where it does not. */
  readonly retryAfterS: number
  /** True where the connection cannot be used further. */
  readonly close: boolean
  /** Where a browser is led instead, with a 3xx status; empty where it is not. */
  readonly location: string
  /** Replaces the reason's own sentence; empty for that sentence. */
  readonly detail: string
  /** Further members of the problem document. */
  readonly members: Readonly<Record<string, unknown>> | null
}

/** A page or a piece of data that the gate itself serves. */
export interface Reply {
  readonly kind: 'reply'
  readonly status: number
  /** Name, value, name, value …; Content-Length is added. */
  readonly headers: readonly string[]
  readonly body: string | Buffer
  /** False for what the researcher's page asks for by itself while it is open: it is no traffic of the site. */
  readonly recorded: boolean
}

/** The body of the request must be there before the gate itself can answer. */
export interface BodyWanted {
  readonly kind: 'body'
  /** A larger body is refused. */
  readonly bytesMax: number
  /** Called once with the whole body; may not want another one. */
  judge(body: Buffer): Answer | Promise<Answer>
}

/** What the gate answers by itself. */
export type Answer = Refusal | Reply

/** `null` lets the request pass to the next stage. */
export type Verdict = Answer | BodyWanted | null

/**
 * One step of the pipeline. Answers at once where it can: a promise costs a turn of the event loop, so only a stage
 * that truly waits (for a shared counter, for example) returns one.
 */
export type Stage = (exchange: Exchange) => Verdict | Promise<Verdict>

/** Looks at a request body on behalf of a stage. */
export interface BodyInspection {
  /** How many bytes are wanted at once. */
  readonly bytesMax: number
  /** True where nothing of the body may go to the origin before it was inspected. */
  readonly holds: boolean
  /**
   * Called once, with the first `bytesMax` bytes or the whole body where it is shorter, and whether it is whole.
   * A refusal is obeyed only where `holds`. It takes its time in slices, so that a large body keeps no other request
   * waiting, and the record is made only after it has settled (`Exchange.recordAfter`). It rejects by a fault of its own alone; what it holds
   * is refused then.
   */
  inspect(body: Buffer, whole: boolean): Promise<Refusal | null>
  /** Called with what follows, in order, each time after the call before has resolved; null for what nobody kept. */
  inspectRest(segment: Buffer | null): Promise<Refusal | null>
}

/** Another site of the organization, from a page of which a request is sent. */
export type SitePeer = Pick<SiteConfig, 'gatedName' | 'origin'>

export class Exchange {
  readonly request: ReceivedRequest
  readonly snapshot: Snapshot
  readonly event: EventDraft
  /** `performance.now()` when the head was complete. */
  readonly startedAt: number
  site: CompiledSite | null = null
  /** Where the request's `Origin` names one, and its site takes requests of such. */
  peer: SitePeer | null = null
  /** True of a CORS preflight without a credential that goes to the origin. */
  isForwardedPreflight = false
  researcher: ResearcherConfig | null = null
  /** The key that the researcher came in by, or that the session was begun by; empty for a session by invitation. */
  keyId = ''
  /** The instant at which this session or key lapses by itself, milliseconds since the epoch. */
  credentialExpiresAt: number | null = null
  /** Headers added to whatever is answered: name, value, name, value … */
  responseHeaders: string[] = []
  bodyInspection: BodyInspection | null = null
  /** Pending work that still writes into `event`; the record is made after it. Set by the caller of `BodyInspection.inspect`. */
  recordAfter: Promise<unknown> | null = null
  #onEnd: (() => void)[] | null = null

  constructor(request: ReceivedRequest, snapshot: Snapshot, event: EventDraft, startedAt: number) {
    this.request = request
    this.snapshot = snapshot
    this.event = event
    this.startedAt = startedAt
  }

  /** Calls `callback` once, when the exchange is over, however it ends: where a stage releases what it has acquired. */
  onEnd(callback: () => void): void {
    if (this.#onEnd) this.#onEnd.push(callback)
    else this.#onEnd = [callback]
  }

  /** Ends the exchange. Called once, by what answers it. */
  end(): void {
    const callbacks = this.#onEnd
    this.#onEnd = null
    if (callbacks) for (const callback of callbacks) callback()
  }
}

/** A refusal with the parts that most refusals do not need left at their neutral values. */
export const refuse = (
  status: number,
  outcome: Refusal['outcome'],
  reason: Reason,
  more: Partial<Omit<Refusal, 'kind' | 'status' | 'outcome' | 'reason'>> = {},
): Refusal => ({
  kind: 'refusal',
  status,
  outcome,
  reason,
  recordedAs: more.recordedAs ?? '',
  rule: more.rule ?? '',
  reading: more.reading ?? '',
  retryAfterS: more.retryAfterS ?? 0,
  close: more.close ?? false,
  location: more.location ?? '',
  detail: more.detail ?? '',
  members: more.members ?? null,
})

/** A stage or an inspection that fails lets nothing pass. */
export const refuseForFault = (): Refusal => refuse(500, 'gate', 'gate_error', { close: true })
