/**
 * Sends batches with what the gateway says of itself, and reports without events: which revision it runs, how it finds the origins,
 * what waits in its journals.
 */
import { BATCH_FORMAT, type BatchHeader, type OriginHealth } from '@sallyport/contract/words'
import type { BatchClient, Delivery } from '../../control-plane/batch-client.ts'
import type { Log } from '../../settings.ts'

const REPORT_INTERVAL_MS = 1_000
const NOTHING = Buffer.alloc(0)

/** What a gateway says of itself with each batch. */
export interface GatewayReport
  extends Pick<BatchHeader, 'gatewayId' | 'revision' | 'assertionKeys' | 'journal'> {
  /** Origins whose health changed since this was last asked for. */
  readonly health: readonly OriginHealth[]
}

export interface BatchSenderOptions {
  readonly client: Pick<BatchClient, 'send'>
  readonly report: () => GatewayReport
  /** Which of the gateway's journals the batches are of; 0 for the first, or only one. */
  readonly journalNumber?: number
  readonly log: Log
}

export class BatchSender {
  readonly #options: BatchSenderOptions
  readonly #stop = new AbortController()
  /** Health that no accepted report has carried yet, by site. */
  readonly #health = new Map<string, OriginHealth>()
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

  /** Sends a batch once; never throws. */
  async send(batchId: string, events: number, body: Buffer, signal = this.#stop.signal): Promise<Delivery> {
    const { report, journalNumber = 0, client } = this.#options
    const { health, ...rest } = report()
    for (const origin of health) this.#health.set(origin.siteId, origin)
    const carried = [...this.#health.values()]
    const header: BatchHeader = {
      format: BATCH_FORMAT,
      ...rest,
      batchId,
      events,
      health: carried,
      ...(journalNumber > 0 && { journalNumber }),
    }
    const delivery = await client.send(header, body, signal)
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
      await this.send('', 0, NOTHING)
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
