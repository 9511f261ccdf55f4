/**
 * Whatever happens to a journal, what is read back are exactly its events: each once, whole, with its own sender; and a batch
 * that is built again has the same bytes.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  JournalLives,
  LIFE_STEPS,
  type LifeStep,
  type OpenedJournal,
} from '../../../test/support/journal-lives.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { Journal, JournalReader } from '../src/index.ts'

type Step =
  | {
      readonly kind: 'intend' | 'append'
      readonly sender: string
      readonly head: string
      readonly tail: string
    }
  /** One of the open events ends. */
  | { readonly kind: 'outcome' | 'replace'; readonly which: number; readonly tail: string }
  | LifeStep

/** Any text that has no line feed and says nothing of where it ends. */
const text = fc
  .string({ unit: 'binary', maxLength: 80 })
  .map((given) => given.toWellFormed().replaceAll(/[\n|]/g, '\r'))
const sender = fc.oneof(fc.constantFrom('sender one', 'metered', ''), text)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constantFrom('intend' as const, 'append' as const),
      sender,
      head: text,
      tail: text,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('outcome' as const, 'replace' as const),
      which: fc.nat(9),
      tail: text,
    }),
  },
  ...LIFE_STEPS,
)

interface OpenEvent {
  readonly key: string
  readonly sender: string
  readonly head: string
  readonly tail: string
}

class Run extends JournalLives<Step> {
  #journal!: Journal
  readonly #open: OpenEvent[] = []
  readonly #expected: string[] = []
  readonly #stored: string[] = []
  #count = 0

  protected async open(directory: string): Promise<OpenedJournal> {
    const journal = await Journal.open({
      directory,
      segmentBytesMax: 2_048,
      totalBytesMax: 2 ** 30,
      whenFull: 'stop',
      isMetered: (of) => of === 'metered',
      meteredPart: 1 / 20,
      log: (_level, line) => assert.fail(line),
    })
    const reader = new JournalReader(journal, {
      eventsMax: 40,
      senderLine: (number, of) => `S${number}|${of}`,
      eventLineStart: (number) => `E${number}|`,
    })
    this.#journal = journal
    return { files: journal, reader, close: () => journal.close() }
  }

  protected async take(step: Step): Promise<void> {
    if ('head' in step) await this.#begin(step)
    else if ('which' in step) this.#end(step)
    else await this.live(step)
  }

  protected meteredBytes(): number {
    return this.#journal.meteredBytes
  }

  protected store(body: string, events: number): void {
    const stored = eventsOf(body)
    assert.equal(stored.length, events)
    this.#stored.push(...stored)
  }

  protected interrupt(): void {
    for (const { sender: of, head, tail } of this.#open.splice(0)) this.#expected.push(`${of}|${head}${tail}`)
  }

  protected compare(): void {
    assert.deepEqual(this.#stored.toSorted(), this.#expected.toSorted())
  }

  async #begin({
    kind,
    sender: of,
    head,
    tail,
  }: Step & { readonly kind: 'intend' | 'append' }): Promise<void> {
    // A metered sender does not intend.
    if (kind === 'append' || of === 'metered') {
      this.#journal.append(of, head, tail)
      this.#expected.push(`${of}|${head}${tail}`)
      return
    }
    this.#count += 1
    const key = String(this.#count)
    await this.#journal.intend(key, head, { sender: of, head, tail })
    this.#open.push({ key, sender: of, head, tail })
  }

  #end({ kind, which, tail }: Step & { readonly kind: 'outcome' | 'replace' }): void {
    const [ended] = this.#open.splice(which % Math.max(1, this.#open.length), 1)
    if (!ended) return
    const intent = this.#journal.endIntent(ended.key) ?? assert.fail('the event is not open')
    assert.equal(intent.label, ended.head)
    if (kind === 'outcome') this.#journal.outcome(intent, tail)
    else this.#journal.replace(intent, ended.sender, `again ${ended.head}`, tail)
    this.#expected.push(`${ended.sender}|${kind === 'outcome' ? '' : 'again '}${ended.head}${tail}`)
  }
}

/** Each event of a batch after its sender. */
function eventsOf(body: string): string[] {
  const senders = new Map<string, string>()
  const events: string[] = []
  for (const line of body.split('\n').slice(0, -1)) {
    const bar = line.indexOf('|')
    const [number, rest] = [line.slice(1, bar), line.slice(bar + 1)]
    if (line.startsWith('S')) senders.set(number, rest)
    else events.push(`${senders.get(number) ?? assert.fail('a sender that no line declares')}|${rest}`)
  }
  return events
}

test('any sequence of events, ends, batches and deaths is read back as exactly its events', async (context) => {
  const root = temporaryFolder(context)
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
      runs += 1
      return new Run(join(root, String(runs))).run(steps)
    }),
    { numRuns: 60 },
  )
})
