/**
 * Sends the journal to the control plane, one batch after the other, each until it is acknowledged.
 *
 * The bounds of a batch are in the journal before it is first sent, so a gateway that dies in between sends the same
 * events under the same id when it is back. What the collector refuses can never be taken: it has set it aside, and the
 * next batch goes. Anything else is tried again for ever, with growing pauses.
 */
import { BATCH_FORMAT, type BatchHeader, type OriginHealth } from '@sallyport/contract/words'
import type { Journal, JournalBatch, JournalReader } from '@sallyport/journal'
import { backOffMs, pause } from '@sallyport/toolbox'
import type { BatchClient, Delivery } from '../control-plane/batch-client.ts'
import type { Log } from '../settings.ts'
import type { TrafficJournal } from './traffic-journal.ts'

/** How long an event may wait for others to share its batch. */
const FLUSH_INTERVAL_MS = 200
/** A hundred requests or so at full load. */
const READ_INTERVAL_MS = 20
const REPORT_INTERVAL_MS = 1_000
const RETRY = { minMs: 100, maxMs: 2_000 }
const NOTHING = Buffer.alloc(0)

/** What a gateway says of itself with each batch. */
export interface GatewayReport extends Pick<BatchHeader, 'gatewayId' | 'revision' | 'assertionKeys'> {
  /** Origins whose health changed since this was last asked for. */
  readonly health: readonly OriginHealth[]
}

export interface UploaderOptions {
  readonly journal: TrafficJournal
  readonly client: BatchClient
  readonly report: () => GatewayReport
  readonly log: Log
}

export class Uploader {
  readonly #options: UploaderOptions
  readonly #journal: Journal
  readonly #reader: JournalReader
  readonly #stop = new AbortController()
  readonly #drain = new AbortController()
  /** Health that no accepted report has carried yet, by site. */
  readonly #health = new Map<string, OriginHealth>()
  readonly #running: Promise<unknown>
  #reportTimer: NodeJS.Timeout
  #reporting: Promise<void> = Promise.resolve()
  #isReporting = false
  #reportWanted = false
  /** What the control plane does not take now. */
  readonly #kept = new Set<'report' | 'batch'>()

  constructor(options: UploaderOptions) {
    this.#options = options
    this.#journal = options.journal.files
    this.#reader = options.journal.createReader()
    this.#running = this.#run()
    this.#reportTimer = setInterval(() => this.reportNow(), REPORT_INTERVAL_MS)
    this.reportNow()
  }

  /** Tells the control plane which revision this gateway runs: at once, or as soon as it has answered the last report. */
  reportNow(): void {
    this.#reportWanted = true
    if (!this.#isReporting) this.#reporting = this.#report()
  }

  /** Sends what is left, for at most `timeoutMs`; the rest stays in the journal for the next process. */
  async close(timeoutMs: number): Promise<void> {
    clearInterval(this.#reportTimer)
    this.#drain.abort()
    const deadline = setTimeout(() => this.#stop.abort(), timeoutMs)
    await this.#running
    clearTimeout(deadline)
    this.#stop.abort()
    await this.#reporting
    await this.#reader.close()
  }

  /** One report at a time: a control plane that does not answer must not find a heap of them when it does. */
  async #report(): Promise<void> {
    this.#isReporting = true
    while (this.#reportWanted && !this.#stop.signal.aborted) {
      this.#reportWanted = false
      await this.#send('', 0, NOTHING)
    }
    this.#isReporting = false
  }

  async #run(): Promise<void> {
    const resumed = await this.#attempt(() => this.#reader.resume())
    if (resumed) await this.#deliver(resumed)
    while (!this.#stop.signal.aborted) {
      const draining = this.#drain.signal.aborted
      if (draining) await this.#journal.sync().catch(() => undefined)
      const batch = await this.#attempt(() => this.#reader.next())
      if (!batch) return
      if (batch.events > 0) await this.#seal(batch)
      await this.#deliver(batch)
      if (draining && batch.events === 0) return
      if (!batch.full && !draining) await this.#wait()
    }
  }

  /** Until it is time for the next batch. What comes is read meanwhile, so that it does not hold up requests all at once. */
  async #wait(): Promise<void> {
    const { signal } = this.#drain
    const end = performance.now() + FLUSH_INTERVAL_MS
    let full = false
    for (let left = FLUSH_INTERVAL_MS; left > 0 && !full && !signal.aborted; left = end - performance.now()) {
      const isIdle = this.#journal.status().pending === 0
      await pause(isIdle ? left : Math.min(left, READ_INTERVAL_MS), signal)
      full = (await this.#attempt(() => this.#reader.readAhead())) ?? true
    }
  }

  async #seal(batch: JournalBatch): Promise<void> {
    const { id, from, to, events } = batch
    await this.#attempt(() => this.#journal.seal({ id, from, to, events }))
  }

