/**
 * Reads the journal back, in the order in which it was written, and puts batches together.
 *
 * A batch is the events between two positions, so the same two positions always give the same bytes. An event whose
 * intent lies in another place is joined from the two halves; the intents of events that have not ended are kept in memory,
 * each with its sender. A batch declares each sender under its number in the journal, before the first event that names it.
 */
import { randomUUID } from 'node:crypto'
import { BatchDraft, type Piece, type SenderLines } from './batch-draft.ts'
import { ChunkReader } from './chunk-reader.ts'
import type { Journal } from './journal.ts'
import type { WrittenIntent } from './journal-options.ts'
import { PassingMap } from './passing-map.ts'
import { findNextRecord, isEventRecord, RECORD_KINDS, type RecordView, readRecord } from './record-format.ts'
import {
  comparePositions,
  type JournalPosition,
  type SealedBatch,
  type Segment,
  type Tally,
} from './segments.ts'
import { LastSenders, MeteredBytes } from './senders.ts'

/** How a batch is written: what stands around the texts of senders and events, which are between two line feeds. */
export interface BatchFormat {
  readonly eventsMax: number
  /** The line that declares a sender. */
  readonly senderLine: (number: number, sender: string) => string
  /** What stands before the text of an event of that sender. */
  readonly eventLineStart: (number: number) => string
}

/** Events to be sent together. */
export interface JournalBatch extends SealedBatch {
  /** The lines of the batch. They are overwritten when reading goes on. */
  readonly body: Buffer
  /** How many events of which segment these are. */
  readonly tallies: ReadonlyMap<number, Tally>
  /** The segments of the intents that these events close, one for each. */
  readonly closedIntents: readonly number[]
  /** True where there was no room for all that waited. */
  readonly full: boolean
}

/** A sender that was read. */
interface KnownSender extends SenderLines {
  readonly text: string
}

/** An intent that was read: where its head lies, which is in bytes of its own once the next chunk is read. */
interface KnownIntent extends Piece {
  readonly segment: number
  readonly sender: KnownSender
  bytes: Buffer
  start: number
  end: number
  /** Behind the head, up to here: how it ends if the process dies. */
  tailEnd: number
  carried: boolean
  closed: boolean
}

/** A piece of a segment that is being read. */
interface Chunk {
  readonly segment: Segment
  readonly bytes: Buffer
  /** Where in the segment it begins. */
  readonly start: number
  /** Those in it. */
  readonly intents: KnownIntent[]
  readonly unusable: { readonly at: number; readonly end: number; readonly reason: string }[]
}

export class JournalReader {
  readonly #journal: Journal
  readonly #format: BatchFormat
  readonly #intents = new PassingMap<number, KnownIntent>()
  /** Those of the segment that is being read. */
  readonly #senders = new LastSenders<number, KnownSender>()
  readonly #metered: MeteredBytes
  /** Events before this were acknowledged to an earlier process. */
  readonly #from: JournalPosition
  /** The last segment that an earlier process wrote: its records are verified, ours are known. */
  readonly #lastForeign: number
  #at: JournalPosition = { segment: 0, offset: 0 }
  readonly #draft: BatchDraft
  /** Where the batch under way began; undefined between batches. */
  #draftFrom: JournalPosition | undefined
  readonly #chunks = new ChunkReader()
  /** Intents of which the ends may be gone, and up to where those would lie; undefined while nothing was lost. */
  #lostEnds: 'to be looked for' | { readonly ended: number[]; readonly until: JournalPosition } | undefined

  constructor(journal: Journal, format: BatchFormat) {
    this.#journal = journal
    this.#format = format
    this.#metered = new MeteredBytes(journal.isMetered)
    this.#draft = new BatchDraft(format.eventsMax)
    this.#from = journal.recovered.acknowledged
    this.#lastForeign = journal.recovered.segments.at(-1)?.number ?? 0
  }

  /** No event is added to a batch from this size on; a batch that was sealed before stays as large as it was. */
  set batchBytesMax(bytes: number) {
    this.#draft.bytesMax = bytes
  }

