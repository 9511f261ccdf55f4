/**
 * Whatever happens to a journal, what is read back are exactly its events: each once, whole, with its own sender; and a batch
 * that is built again has the same bytes.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { Lives } from '../../../test/support/lives.ts'
import { Journal, type JournalBatch, JournalReader } from '../src/index.ts'
import { temporaryDirectory } from './support.ts'

type Step =
  | {
      readonly kind: 'intend' | 'append'
      readonly sender: string
      readonly head: string
      readonly tail: string
    }
  /** One of the open events ends. */
  | { readonly kind: 'outcome' | 'replace'; readonly which: number; readonly tail: string }
  | { readonly kind: 'read ahead' }
  /** A batch is sent; `taken` says whether its acknowledgement comes back. */
  | { readonly kind: 'send'; readonly taken: boolean }
  /** The process ends, and the next one finds what it wrote. */
  | { readonly kind: 'stop' | 'kill' }

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
  { weight: 2, arbitrary: fc.constant({ kind: 'read ahead' as const }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('send' as const), taken: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'stop' as const }, { kind: 'kill' as const }) },
)

interface OpenEvent {
  readonly key: string
  readonly sender: string
  readonly head: string
  readonly tail: string
}

/** A journal over the lives of its processes, and what should be in it. */
class Run {
  readonly #lives: Lives
  #journal!: Journal
  #reader!: JournalReader
  #unanswered: { readonly id: string; readonly body: string } | undefined
  readonly #open: OpenEvent[] = []
  readonly #expected: string[] = []
  readonly #stored: string[] = []
  #count = 0

  constructor(root: string) {
    this.#lives = new Lives(root)
  }

  async open(): Promise<void> {
    this.#journal = await Journal.open({
      directory: this.#lives.directory,
      segmentBytesMax: 2_048,
      totalBytesMax: 2 ** 30,
      whenFull: 'stop',
      isMetered: (of) => of === 'metered',
      meteredPart: 1 / 20,
      log: (_level, line) => assert.fail(line),
    })
    this.#reader = new JournalReader(this.#journal, {
      eventsMax: 40,
      senderLine: (number, of) => `S${number}|${of}`,
      eventLineStart: (number) => `E${number}|`,
    })
    const resumed = await this.#reader.resume()
    assert.equal(resumed?.id, this.#unanswered?.id)
    if (resumed) await this.#deliver(resumed, true)
  }

  async do(next: Step): Promise<void> {
    // A metered sender does not intend.
    if (next.kind === 'intend' && next.sender !== 'metered')
      await this.#intend(next.sender, next.head, next.tail)
    else if (next.kind === 'append' || next.kind === 'intend') {
      this.#journal.append(next.sender, next.head, next.tail)
      this.#expected.push(`${next.sender}|${next.head}${next.tail}`)
    } else if (next.kind === 'outcome' || next.kind === 'replace') this.#end(next)
    else if (next.kind === 'read ahead') await this.#reader.readAhead()
    else if (next.kind === 'send') await this.#send(next.taken)
    else await this.#restart(next.kind === 'kill')
  }

  /** Reads what is left and compares. */
  async finish(): Promise<void> {
    await this.#restart(false)
    while (await this.#send(true));
    assert.equal(this.#journal.meteredBytes, 0, 'all that metered senders caused was acknowledged')
    assert.equal(this.#journal.status().pending, 0)
    assert.deepEqual(this.#stored.toSorted(), this.#expected.toSorted())
    await this.close()
  }

  async close(): Promise<void> {
    await this.#reader.close()
    await this.#journal.close()
  }

  async #intend(of: string, head: string, tail: string): Promise<void> {
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

  async #send(taken: boolean): Promise<boolean> {
    await this.#journal.sync()
    const batch = await this.#reader.next()
    if (batch.events === 0) return false
    const { id, from, to, events } = batch
    await this.#journal.seal({ id, from, to, events })
    await this.#deliver(batch, taken)
    return true
  }

  async #deliver(batch: JournalBatch, taken: boolean): Promise<void> {
    const { id, to, closedIntents, events } = batch
    const body = batch.body.toString('utf8')
    const stored = eventsOf(body)
    assert.equal(stored.length, events)
    if (this.#unanswered) assert.equal(body, this.#unanswered.body)
    else this.#stored.push(...stored)
    this.#unanswered = taken ? undefined : { id, body }
    if (!taken) return this.#restart(true)
    await this.#journal.acknowledge(to, { id, refused: false, tallies: batch.tallies, closedIntents })
    this.#reader.carryPinned()
    assert.ok(this.#journal.meteredBytes >= 0)
  }

  async #restart(killed: boolean): Promise<void> {
    await this.#journal.sync()
    const { meteredBytes } = this.#journal
    await this.#lives.end(killed, () => this.close())
    for (const { sender: of, head, tail } of this.#open.splice(0)) this.#expected.push(`${of}|${head}${tail}`)
    const isAnswered = this.#unanswered === undefined
    await this.open()
    if (isAnswered) assert.equal(this.#journal.meteredBytes, meteredBytes)
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
  const root = temporaryDirectory(context)
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      runs += 1
      const run = new Run(join(root, String(runs)))
      await run.open()
      try {
        for (const next of steps) await run.do(next)
        await run.finish()
      } catch (error) {
        await run.close()
        throw error
      }
    }),
    { numRuns: 60 },
  )
})
