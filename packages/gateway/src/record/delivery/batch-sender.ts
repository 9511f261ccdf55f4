/**
 * Sends batches with what the gateway says of itself, and reports without events: which revision it runs, how it finds the origins,
 * what waits in its journals.
 */
import {
  BATCH_FORMAT,
  type BatchHeader,
  type BatchPart,
  COMPRESSED_BATCH_FORMAT,
  type OriginHealth,
} from '@sallyport/contract/words'
import type { BatchClient, Delivery } from '../../control-plane/batch-client.ts'
import type { Log } from '../../settings.ts'

const REPORT_INTERVAL_MS = 1_000
const NOTHING = Buffer.alloc(0)
const REPORT: BatchPiece = { batchId: '', events: 0, lines: NOTHING, isCompressed: false }
/** Of how many origins a header tells at once; of further ones the next header does. It must fit with the events. */
const HEALTH_MAX = 500
/** What a header takes at most, with the keys and so much health. */
export const HEADER_BYTES_MAX = 192 * 1024

/** How a gateway finds an origin from now on, or that it does not know any more. */
export type HealthChange = OriginHealth | { readonly siteId: string; readonly state: 'unknown' }

/** What a gateway says of itself with each batch. */
export interface GatewayReport
  extends Pick<BatchHeader, 'gatewayId' | 'revision' | 'isDrained' | 'assertionKeys' | 'journal'> {
  /** Origins whose health changed since this was last asked for. */
  readonly health: readonly HealthChange[]
}

/** What is sent at once: a batch, or a part of one. */
export interface BatchPiece {
  /** Empty for a mere report. */
  readonly batchId: string
  /** Those in the lines. */
  readonly events: number
  readonly lines: Buffer
  readonly isCompressed: boolean
  readonly part?: BatchPart
}

export interface BatchSenderOptions {
  readonly client: Pick<BatchClient, 'send' | 'takesCompressed'>
  readonly report: () => GatewayReport
  /** Which of the gateway's journals the batches are of; 0 for the first, or only one. */
  readonly journalNumber?: number
  readonly log: Log
}

export class BatchSender {
  readonly #options: BatchSenderOptions
  readonly #stop = new AbortController()
  /** Health that no accepted report has carried yet, by site. */
  readonly #health = new Map<string, HealthChange>()
  #reportTimer: NodeJS.Timeout | undefined
  #reporting: Promise<void> = Promise.resolve()
  #isReporting = false
  #reportWanted = false
  /** What the control plane does not accept now. */
  readonly #kept = new Set<'report' | 'batch'>()

  /** Batches with events by how the control plane took them, with `_` in the place of a space. */
  readonly #uploads = new Map<string, number>()

  constructor(options: BatchSenderOptions) {
    this.#options = options
  }

  /** How often a batch was sent, by how the control plane took it. */
  get uploads(): ReadonlyMap<string, number> {
    return this.#uploads
  }

  /** Reports at once and every second from then on. */
  startReports(): void {
    this.#reportTimer = setInterval(() => this.reportNow(), REPORT_INTERVAL_MS)
    this.reportNow()
  }

  /** Reports to the control plane which revision this gateway runs: at once, or as soon as it has answered the last report. */
  reportNow(): void {
    this.#reportWanted = true
    if (!this.#isReporting) this.#reporting = this.#report()
  }

  /** Reports no more from now on. */
  stopReports(): void {
    clearInterval(this.#reportTimer)
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    this.stopReports()
    this.#stop.abort()
    await this.#reporting
  }

  /** Whether the control plane takes batches compressed, as far as is known. */
  get takesCompressed(): boolean {
    return this.#options.client.takesCompressed
  }

  /** Sends a batch or a part of one once; never throws. */
  async send(piece: BatchPiece, signal = this.#stop.signal): Promise<Delivery> {
    const { report, journalNumber = 0, client } = this.#options
    const { health, ...rest } = report()
    for (const origin of health) this.#health.set(origin.siteId, origin)
    const carried = [...this.#health.values().take(HEALTH_MAX)]
    const healthUnknown = carried.flatMap(({ siteId, state }) => (state === 'unknown' ? siteId : []))
    const { batchId, events, lines, isCompressed, part } = piece
    const header: BatchHeader = {
      format: isCompressed ? COMPRESSED_BATCH_FORMAT : BATCH_FORMAT,
      ...rest,
      batchId,
      events,
      ...(part && { part }),
      health: carried.filter((one) => one.state !== 'unknown'),
      ...(healthUnknown.length > 0 && { healthUnknown }),
      ...(journalNumber > 0 && { journalNumber }),
    }
    const delivery = await client.send(header, lines, signal)
    if (delivery.kind === 'accepted')
      for (const origin of carried)
        if (this.#health.get(origin.siteId) === origin) this.#health.delete(origin.siteId)
    this.#note(batchId === '' ? 'report' : 'batch', delivery, signal.aborted)
    return delivery
  }

  /** One report at a time: a control plane that does not answer must not find a heap of them when it does. */
  async #report(): Promise<void> {
    this.#isReporting = true
    while (this.#reportWanted && !this.#stop.signal.aborted) {
      this.#reportWanted = false
      await this.send(REPORT)
    }
    this.#isReporting = false
  }

  /** One line when the control plane goes away, one when it is back. */
  #note(what: 'report' | 'batch', delivery: Delivery, isStopping: boolean): void {
    const { log } = this.#options
    const result = delivery.kind.replaceAll(' ', '_')
    if (what === 'batch') this.#uploads.set(result, (this.#uploads.get(result) ?? 0) + 1)
    const wasAway = this.#kept.size > 0
    if (delivery.kind === 'again') this.#kept.add(what)
    else this.#kept.delete(what)
    if (delivery.kind === 'again' && !wasAway && !isStopping)
      log('warn', `the control plane does not take traffic (${delivery.reason}); it waits in the journal`)
    if (wasAway && this.#kept.size === 0) log('info', 'the control plane takes traffic again')
  }
}