  /** The batch that an earlier process sealed and nobody acknowledged, rebuilt; it goes first. */
  async resume(): Promise<JournalBatch | undefined> {
    const { sealed } = this.#journal.recovered
    if (!sealed) return undefined
    await this.#readOn(sealed.to, false)
    return { ...this.#finish(), id: sealed.id }
  }

  /**
   * Reads what has been written meanwhile, so that little is left to do at once when the batch is wanted. Says whether
   * the batch has no room for more. The bytes that `next` returned last are overwritten.
   */
  async readAhead(): Promise<boolean> {
    await this.#readOn(this.#journal.end, true)
    return this.#draft.full
  }

  /** What waits, as far as it fits into a batch; without events where nothing waits. */
  async next(): Promise<JournalBatch> {
    await this.#readOn(this.#journal.end, true)
    return this.#finish()
  }

  /** Closes what it reads from. */
  close(): Promise<void> {
    return this.#chunks.close()
  }

  /** Frees a segment that only open intents keep: those are written again, at the end of the journal. */
  carryPinned(): void {
    this.#endWithoutEnds()
    const pinned = this.#journal.pinned
    if (pinned === undefined) return
    const pinning: WrittenIntent[] = []
    for (const [reference, intent] of this.#intents) {
      if (intent.segment !== pinned || intent.carried) continue
      intent.carried = true
      const [head, tail] = textsOf(intent)
      pinning.push({ reference, sender: intent.sender.text, head, tail })
    }
    if (pinning.length > 0) this.#journal.carry(pinning)
  }

  /** Reads on up to there, into the batch under way. */
  async #readOn(until: JournalPosition, bounded: boolean): Promise<void> {
    const draft = this.#draft
    // A failed read leaves what was read before it, so that trying again neither loses nor repeats it.
    if (!this.#draftFrom) draft.clear()
    this.#draftFrom ??= this.#at
    while (!(bounded && draft.full) && comparePositions(this.#at, until) < 0) {
      const segment = this.#enterSegment()
      const end = segment && this.#stretchEnd(segment, until)
      if (!segment || end === undefined) break
      if (end === this.#at.offset) continue
      const bytes = await this.#readChunk(segment, end)
      if (bytes.length > 0) await this.#consume(segment, bytes, end, draft, bounded)
      else this.#stepOverLost(segment, end)
    }
  }

  /** No bytes where there are none any more. The segment being written is put back by its writer, so it is waited for. */
  async #readChunk(segment: Segment, end: number): Promise<Buffer> {
    const isWritten = segment === this.#journal.segments.newest
    try {
      return await this.#chunks.read(segment, this.#at.offset, end)
    } catch (error) {
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      if (!isGone || isWritten) throw error
      return Buffer.alloc(0)
    }
  }

  #stepOverLost(segment: Segment, end: number): void {
    const { offset } = this.#at
    const read = this.#draft.tallies.get(segment.number)?.events ?? 0
    this.#journal.quarantine.noteLost(segment.number, offset, end - offset, segment.pending.events - read)
    this.#at = { segment: segment.number, offset: end }
    this.#lostEnds ??= 'to be looked for'
  }

  /**
   * The ends of intents may be among what is gone. An intent that has ended, and of which the end is not met by the time all that
   * was written then is read, ends as if the process had died, or it would hold its segment for ever.
   */
  #endWithoutEnds(): void {
    const journal = this.#journal
    if (this.#lostEnds === 'to be looked for') {
      const open = journal.openReferences
      const ended = Array.from(this.#intents, ([reference]) => reference).filter((one) => !open.has(one))
      this.#lostEnds = { ended, until: journal.appendedEnd }
    }
    if (!this.#lostEnds || comparePositions(this.#at, this.#lostEnds.until) < 0) return
    for (const reference of this.#lostEnds.ended) {
      const intent = this.#intents.get(reference)
      if (intent) journal.replace({ reference, label: '' }, intent.sender.text, ...textsOf(intent))
    }
    this.#lostEnds = undefined
  }

  #finish(): JournalBatch {
    const { events, body, tallies, closedIntents, full } = this.#draft
    const from = this.#draftFrom ?? this.#at
    this.#draftFrom = undefined
    return { id: randomUUID(), from, to: this.#at, events, body, tallies, closedIntents, full }
  }

  /** The segment to read on in: the present one, or the next one there is once that is read or gone. */
  #enterSegment(): Segment | undefined {
    const { segments } = this.#journal
    const present = segments.find(this.#at.segment)
    if (present && (present === segments.newest || this.#at.offset < present.bytes)) return present
    const next = segments.after(this.#at.segment)
    if (next) {
      this.#at = { segment: next.number, offset: 0 }
      this.#senders.clear()
      this.#metered.clear()
    }
    return next
  }

  /** Up to where the segment can be read in one go; steps over a damaged stretch that begins here. */
  #stretchEnd(segment: Segment, until: JournalPosition): number | undefined {
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
    const chunk: Chunk = { segment, bytes, start: this.#at.offset, intents: [], unusable: [] }
    let at = 0
    while (at < bytes.length && !(bounded && draft.full)) {
      const record = readRecord(bytes, at, bytes.length, verify)
      if (record) {
        this.#consumeRecord(chunk, at, record, draft)
        at = record.end
      } else if (at > 0 && chunk.start + bytes.length < end) break
      else {
        const next = findNextRecord(bytes, at + 1)
        chunk.unusable.push({ at, end: next, reason: 'not a whole record when it was read back' })
        at = next
      }
    }
    this.#at = { segment: segment.number, offset: chunk.start + at }
    detach(chunk.intents)
    for (const { at: from, end: to, reason } of chunk.unusable)
      await this.#journal.quarantine.addDamaged({
        segment: segment.number,
        start: chunk.start + from,
        bytes: bytes.subarray(from, to),
        reason,
      })
  }

  #consumeRecord(chunk: Chunk, at: number, record: RecordView, draft: BatchDraft): void {
    if (record.kind === RECORD_KINDS.intent) this.#addIntent(chunk, at, record)
    else if (isEventRecord(record.kind)) this.#addEvent(chunk, at, record, draft)
    else if (record.kind === RECORD_KINDS.sender) this.#addSender(chunk.bytes, record)
  }

  #addSender(bytes: Buffer, { sender: number, payloadStart, end }: RecordView): void {
    const text = bytes.toString('utf8', payloadStart, end)
    this.#metered.declare(number, text)
    this.#senders.add(number, {
      text,
      declaration: Buffer.from(`${this.#format.senderLine(number, text)}\n`),
      lineStart: Buffer.from(this.#format.eventLineStart(number)),
      batch: 0,
    })
  }

