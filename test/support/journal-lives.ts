/**
 * A journal over the lives of its processes: batches are sent and acknowledged, or the process dies before the answer, and
 * the next one finds what was written.
 */
import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Journal, JournalBatch, JournalReader } from '@sallyport/journal'
import fc from 'fast-check'

export type LifeStep =
  | { readonly kind: 'read ahead' }
  /** A batch is sent; `taken` says whether its acknowledgement comes back. */
  | { readonly kind: 'send'; readonly taken: boolean }
  /** The process ends, and the next one finds what it wrote. */
  | { readonly kind: 'stop' | 'kill' }

/** To be added to the steps of a test's own, which happen about three times as often. */
export const LIFE_STEPS: readonly fc.WeightedArbitrary<LifeStep>[] = [
  { weight: 2, arbitrary: fc.constant({ kind: 'read ahead' }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('send'), taken: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'stop' }, { kind: 'kill' }) },
]

/** An open journal and its reader. */
export interface OpenedJournal {
  readonly files: Journal
  readonly reader: JournalReader
  close(): Promise<void>
}

/** What happens to a journal, and what should be in it, which the test's own class knows. */
export abstract class JournalLives<Step> {
  readonly #root: string
  #life = 0
  #opened!: OpenedJournal
  /** Sent and not known to be taken: it must come again as it was. */
  #unanswered: { readonly id: string; readonly body: string } | undefined

  /** @param root a directory in which each life has its own, a copy of what the one before it left */
  constructor(root: string) {
    this.#root = root
  }

  protected abstract open(directory: string): Promise<OpenedJournal>
  protected abstract take(step: Step): Promise<void>
  /** What metered senders hold of the journal. */
  protected abstract meteredBytes(): number
  /** The events of a batch that is sent for the first time. */
  protected abstract store(body: string, events: number): void
  /** The process has ended, and with it the events that are still open. */
  protected abstract interrupt(): void
  /** Compares what was stored with what should be. */
  protected abstract compare(): void

  /** Takes all steps, then reads what is left and compares. The journal is closed at the end, whatever happens. */
  async run(steps: readonly Step[]): Promise<void> {
    await this.#begin()
    try {
      for (const step of steps) await this.take(step)
      await this.#restart(false)
      while (await this.#send(true));
      assert.equal(this.meteredBytes(), 0, 'all that metered senders caused was acknowledged')
      assert.equal(this.#opened.files.status().pending, 0)
      this.compare()
    } finally {
      await this.#close()
    }
  }

  protected async live(step: LifeStep): Promise<void> {
    if (step.kind === 'read ahead') await this.#opened.reader.readAhead()
    else if (step.kind === 'send') await this.#send(step.taken)
    else await this.#restart(step.kind === 'kill')
  }

  get #directory(): string {
    return join(this.#root, String(this.#life))
  }

  async #begin(): Promise<void> {
    this.#opened = await this.open(this.#directory)
    const resumed = await this.#opened.reader.resume()
    assert.equal(resumed?.id, this.#unanswered?.id)
    if (resumed) await this.#deliver(resumed, true)
  }

  async #close(): Promise<void> {
    await this.#opened.reader.close()
    await this.#opened.close()
  }

  async #send(taken: boolean): Promise<boolean> {
    const { files, reader } = this.#opened
    await files.sync()
    const batch = await reader.next()
    if (batch.events === 0) return false
    const { id, from, to, events } = batch
    await files.seal({ id, from, to, events })
    await this.#deliver(batch, taken)
    return true
  }

  async #deliver(batch: JournalBatch, taken: boolean): Promise<void> {
    const { id, to, tallies, closedIntents } = batch
    const body = batch.body.toString('utf8')
    if (this.#unanswered) assert.equal(body, this.#unanswered.body)
    else this.store(body, batch.events)
    this.#unanswered = taken ? undefined : { id, body }
    // Until the answer comes an uploader sends nothing else, so only a death leaves a batch unanswered.
    if (!taken) return this.#restart(true)
    await this.#opened.files.acknowledge(to, { id, refused: false, tallies, closedIntents })
    this.#opened.reader.carryPinned()
    assert.ok(this.meteredBytes() >= 0)
  }

  async #restart(killed: boolean): Promise<void> {
    await this.#opened.files.sync()
    const meteredBytes = this.meteredBytes()
    await this.#endLife(killed)
    this.interrupt()
    const isAnswered = this.#unanswered === undefined
    await this.#begin()
    // What was sent and not answered is sent again, and taken, while it opens.
    if (isAnswered) assert.equal(this.meteredBytes(), meteredBytes)
  }

  /** What a process that was `killed` leaves is a copy of its files at that instant; it itself is only tidied away. */
  async #endLife(killed: boolean): Promise<void> {
    const before = this.#directory
    if (!killed) await this.#close()
    this.#life += 1
    copyFolder(before, this.#directory)
    if (killed) await this.#close()
  }
}

/** Segments that were acknowledged are deleted behind the back of whoever waits, so one may be gone when it is its turn. */
function copyFolder(from: string, to: string): void {
  for (;;)
    try {
      cpSync(from, to, { recursive: true })
      return
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
      rmSync(to, { recursive: true, force: true })
    }
}
