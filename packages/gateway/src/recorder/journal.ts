/**
 * The journal: every request that goes to an origin is in a file before its first byte leaves, and every event stays
 * there until the control plane has acknowledged it.
 *
 * Guarantees. After any death of the process, each request that was forwarded is in the record exactly once: with its
 * end where that was written, as `interrupted` where it was not. After a death of the machine, what is younger than the
 * last sync (at most a second) may be missing. The journal never grows beyond `totalBytesMax` by more than the events of the
 * requests that run when it is reached: then it stops admitting, or drops its oldest segments, as configured. A share of
 * it is for what strangers cause (`stranger-records.ts`), and the rest is for researchers alone.
 */
import { join } from 'node:path'
import type { TrafficEvent } from '@sallyport/contract'
import { requestLineHead, requestLineTail } from '@sallyport/contract/words'
import type { Log } from '../log.ts'
import { makeOwnFolder } from '../own-files.ts'
import type { JournalSettings } from '../settings.ts'
import { interruptedTail } from './interrupted-tail.ts'
import { PassingMap } from './passing-map.ts'
import { comparePositions, type Position } from './position.ts'
import { RECORD_KINDS } from './record-codec.ts'
import type { JournalProgress, Recorder, TrafficIntent } from './recorder.ts'
import { type Recovered, recover, type SealedBatch, setAside } from './recovery.ts'
import { type JournalWork, SegmentWriter, segmentName } from './segment-writer.ts'
import { type Segment, Segments, type Tally } from './segments.ts'
import { declarationBytes, isStranger, LastSenders, membersOf } from './senders.ts'
import { StrangerRecords, type StrangerRoom } from './stranger-records.ts'

export interface JournalOptions extends JournalSettings {
  readonly directory: string
  readonly log: Log
}

/** What a death of the machine may cost, at most. */
const SYNC_INTERVAL_MS = 1_000
/** What may wait in memory for a disk that refuses writes. */
const BUFFERED_BYTES_MAX = 64 * 1024 * 1024
/** The part of the journal that what strangers cause may fill, and the part of that which single refusals may fill. */
const STRANGERS_PART = 1 / 20
const SINGLE_REFUSALS_PART = 3 / 4
/** A segment is deleted as a whole, so several must fit into the journal, or what is acknowledged would make no room. */
const SEGMENTS_MIN = 8
const SMALLEST_SEGMENT_BYTES = 4_096

/** An intent as it was written. */
export interface WrittenIntent {
  readonly reference: number
  /** The members of its sender. */
  readonly sender: string
  readonly head: string
  /** How it ends if the gateway dies. */
  readonly tail: string
}

interface OpenIntent {
  readonly reference: number
  readonly kind: TrafficEvent['kind']
}

export class Journal implements Recorder {
  readonly #options: JournalOptions
  readonly #writer: SegmentWriter
  readonly #open = new PassingMap<string, OpenIntent>()
  readonly #syncTimer: NodeJS.Timeout
  readonly #senders = new LastSenders<string, number>()
  #lastReference: number
  #lastSender: number
  /** What the disk refuses now. */
  readonly #failing = new Set<JournalWork>()
  #acknowledged: Position
  #waitingSince: number
  #dropped = 0
  #damagedBytes: number
  readonly #segmentBytesMax: number
  readonly #strangers: StrangerRecords
  /** Bytes of strangers' records that are not acknowledged. */
  #strangerBytes: number
  readonly segments: Segments
  /** What an earlier process left. */
  readonly recovered: Recovered

