/**
 * Reads the journal back, in the order in which it was written, and puts batches together.
 *
 * A batch is the events between two positions, so the same two positions always give the same bytes. An event whose
 * intent lies in another place is joined from the two halves; the intents of requests under way are kept in memory.
 */
import { randomUUID } from 'node:crypto'
import { open } from 'node:fs/promises'
import { BatchDraft } from './batch-draft.ts'
import type { Journal } from './journal.ts'
import { PassingMap } from './passing-map.ts'
import { comparePositions, type Position } from './position.ts'
import { findNextRecord, isEventRecord, RECORD_KINDS, type RecordView, readRecord } from './record-codec.ts'
import type { SealedBatch } from './recovery.ts'
import type { Segment, Tally } from './segments.ts'

const CHUNK_BYTES = 1024 * 1024

/** Events to be sent together. */
export interface Batch extends SealedBatch {
  /** Newline-delimited JSON, one event a line. Good until the next batch is read. */
  readonly body: Buffer
  readonly taken: ReadonlyMap<number, Tally>
  readonly closed: readonly number[]
  /** True where there was no room for all that waited. */
  readonly full: boolean
}

/** An intent that was read: where its payload lies, which is in bytes of its own once the next chunk is read. */
interface KnownIntent {
  segment: number
  bytes: Buffer
  start: number
  /** Where its head ends. */
  split: number
  end: number
  carried: boolean
}

export class JournalReader {
  readonly #journal: Journal
  readonly #intents = new PassingMap<number, KnownIntent>()
  /** Events before this were acknowledged to an earlier process. */
  readonly #from: Position
  /** The last segment that an earlier process wrote: its records are verified, ours are known. */
  readonly #lastForeign: number
  #at: Position = { segment: 0, offset: 0 }
  readonly #draft = new BatchDraft()
  /** Where the batch under way began; undefined between batches. */
  #draftFrom: Position | undefined
  #chunk = Buffer.allocUnsafe(CHUNK_BYTES)

  constructor(journal: Journal) {
    this.#journal = journal
    this.#from = journal.recovered.acknowledged
    this.#lastForeign = journal.recovered.segments.at(-1)?.number ?? 0
  }

