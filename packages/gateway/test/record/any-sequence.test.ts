/**
 * Whatever happens to a journal, what is read back are exactly the events: one for each request, with its own sender, and a
 * batch that is built again has the same bytes.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TrafficEvent } from '@sallyport/contract'
import fc from 'fast-check'
import { eventsOfLines } from '../../../../test/support/batch-lines.ts'
import {
  JournalLives,
  LIFE_STEPS,
  type LifeStep,
  type OpenedJournal,
} from '../../../../test/support/journal-lives.ts'
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
  | LifeStep

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('intend'), sender: fc.nat(4) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('end'), which: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('refuse'), sender: fc.nat(4) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('refuse stranger'), sender: fc.nat(4) }) },
  ...LIFE_STEPS,
)

class Run extends JournalLives<Step> {
  #journal!: TrafficJournal
  readonly #running: TrafficEvent[] = []
  readonly #expected = new Map<string, TrafficEvent>()
  readonly #stored = new Map<string, TrafficEvent>()
  #count = 0

  protected async open(directory: string): Promise<OpenedJournal> {
    const journal = await TrafficJournal.open({
      ...DEFAULT_JOURNAL_SETTINGS,
      segmentBytesMax: 2_048,
      directory,
      log: (_level, line) => assert.fail(line),
    })
    this.#journal = journal
    return { files: journal.files, reader: journal.createReader(), close: () => journal.close() }
  }

  protected async take(step: Step): Promise<void> {
    if (step.kind === 'intend') {
      const event = this.#newEvent(step.sender)
      await this.#journal.intend(event)
      this.#running.push(event)
    } else if (step.kind === 'end') {
      const [event] = this.#running.splice(step.which % Math.max(1, this.#running.length), 1)
      if (event) this.#record(event)
    } else if (step.kind === 'refuse') this.#record(this.#newEvent(step.sender))
    else if (step.kind === 'refuse stranger')
      this.#record({ ...this.#newEvent(step.sender), researcherId: '', outcome: 'gate' })
    else await this.live(step)
  }

  protected meteredBytes(): number {
    return this.#journal.progress().strangerBytes
  }

  protected store(body: string, events: number): void {
    const lines = body.trimEnd().split('\n')
    for (const event of eventsOfLines(lines)) {
      assert.ok(!this.#stored.has(event.id), `${event.id} comes twice`)
      this.#stored.set(event.id, event)
    }
    assert.equal(lines.filter((line) => line.startsWith('[')).length, events)
  }

  protected interrupt(): void {
    for (const event of this.#running.splice(0)) this.#expected.set(event.id, interrupted(event))
  }

  protected compare(): void {
    assert.deepEqual(this.#stored, this.#expected)
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
}

const interrupted = (event: TrafficEvent): TrafficEvent => ({
  ...event,
  status: 0,
  outcome: 'interrupted',
  responseBytes: 0,
  durationUs: 0,
  firstByteUs: 0,
})

test('any sequence of requests, ends, batches and deaths is read back as exactly its events', async (context) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) =>
      new Run(await temporaryDirectory(context)).run(steps),
    ),
    { numRuns: 60 },
  )
})