  private constructor(options: JournalOptions, recovered: Recovered, segments: Segments) {
    this.#options = options
    this.recovered = recovered
    this.segments = segments
    this.#lastReference = recovered.lastReference
    this.#lastSender = recovered.lastSender
    this.#acknowledged = recovered.acknowledged
    this.#damagedBytes = recovered.damagedBytes
    this.#waitingSince = Date.now()
    this.#strangerBytes = recovered.segments.reduce((sum, { pending }) => sum + pending.strangerBytes, 0)
    this.#strangers = new StrangerRecords({
      room: () => this.#strangerRoom,
      append: (event) => this.#appendWhole(RECORD_KINDS.event, 0, event),
    })
    const largest = Math.floor(options.totalBytesMax / SEGMENTS_MIN)
    this.#segmentBytesMax = Math.min(options.segmentBytesMax, Math.max(largest, SMALLEST_SEGMENT_BYTES))
    this.#writer = new SegmentWriter({
      directory: options.directory,
      firstSegment: 1 + (recovered.segments.at(-1)?.number ?? 0),
      segmentBytes: this.#segmentBytesMax,
      onSegment: (number) => this.#addSegment(number),
      onFailure: (work, cause) => this.#fail(work, cause),
      onRecovery: (work) => this.#recover(work),
    })
    this.#syncTimer = setInterval(() => {
      // What fails is told to `#fail`, and is tried again the next time.
      this.sync().catch(() => undefined)
    }, SYNC_INTERVAL_MS)
  }

  /** Opens the journal of a directory, recovering what an earlier process left in it. */
  static async open(options: JournalOptions): Promise<Journal> {
    await makeOwnFolder(options.directory)
    const pathOf = (segment: number): string => join(options.directory, segmentName(segment))
    const recovered = await recover(options.directory, pathOf, (line) => options.log('warn', line))
    const segments = new Segments(options.directory, (error) =>
      options.log('error', `an old journal segment cannot be deleted: ${error}`),
    )
    for (const { number, damage, pending } of recovered.segments) segments.add(number, damage, pending)
    const journal = new Journal(options, recovered, segments)
    // One that was dropped to make room is gone.
    for (const { number } of recovered.segments) if (segments.find(number)) journal.#writer.takeOver(number)
    for (const { reference, sender, line } of recovered.interrupted)
      journal.#appendEvent(RECORD_KINDS.replacement, reference, sender, line)
    await journal.sync()
    return journal
  }

  get admitting(): boolean {
    return this.#failing.size === 0 && !this.full
  }

  /** Whether researchers' records have reached their part of the journal and nothing may be dropped. */
  get full(): boolean {
    const { whenFull, totalBytesMax } = this.#options
    return whenFull === 'stop' && this.#bytes - this.#strangerBytes >= totalBytesMax * (1 - STRANGERS_PART)
  }

  /** Up to where the journal can be read back from its files. */
  get end(): Position {
    return this.#writer.end
  }

  intend(intent: TrafficIntent): Promise<void> {
    if (!this.admitting) return Promise.reject(new Error('the journal does not admit requests now'))
    this.#lastReference += 1
    const reference = this.#lastReference
    this.#open.set(keyOf(intent), { reference, kind: intent.kind })
    this.#appendOf(
      membersOf(intent),
      RECORD_KINDS.intent,
      reference,
      requestLineHead(intent),
      interruptedTail(intent),
    )
    return this.#writer.written()
  }

  record(event: TrafficEvent): void {
    const key = keyOf(event)
    const intent = this.#open.get(key)
    if (!intent) {
      if (event.researcherId === '') this.#strangers.record(event)
      else if (this.full || this.#writer.bufferedBytes > BUFFERED_BYTES_MAX) this.#dropped += 1
      else this.#appendWhole(RECORD_KINDS.event, 0, event)
      return
    }
    this.#open.delete(key)
    if (intent.kind !== event.kind) this.#appendWhole(RECORD_KINDS.replacement, intent.reference, event)
    else
      this.#notePending(
        this.#writer.append(RECORD_KINDS.outcome, intent.reference, 0, requestLineTail(event)),
      )
  }

  /** Records what strangers did so far, so that nothing of it is only in memory. */
  flushStrangers(): void {
    this.#strangers.flush()
  }

  /** Writes what is buffered and waits until the disk has everything. */
  sync(): Promise<void> {
    return this.#writer.sync()
  }

  /** Makes the bounds of a batch durable, before it is first sent. */
  async seal(batch: SealedBatch): Promise<void> {
    this.#writer.append(RECORD_KINDS.sealed, 0, 0, JSON.stringify(batch))
    await this.sync()
  }

  /**
   * Notes that everything before `to` needs not be sent again. `sealed` is the batch that ends there, if one does;
   * `taken` says how many events of which segment that is, and `closed` where the intents of its events lie. It counts
   * them, so it never fails after that: segments that the disk keeps from being deleted go with a later call.
   */
  async acknowledge(
    to: Position,
    sealed?: { id: string; refused: boolean; taken: ReadonlyMap<number, Tally>; closed: readonly number[] },
  ): Promise<void> {
    this.#acknowledged = to
    if (sealed) {
      this.#writer.append(
        RECORD_KINDS.acknowledged,
        0,
        0,
        JSON.stringify({ id: sealed.id, refused: sealed.refused }),
      )
      for (const [number, tally] of sealed.taken) {
        const pending = this.segments.find(number)?.pending
        if (!pending) continue
        pending.events -= tally.events
        pending.bytes -= tally.bytes
        pending.strangerBytes -= tally.strangerBytes
        this.#strangerBytes -= tally.strangerBytes
      }
      for (const number of sealed.closed) this.moveIntent(number, undefined)
      this.#waitingSince = Date.now()
    }
    if (!this.#isDone(this.segments.oldest)) return
    const synced = await this.sync().then(
      () => true,
      () => false,
    )
    while (synced && this.#isDone(this.segments.oldest)) this.#deleteOldest()
  }

  /** Notes that an intent is read in one segment and, if `from` is given, not needed in another any more. */
  moveIntent(from: number | undefined, to: number | undefined): void {
    const before = from === undefined ? undefined : this.segments.find(from)
    const after = to === undefined ? undefined : this.segments.find(to)
    if (before) before.openIntents -= 1
    if (after) after.openIntents += 1
  }

  /** The oldest segment, if nothing but running requests keeps it. */
  get pinned(): number | undefined {
    const oldest = this.segments.oldest
    const pinned = oldest && oldest.openIntents > 0 && this.#isRead(oldest)
    return pinned ? oldest.number : undefined
  }

  /** Writes those of these intents that run again, at the end, so that the segment where they lie can go. */
  carry(intents: Iterable<WrittenIntent>): void {
    const running = new Set(Array.from(this.#open, ([, { reference }]) => reference))
    for (const { reference, sender, head, tail } of intents)
      if (running.has(reference)) this.#appendOf(sender, RECORD_KINDS.intent, reference, head, tail)
  }

  /** Sets bytes aside that turned out damaged while they were read back, or of which the other half is lost. */
  async setAside(segment: number, start: number, bytes: Buffer, reason: string): Promise<void> {
    const { directory, log } = this.#options
    this.#damagedBytes += bytes.length
    try {
      await setAside(directory, { segment, start, bytes, reason }, (line) => log('warn', line))
    } catch (error) {
      log(
        'error',
        `journal segment ${segment}: ${bytes.length} bytes at ${start} cannot be set aside: ${error}`,
      )
    }
  }

  progress(): JournalProgress {
    const pending = this.segments.pending
    return {
      admitting: this.admitting,
      bytes: this.#bytes,
      pending: pending.events,
      pendingBytes: pending.bytes,
      lagMs: pending.events === 0 ? 0 : Date.now() - this.#waitingSince,
      openIntents: this.#open.size,
      damagedBytes: this.#damagedBytes,
      dropped: this.#dropped,
      aggregated: this.#strangers.aggregated,
      strangerBytes: this.#strangerBytes,
    }
  }

  /** Writes and syncs everything and closes the files. What is not acknowledged is sent by the next process. */
  async close(): Promise<void> {
    clearInterval(this.#syncTimer)
    this.#strangers.flush()
    await this.#writer.close()
  }

  get #bytes(): number {
    return this.segments.closedBytes + this.#writer.writtenBytes
  }

  get #strangerRoom(): StrangerRoom {
    if (this.#failing.size > 0) return 'nothing'
    const share = this.#options.totalBytesMax * STRANGERS_PART
    if (this.#strangerBytes < share * SINGLE_REFUSALS_PART) return 'each'
    return this.#strangerBytes < share ? 'counts' : 'few-counts'
  }

  /**
   * Appends a record that names its sender, of which the members are given, declaring it first where the segment does not.
   * Returns the bytes of the record.
   */
  #appendOf(members: string, kind: number, reference: number, first: string, second = ''): number {
    // Making room may begin a new segment, so it comes before looking for the sender in this one.
    this.#writer.reserve(2, members.length + first.length + second.length)
    let sender = this.#senders.get(members)
    if (sender === undefined) {
      this.#lastSender += 1
      sender = this.#lastSender
      this.#senders.add(members, sender)
      this.#writer.append(RECORD_KINDS.sender, 0, sender, members)
    }
    return this.#writer.append(kind, reference, sender, first, second)
  }

  #appendWhole(kind: number, reference: number, event: TrafficEvent): void {
    this.#appendEvent(kind, reference, membersOf(event), requestLineHead(event), requestLineTail(event))
  }

  #appendEvent(kind: number, reference: number, members: string, first: string, second = ''): void {
    const lastSender = this.#lastSender
    const recordBytes = this.#appendOf(members, kind, reference, first, second)
    this.#notePending(recordBytes)
    const pending = this.segments.newest?.pending
    if (!pending || kind !== RECORD_KINDS.event || !isStranger(members)) return
    const bytes = recordBytes + (this.#lastSender === lastSender ? 0 : declarationBytes(members))
    pending.strangerBytes += bytes
    this.#strangerBytes += bytes
  }

  #notePending(bytes: number): void {
    const pending = this.segments.newest?.pending
    if (!pending) return
    if (pending.events === 0 && this.segments.count === 1) this.#waitingSince = Date.now()
    pending.events += 1
    pending.bytes += bytes
  }

  #isRead(segment: Segment): boolean {
    const end = { segment: segment.number, offset: segment.bytes }
    return segment !== this.segments.newest && comparePositions(this.#acknowledged, end) >= 0
  }

  #isDone(segment: Segment | undefined): boolean {
    return segment !== undefined && segment.openIntents === 0 && this.#isRead(segment)
  }

  /** Returns how many events go with it that nobody has acknowledged. */
  #deleteOldest(): number {
    const pending = this.segments.deleteOldest()?.pending
    this.#strangerBytes -= pending?.strangerBytes ?? 0
    return pending?.events ?? 0
  }

  #addSegment(number: number): void {
    this.#senders.clear()
    this.segments.add(number)
    if (this.#options.whenFull !== 'drop-oldest') return
    while (
      this.segments.count > 1 &&
      this.segments.closedBytes + this.#segmentBytesMax > this.#options.totalBytesMax
    ) {
      const lost = this.#deleteOldest()
      this.#dropped += lost
      if (lost > 0) this.#options.log('error', `the journal is full: its oldest ${lost} events were dropped`)
    }
  }

  #fail(work: JournalWork, cause: unknown): void {
    const { directory, log } = this.#options
    const why = cause instanceof Error ? cause.message : String(cause)
    if (this.#failing.size === 0)
      log('error', `the journal in ${directory} cannot be written, so no request is admitted: ${why}`)
    this.#failing.add(work)
  }

  #recover(work: JournalWork): void {
    this.#failing.delete(work)
    if (this.#failing.size === 0)
      this.#options.log('info', 'the journal can be written again; requests are admitted')
  }
}

const keyOf = (event: Pick<TrafficEvent, 'id' | 'kind'>): string =>
  event.kind === 'websocket_close' ? `${event.id} close` : event.id