  /** The batch that an earlier process sealed and nobody acknowledged, rebuilt; it goes first. */
  async resume(): Promise<Batch | undefined> {
    const { sealed } = this.#journal.recovered
    return sealed ? { ...(await this.#read(sealed.to, false)), id: sealed.id } : undefined
  }

  /** What waits, as far as it fits into a batch; without events where nothing does. */
  next(): Promise<Batch> {
    return this.#read(this.#journal.end, true)
  }

  /** Lets go of a segment that only running requests keep: their intents are written again, at the end. */
  carryPinned(): void {
    const pinned = this.#journal.pinned
    if (pinned === undefined) return
    for (const [reference, intent] of this.#intents) {
      if (intent.segment !== pinned || intent.carried) continue
      intent.carried = true
      const head = intent.bytes.toString('utf8', intent.start, intent.split)
      this.#journal.carry(reference, head, intent.bytes.toString('utf8', intent.split, intent.end))
    }
  }

  async #read(until: Position, bounded: boolean): Promise<Batch> {
    const draft = this.#draft
    // A failed read leaves what was taken before it, so that trying again neither loses nor repeats it.
    if (!this.#draftFrom) draft.clear()
    this.#draftFrom ??= this.#at
    const from = this.#draftFrom
    while (!(bounded && draft.full) && comparePositions(this.#at, until) < 0) {
      const segment = this.#enterSegment()
      const end = segment && this.#stretchEnd(segment, until)
      if (!segment || end === undefined) break
      if (end === this.#at.offset) continue
      const bytes = await this.#readChunk(segment.path, this.#at.offset, end)
      await this.#consume(segment, bytes, end, draft, bounded)
    }
    this.#draftFrom = undefined
    const { events, body, taken, closed } = draft
    return { id: randomUUID(), from, to: this.#at, events, body, taken, closed, full: bounded && draft.full }
  }

  /** The segment to read on in: the present one, or the next one there is once that is read or gone. */
  #enterSegment(): Segment | undefined {
    const { segments } = this.#journal
    const present = segments.find(this.#at.segment)
    if (present && (present === segments.newest || this.#at.offset < present.bytes)) return present
    const next = segments.after(this.#at.segment)
    if (next) this.#at = { segment: next.number, offset: 0 }
    return next
  }

  /** Up to where the segment can be read in one go; steps over a damaged stretch that begins here. */
  #stretchEnd(segment: Segment, until: Position): number | undefined {
    const damage = segment.damage.find((stretch) => stretch.end > this.#at.offset)
    if (damage && damage.start <= this.#at.offset) {
      this.#at = { segment: segment.number, offset: damage.end }
      return damage.end
    }
    const written = segment === this.#journal.segments.newest ? this.#journal.end.offset : segment.bytes
    const limit = until.segment === segment.number ? Math.min(written, until.offset) : written
    return Math.min(limit, damage?.start ?? limit)
  }

  async #consume(
    segment: Segment,
    bytes: Buffer,
    end: number,
    draft: BatchDraft,
    bounded: boolean,
  ): Promise<void> {
    const verify = segment.number <= this.#lastForeign
    const start = this.#at.offset
    const fresh: number[] = []
    let at = 0
    while (at < bytes.length && !(bounded && draft.full)) {
      const record = readRecord(bytes, at, bytes.length, verify)
      if (record) {
        if (record.kind === RECORD_KINDS.intent) {
          this.#know(segment.number, bytes, record)
          fresh.push(record.reference)
        } else if (isEventRecord(record.kind)) await this.#take(segment, start + at, bytes, at, record, draft)
        at = record.end
      } else if (at > 0 && start + bytes.length < end) break
      else {
        const next = findNextRecord(bytes, at + 1)
        await this.#journal.setAside(
          segment.number,
          start + at,
          bytes.subarray(at, next),
          'not a whole record when it was read back',
        )
        at = next
      }
    }
    this.#at = { segment: segment.number, offset: start + at }
    this.#detach(fresh)
  }

  #know(segment: number, bytes: Buffer, record: RecordView): void {
    const { reference, payloadStart: start, split, end } = record
    const known = this.#intents.get(reference)
    this.#journal.moveIntent(known?.segment, segment)
    this.#intents.set(reference, { segment, bytes, start, split: start + split, end, carried: false })
  }

  /** Intents that outlive the chunk they were read from get bytes of their own, so that the chunk can be used again. */
  #detach(references: readonly number[]): void {
    for (const reference of references) {
      const intent = this.#intents.get(reference)
      if (!intent) continue
      intent.bytes = Buffer.from(intent.bytes.subarray(intent.start, intent.end))
      intent.split -= intent.start
      intent.end -= intent.start
      intent.start = 0
    }
  }

  async #take(
    segment: Segment,
    offset: number,
    bytes: Buffer,
    at: number,
    record: RecordView,
    draft: BatchDraft,
  ): Promise<void> {
    const intent = this.#intents.get(record.reference)
    this.#intents.delete(record.reference)
    if (comparePositions({ segment: segment.number, offset }, this.#from) < 0) {
      this.#journal.moveIntent(intent?.segment, undefined)
      return
    }
    draft.take(segment.number, record.end - at)
    if (intent) draft.closed.push(intent.segment)
    if (record.kind !== RECORD_KINDS.outcome) draft.addLine(bytes, record.payloadStart, record.end)
    else if (intent) {
      draft.addPart(intent.bytes, intent.start, intent.split)
      draft.addLine(bytes, record.payloadStart, record.end)
    } else
      await this.#journal.setAside(
        segment.number,
        offset,
        bytes.subarray(at, record.end),
        'the end of a request of which the beginning is lost',
      )
  }

  /** Reads a piece of a file, long enough to hold at least one whole record. */
  async #readChunk(path: string, start: number, end: number): Promise<Buffer> {
    const handle = await open(path, 'r')
    try {
      for (;;) {
        const wanted = Math.min(this.#chunk.length, end - start)
        const { bytesRead } = await handle.read(this.#chunk, 0, wanted, start)
        const all = bytesRead < wanted || wanted === end - start
        if (all || readRecord(this.#chunk, 0, bytesRead, false)) return this.#chunk.subarray(0, bytesRead)
        this.#chunk = Buffer.allocUnsafe(this.#chunk.length * 2)
      }
    } finally {
      await handle.close()
    }
  }
}