  /** Sends a batch until it is taken, and lets the journal forget it. One without events only moves the mark. */
  async #deliver(batch: JournalBatch): Promise<void> {
    const refused = batch.events > 0 ? await this.#sendUntilTaken(batch) : false
    if (refused === undefined) return
    const { id, to, taken, closed } = batch
    const sealed = batch.events > 0 || taken.size > 0 ? { id, refused, taken, closed } : undefined
    await this.#attempt(() => this.#journal.acknowledge(to, sealed))
    this.#reader.carryPinned()
  }

  /** Whether the batch was refused for good; undefined where the gateway stops first. */
  async #sendUntilTaken(batch: JournalBatch): Promise<boolean | undefined> {
    for (let attempt = 0; !this.#stop.signal.aborted; attempt += 1) {
      const delivery = await this.#send(batch.id, batch.events, batch.body)
      if (delivery.kind === 'accepted') return false
      if (delivery.kind === 'refused') {
        this.#options.log(
          'error',
          `the control plane set batch ${batch.id} aside (${batch.events} events): ${delivery.reason}`,
        )
        return true
      }
      await pause(backOffMs(attempt, RETRY), this.#stop.signal)
    }
    return undefined
  }

  async #send(batchId: string, events: number, body: Buffer): Promise<Delivery> {
    const { health, ...report } = this.#options.report()
    for (const origin of health) this.#health.set(origin.siteId, origin)
    const carried = [...this.#health.values()]
    const { pending, pendingBytes, damagedBytes } = this.#journal.status()
    const header: BatchHeader = {
      format: BATCH_FORMAT,
      ...report,
      batchId,
      events,
      health: carried,
      journal: { pending, pendingBytes, damagedBytes },
    }
    const delivery = await this.#options.client.send(header, body, this.#stop.signal)
    if (delivery.kind === 'accepted')
      for (const origin of carried)
        if (this.#health.get(origin.siteId) === origin) this.#health.delete(origin.siteId)
    this.#note(batchId === '' ? 'report' : 'batch', delivery)
    return delivery
  }

  /** One line when the control plane goes away, one when it is back. */
  #note(what: 'report' | 'batch', delivery: Delivery): void {
    const { log } = this.#options
    const wasAway = this.#kept.size > 0
    if (delivery.kind === 'again') this.#kept.add(what)
    else this.#kept.delete(what)
    if (delivery.kind === 'again' && !wasAway && !this.#stop.signal.aborted)
      log('warn', `the control plane does not take traffic (${delivery.reason}); it waits in the journal`)
    if (wasAway && this.#kept.size === 0) log('info', 'the control plane takes traffic again')
  }

  /** Does something with the journal's files until it succeeds or the gateway stops. */
  async #attempt<T>(act: () => Promise<T>): Promise<T | undefined> {
    for (let attempt = 0; !this.#stop.signal.aborted; attempt += 1) {
      try {
        return await act()
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        if (attempt === 0) this.#options.log('error', `the journal cannot be worked with: ${why}`)
        await pause(backOffMs(attempt, RETRY), this.#stop.signal)
      }
    }
    return undefined
  }
}
