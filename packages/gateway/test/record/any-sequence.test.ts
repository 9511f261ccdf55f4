/**
 * Whatever happens to a journal, what is read back are exactly the events: one for each request, with its own sender, and a
 * batch that is built again has the same bytes.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { TrafficEvent } from '@sallyport/contract'
import type { JournalBatch, JournalReader } from '@sallyport/journal'
import fc from 'fast-check'
import { eventsOfLines } from '../../../../test/support/batch-lines.ts'
import { Lives } from '../../../../test/support/lives.ts'
import { TrafficJournal } from '../../src/record/traffic-journal.ts'
import { DEFAULT_JOURNAL_SETTINGS } from '../../src/settings.ts'
import { sampleEvent, temporaryDirectory } from './support.ts'

type Step =
  /** A request goes to its origin. */
  | { readonly kind: 'intend'; readonly sender: number }
  /** One of those under way ends. */
  | { readonly kind: 'end'; readonly which: number }
  | { readonly kind: 'refuse'; readonly sender: number }
  | { readonly kind: 'refuse stranger'; readonly sender: number }
  | { readonly kind: 'read ahead' }
  /** A batch is sent; `taken` says whether its acknowledgement comes back. */
  | { readonly kind: 'send'; readonly taken: boolean }
  /** The process ends, and the next one finds what it wrote. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'kill' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('intend'), sender: fc.nat(4) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('end'), which: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('refuse'), sender: fc.nat(4) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('refuse stranger'), sender: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'read ahead' } as const) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('send'), taken: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'stop' } as const, { kind: 'kill' } as const) },
)

/** A gateway's record over the lives of its processes, and what should be in it. */
class Run {
  readonly #lives: Lives
  #journal!: TrafficJournal
  #reader!: JournalReader
  /** Sent and not known to be taken: it must come again as it was. */
  #unanswered: { readonly id: string; readonly body: string } | undefined
  readonly #running: TrafficEvent[] = []
  readonly #expected = new Map<string, TrafficEvent>()
  readonly #stored = new Map<string, TrafficEvent>()
  #count = 0

  constructor(root: string) {
    this.#lives = new Lives(root)
  }

  async open(): Promise<void> {
    this.#journal = await TrafficJournal.open({
      ...DEFAULT_JOURNAL_SETTINGS,
      segmentBytesMax: 2_048,
      directory: this.#lives.directory,
      log: (_level, line) => assert.fail(line),
    })
    this.#reader = this.#journal.createReader()
    const resumed = await this.#reader.resume()
    assert.equal(resumed?.id, this.#unanswered?.id)
    if (resumed) await this.#deliver(resumed, true)
  }

  async take(next: Step): Promise<void> {
    if (next.kind === 'intend') {
      const event = this.#newEvent(next.sender)
      await this.#journal.intend(event)
      this.#running.push(event)
    } else if (next.kind === 'end') {
      const [event] = this.#running.splice(next.which % Math.max(1, this.#running.length), 1)
      if (event) this.#record(event)
    } else if (next.kind === 'refuse') this.#record(this.#newEvent(next.sender))
    else if (next.kind === 'refuse stranger')
      this.#record({ ...this.#newEvent(next.sender), researcherId: '', outcome: 'gate' })
    else if (next.kind === 'read ahead') await this.#reader.readAhead()
    else if (next.kind === 'send') await this.#send(next.taken)
    else await this.#restart(next.kind === 'kill')
  }

  /** Reads what is left and compares. */
  async finish(): Promise<void> {
    await this.#restart(false)
    await this.#send(true)
    assert.equal(this.#journal.progress().strangerBytes, 0, 'all that strangers caused was taken')
    assert.deepEqual(this.#stored, this.#expected)
    await this.close()
  }

  async close(): Promise<void> {
    await this.#reader.close()
    await this.#journal.close()
  }

  #newEvent(sender: number): TrafficEvent {
    this.#count += 1
    return sampleEvent(`${String(this.#count).padStart(6, '0')}`, {
      userAgent: `agent ${sender}`,
      researcherId: `researcher ${sender % 2}`,
      target: `/orders/${this.#count}?q`,
      path: `/orders/${this.#count}`,
    })
  }

  #record(event: TrafficEvent): void {
    this.#journal.record(event)
    this.#expected.set(event.id, event)
  }

  async #send(taken: boolean): Promise<void> {
    if (this.#unanswered) return
    await this.#journal.files.sync()
    const batch = await this.#reader.next()
    if (batch.events === 0) return
    const { id, from, to, events } = batch
    await this.#journal.files.seal({ id, from, to, events })
    await this.#deliver(batch, taken)
  }

  async #deliver(batch: JournalBatch, taken: boolean): Promise<void> {
    const { id, to, closedIntents, events } = batch
    const body = batch.body.toString('utf8')
    if (this.#unanswered) assert.equal(body, this.#unanswered.body)
    else
      for (const event of eventsOfLines(body.trimEnd().split('\n'))) {
        assert.ok(!this.#stored.has(event.id), `${event.id} comes twice`)
        this.#stored.set(event.id, event)
      }
    assert.equal(body.split('\n').filter((line) => line.startsWith('[')).length, events)
    this.#unanswered = taken ? undefined : { id, body }
    // As the uploader does: until the answer comes it sends nothing else, so only a death leaves a batch unanswered.
    if (!taken) return this.#restart(true)
    await this.#journal.files.acknowledge(to, { id, refused: false, tallies: batch.tallies, closedIntents })
    this.#reader.carryPinned()
    assert.ok(this.#journal.progress().strangerBytes >= 0)
  }

  async #restart(killed: boolean): Promise<void> {
    await this.#journal.files.sync()
    const { strangerBytes } = this.#journal.progress()
    await this.#lives.end(killed, () => this.close())
    for (const event of this.#running.splice(0)) this.#expected.set(event.id, interrupted(event))
    const isAnswered = this.#unanswered === undefined
    await this.open()
    // What was sent and not answered is sent again, and taken, while it opens.
    if (isAnswered) assert.equal(this.#journal.progress().strangerBytes, strangerBytes)
  }
}

const interrupted = (event: TrafficEvent): TrafficEvent => ({
  ...event,
  status: 0,
  outcome: 'interrupted',
  responseBytes: 0,
  durationUs: 0,
  firstByteUs: 0,
})

async function runAll(context: TestContext, steps: readonly Step[]): Promise<void> {
  const run = new Run(await temporaryDirectory(context))
  await run.open()
  try {
    for (const next of steps) await run.take(next)
    await run.finish()
  } catch (error) {
    await run.close()
    throw error
  }
}

test('any sequence of requests, ends, batches and deaths is read back as exactly its events', async (context) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => runAll(context, steps)),
    { numRuns: 60 },
  )
})
