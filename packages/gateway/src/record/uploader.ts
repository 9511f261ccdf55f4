/**
 * Sends the journal to the control plane, one batch after the other, each until it is acknowledged.
 *
 * The bounds of a batch are in the journal before it is first sent, so a gateway that dies in between sends the same
 * events under the same id when it is back. What the collector refuses can never be stored: it has quarantined it, and the
 * next batch goes. Anything else is tried again for ever, with growing pauses.
 */
import type { Journal, JournalBatch, JournalReader } from '@sallyport/journal'
import { backOffMs, pause } from '@sallyport/toolbox'
import type { Log } from '../settings.ts'
import { BatchDelivery, type BatchDeliveryOptions } from './delivery/batch-delivery.ts'
import type { TrafficJournal } from './traffic-journal.ts'

/** How long an event may wait for others to share its batch. */
const FLUSH_INTERVAL_MS = 200
/** A hundred requests or so at full load. */
const READ_INTERVAL_MS = 20
const RETRY = { minMs: 100, maxMs: 1_000 }

export interface UploaderOptions {
  readonly journal: TrafficJournal
  readonly sender: BatchDeliveryOptions['sender']
  readonly log: Log
}

export class Uploader {
  readonly #options: UploaderOptions
  readonly #journal: Journal
  readonly #reader: JournalReader
  readonly #stop = new AbortController()
  readonly #drain = new AbortController()
  readonly #delivery: BatchDelivery
  readonly #running: Promise<unknown>

  constructor(options: UploaderOptions) {
    this.#options = options
    this.#journal = options.journal.files
    this.#reader = options.journal.createReader()
    const { sender, log } = options
    this.#delivery = new BatchDelivery({ sender, journal: this.#journal, log })
    this.#running = this.#run()
  }

  /** Sends what is left, for at most `timeoutMs`; the rest stays in the journal for the next process. */
  async close(timeoutMs: number): Promise<void> {
    this.#drain.abort()
    const deadline = setTimeout(() => this.#stop.abort(), timeoutMs)
    await this.#running
    clearTimeout(deadline)
    this.#stop.abort()
    await this.#reader.close()
  }

  /** The reader, told how much of what it reads next will get through at once. */
  get #sized(): JournalReader {
    this.#reader.batchBytesMax = this.#delivery.batchBytesMax
    return this.#reader
  }

  async #run(): Promise<void> {
    const resumed = await this.#attempt(() => this.#reader.resume())
    if (resumed) await this.#deliver(resumed)
    while (!this.#stop.signal.aborted) {
      const draining = this.#drain.signal.aborted
      if (draining) await this.#journal.sync().catch(() => undefined)
      const batch = await this.#attempt(() => this.#sized.next())
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
      full = (await this.#attempt(() => this.#sized.readAhead())) ?? true
    }
  }

  async #seal(batch: JournalBatch): Promise<void> {
    const { id, from, to, events } = batch
    await this.#attempt(() => this.#journal.seal({ id, from, to, events }))
  }

  /** Sends a batch until it is acknowledged, and acknowledges it to the journal. One without events only moves the mark. */
  async #deliver(batch: JournalBatch): Promise<void> {
    const refused = batch.events > 0 ? await this.#delivery.deliver(batch, this.#stop.signal) : false
    if (refused === undefined) return
    const { id, to, tallies, closedIntents } = batch
    const sealed = batch.events > 0 || tallies.size > 0 ? { id, refused, tallies, closedIntents } : undefined
    await this.#attempt(() => this.#journal.acknowledge(to, sealed))
    this.#reader.carryPinned()
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