  #addIntent({ segment, bytes, intents, unusable }: Chunk, at: number, record: RecordView): void {
    const { reference, payloadStart: start, split, end } = record
    const known = this.#intents.get(reference)
    const sender = this.#senders.get(record.sender)
    if (!sender) {
      unusable.push({ at, end, reason: 'a request of which the sender is lost' })
      return
    }
    this.#journal.moveIntent(known?.segment, segment.number)
    const lies = { segment: segment.number, sender, bytes, start, end: start + split, tailEnd: end }
    const intent = { ...lies, carried: false, closed: false }
    this.#intents.set(reference, intent)
    intents.push(intent)
  }

  #addEvent(
    { segment, bytes, start, unusable }: Chunk,
    at: number,
    record: RecordView,
    draft: BatchDraft,
  ): void {
    const { payloadStart, end } = record
    const intent = this.#intents.get(record.reference)
    if (intent) {
      this.#intents.delete(record.reference)
      intent.closed = true
    }
    const meteredBytes = this.#metered.claim(record.kind, record.sender, end - at)
    if (comparePositions({ segment: segment.number, offset: start + at }, this.#from) < 0) {
      this.#journal.moveIntent(intent?.segment, undefined)
      return
    }
    draft.count(segment.number, end - at, meteredBytes)
    if (intent) draft.closedIntents.push(intent.segment)
    if (record.kind === RECORD_KINDS.outcome) {
      if (intent) draft.addEvent(intent.sender, intent, bytes, payloadStart, end)
      else unusable.push({ at, end, reason: 'the end of a request of which the beginning is lost' })
      return
    }
    const sender = this.#senders.get(record.sender)
    if (sender) draft.addEvent(sender, undefined, bytes, payloadStart, end)
    else unusable.push({ at, end, reason: 'a request of which the sender is lost' })
  }
}

/** Head and tail. */
const textsOf = ({ bytes, start, end, tailEnd }: KnownIntent): [string, string] => [
  bytes.toString('utf8', start, end),
  bytes.toString('utf8', end, tailEnd),
]

/** Gives intents that outlive the chunk they were read from bytes of their own, so that the chunk can be used again. */
function detach(intents: readonly KnownIntent[]): void {
  for (const intent of intents) {
    if (intent.closed) continue
    intent.bytes = Buffer.from(intent.bytes.subarray(intent.start, intent.tailEnd))
    intent.end -= intent.start
    intent.tailEnd -= intent.start
    intent.start = 0
  }
}
