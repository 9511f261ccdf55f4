/**
 * Events in files until somebody has acknowledged them. An event is text, and so is its sender, a text that many events
 * share. An event that takes time is written twice: an intent when it begins, and its end. README.md says what is guaranteed.
 */
import { mkdir } from 'node:fs/promises'
import { BoundsFile } from './files/bounds-file.ts'
import { DiskRoom } from './files/disk-room.ts'
import { Quarantine } from './files/quarantine.ts'
import type { Intent, JournalOptions, JournalStatus, OpenIntent, WrittenIntent } from './journal-options.ts'
import { PassingMap } from './passing-map.ts'
import { RECORD_KINDS } from './record-format.ts'
import { type AcknowledgedBatch, type Recovered, recover } from './recovery.ts'
import { type JournalWork, SegmentWriter } from './segment-writer.ts'
import {
  comparePositions,
  FOLDER_OWNER_ONLY,
  type JournalPosition,
  type SealedBatch,
  type Segment,
  Segments,
} from './segments.ts'
import { declarationBytes, LastSenders } from './senders.ts'

/** What a death of the machine may cost, at most. */
const SYNC_INTERVAL_MS = 1_000
/** What may wait in memory for a disk that refuses writes. */
const BUFFERED_BYTES_MAX = 64 * 1024 * 1024

export class Journal {
  readonly #options: JournalOptions
  readonly #writer: SegmentWriter
  readonly #open = new PassingMap<string, OpenIntent>()
  readonly #syncTimer: NodeJS.Timeout
  readonly #senders = new LastSenders<string, number>()
  #lastReference: number
  #lastSender: number
  /** What the disk refuses now. */
  readonly #failing = new Set<JournalWork>()
  #acknowledged: JournalPosition
  #waitingSince: number
  #dropped = 0
  readonly #bounds: BoundsFile
  readonly #room: DiskRoom
  /** Bytes of metered senders' records that are not acknowledged. */
  #meteredBytes: number
  readonly segments: Segments
  readonly quarantine: Quarantine
  /** What an earlier process left. */
  readonly recovered: Recovered

  private constructor(options: JournalOptions, recovered: Recovered, segments: Segments) {
    this.#options = options
    this.recovered = recovered
    this.segments = segments
    this.#lastReference = recovered.lastReference
    this.#lastSender = recovered.lastSender
    this.#acknowledged = recovered.acknowledged
    this.quarantine = new Quarantine(options, recovered.damagedBytes)
    this.#waitingSince = Date.now()
    this.#meteredBytes = recovered.segments.reduce((sum, { pending }) => sum + pending.meteredBytes, 0)
    this.#bounds = new BoundsFile(options.directory)
    this.#room = new DiskRoom(options, () => this.#bytes)
    const last = recovered.segments.at(-1)
    this.#writer = new SegmentWriter({
      directory: options.directory,
      // Never one that was acknowledged already, even where somebody deleted the segments.
      firstSegment: 1 + Math.max(last?.number ?? 0, recovered.acknowledged.segment),
      lastSegment: last && last.number >= recovered.acknowledged.segment ? last.number : undefined,
      segmentBytes: () => this.#room.segmentBytesMax,
      makeRoom: () => this.#makeRoom(),
      onSegment: (number) => this.#addSegment(number),
      onFailure: (work, cause) => this.#fail(work, cause),
      onRecovery: (work) => this.#recover(work),
      onRestored: (path) =>
        options.log('error', `${path} was deleted while it was written; it is there again, with all it held`),
    })
    this.#syncTimer = setInterval(() => {
      this.#restore()
      // A failure reaches `#fail`, and the next call tries again.
      this.sync().catch(() => undefined)
      void this.#room.look()
    }, SYNC_INTERVAL_MS)
  }

  /** Opens the journal of a directory, recovering what an earlier process left in it. */
  static async open(options: JournalOptions): Promise<Journal> {
    const { directory, isMetered, log } = options
    await mkdir(directory, { recursive: true, mode: FOLDER_OWNER_ONLY })
    const recovered = await recover(directory, isMetered, (line) => log('warn', line))
    const segments = new Segments(directory, (error) =>
      log('error', `an old journal segment cannot be deleted: ${error}`),
    )
    for (const { number, damage, pending } of recovered.segments) segments.add(number, damage, pending)
    const journal = new Journal(options, recovered, segments)
    // One that was dropped to make room is gone.
    for (const { number } of recovered.segments) if (segments.find(number)) journal.#writer.takeOver(number)
    for (const { reference, sender, event } of recovered.interrupted)
      journal.#appendEvent(RECORD_KINDS.replacement, reference, sender, event)
    await journal.#room.look()
    await journal.#allocateBounds()
    // On a disk that is full it opens all the same: what it holds can be sent, and that makes room.
    await journal.sync().catch(() => undefined)
    return journal
  }

  /** Whether what a sender causes is counted in `meteredBytes`. */
  get isMetered(): JournalOptions['isMetered'] {
    return this.#options.isMetered
  }

  get admitting(): boolean {
    return this.writable && !this.full
  }

  /** Whether the disk accepts writes and syncs. */
  get writable(): boolean {
    return this.#failing.size === 0
  }

  /** Whether the events of senders that are not metered have filled their part of the journal, and nothing may be dropped. */
  get full(): boolean {
    const { whenFull, meteredPart } = this.#options
    return whenFull === 'stop' && this.#bytes - this.#meteredBytes >= this.bytesMax * (1 - meteredPart)
  }

  /** What waits to be acknowledged fills at most this much now. */
  get bytesMax(): number {
    return this.#room.bytesMax
  }

  /** Whether an event that was not admitted can still be appended. What waits for a disk that is full must fit when it has room again. */
  get hasRoom(): boolean {
    const waitingMax = this.#writer.isFailing ? this.#room.segmentBytesMax : BUFFERED_BYTES_MAX
    return !this.full && this.#writer.bufferedBytes <= waitingMax
  }

  /** Bytes of metered senders' events, with the declarations of those senders, that are not acknowledged. */
  get meteredBytes(): number {
    return this.#meteredBytes
  }

  /** Up to where the journal can be read back from its files. */
  get end(): JournalPosition {
    return this.#writer.end
  }

  /**
   * Begins an event. Resolves when its intent is in the file, at the end of this event-loop turn; rejects when nothing is
   * admitted or the file cannot be written. `endIntent` finds the event by its key and returns its label.
   */
  intend(key: string, label: string, intent: Intent): Promise<void> {
    if (!this.admitting) return Promise.reject(new Error('the journal does not admit requests now'))
    this.#lastReference += 1
    const reference = this.#lastReference
    this.#open.set(key, { reference, label })
    this.#appendOf(intent.sender, RECORD_KINDS.intent, reference, intent.head, intent.tail)
    return this.#writer.written()
  }

  /** Ends the event of a key that has begun, if there is one. Its intent must then be given an `outcome` or a `replacement`. */
  endIntent(key: string): OpenIntent | undefined {
    const intent = this.#open.get(key)
    if (intent) this.#open.delete(key)
    return intent
  }

  /** Writes how an intended event ended: what stands behind the head of its intent. */
  outcome({ reference }: OpenIntent, tail: string): void {
    this.#notePending(this.#writer.append(RECORD_KINDS.outcome, reference, 0, tail))
  }

  /** Writes a whole event instead of an intended one. */
  replace({ reference }: OpenIntent, sender: string, head: string, tail: string): void {
    this.#appendEvent(RECORD_KINDS.replacement, reference, sender, head, tail)
  }

  /** Writes a whole event that was not intended. */
  append(sender: string, head: string, tail: string): void {
    this.#appendEvent(RECORD_KINDS.event, 0, sender, head, tail)
  }

  /** Writes what is buffered and waits until the disk has everything. */
  sync(): Promise<void> {
    return this.#writer.sync()
  }

  /** Makes the bounds of a batch durable, before it is first sent. All of its events have been read from the files. */
  async seal(batch: SealedBatch): Promise<void> {
    if (this.#writer.isFailing) {
      await this.#writer.syncWritten()
      await this.#bounds.note({ acknowledged: this.#acknowledged, sealed: batch })
      return
    }
    this.#writer.append(RECORD_KINDS.sealed, 0, 0, JSON.stringify(batch))
    await this.sync()
  }

  /**
   * Notes that everything before `to` needs not be sent again. `sealed` is the batch that ends there, if one does. Its events
   * are counted first, so nothing fails after that: segments that the disk keeps from being deleted go with a later call.
   */
  async acknowledge(to: JournalPosition, sealed?: AcknowledgedBatch): Promise<void> {
    this.#acknowledged = to
    if (sealed) {
      this.#writer.append(
        RECORD_KINDS.acknowledged,
        0,
        0,
        JSON.stringify({ id: sealed.id, refused: sealed.refused, to }),
      )
      for (const [number, tally] of sealed.tallies) {
        const pending = this.segments.find(number)?.pending
        if (!pending) continue
        pending.events -= tally.events
        pending.bytes -= tally.bytes
        pending.meteredBytes -= tally.meteredBytes
        this.#meteredBytes -= tally.meteredBytes
      }
      for (const number of sealed.closedIntents) this.moveIntent(number, undefined)
      this.#waitingSince = Date.now()
    }
    if (!this.#isDone(this.segments.oldest)) return
    const synced = await this.#syncAcknowledged().then(
      () => true,
      () => false,
    )
    while (synced && this.#isDone(this.segments.oldest)) this.#deleteOldest()
  }

  /** Resolves when the disk has the last acknowledgement, in whichever file. */
  async #syncAcknowledged(): Promise<void> {
    if (!this.#writer.isFailing) return this.sync()
    await this.#bounds.note({ acknowledged: this.#acknowledged, sealed: undefined })
  }

  /** Notes that an intent is read in one segment and, if `from` is given, not needed in another any more. */
  moveIntent(from: number | undefined, to: number | undefined): void {
    const before = from === undefined ? undefined : this.segments.find(from)
    const after = to === undefined ? undefined : this.segments.find(to)
    if (before) before.openIntents -= 1
    if (after) after.openIntents += 1
  }

  /** The oldest segment, if nothing but open intents keeps it. */
  get pinned(): number | undefined {
    const oldest = this.segments.oldest
    const pinned = oldest && oldest.openIntents > 0 && this.#isRead(oldest)
    return pinned ? oldest.number : undefined
  }

  /** The open intents, by their references. */
  get openReferences(): Set<number> {
    return new Set(Array.from(this.#open, ([, { reference }]) => reference))
  }

  /** Up to where everything that was appended so far will be in the files at the latest. */
  get appendedEnd(): JournalPosition {
    const { segment, offset } = this.#writer.end
    return { segment, offset: offset + this.#writer.bufferedBytes }
  }

  /** Writes those of these intents that are still open again, at the end, so that the segment where they lie can be deleted. */
  carry(intents: Iterable<WrittenIntent>): void {
    const open = this.openReferences
    for (const { reference, sender, head, tail } of intents)
      if (open.has(reference)) this.#appendOf(sender, RECORD_KINDS.intent, reference, head, tail)
  }

  status(): JournalStatus {
    const pending = this.segments.pending
    return {
      bytes: this.#bytes,
      pending: pending.events,
      pendingBytes: pending.bytes,
      lagMs: pending.events === 0 ? 0 : Date.now() - this.#waitingSince,
      openIntents: this.#open.size,
      bytesMax: this.bytesMax,
      damagedBytes: this.quarantine.bytes,
      dropped: this.#dropped,
    }
  }

  /** Writes and syncs everything and closes the files. What is not acknowledged is sent by the next process. */
  async close(): Promise<void> {
    clearInterval(this.#syncTimer)
    try {
      await this.#writer.close()
    } finally {
      await this.#bounds.close()
    }
  }

  /** What fails here fails for the writer, too, who says so when it comes to it. */
  #restore(): void {
    try {
      this.#writer.restore()
    } catch {
      // The next second tries again.
    }
  }

  async #allocateBounds(): Promise<void> {
    try {
      await this.#bounds.allocate()
    } catch (error) {
      this.#options.log('warn', `no room could be taken ahead for what a full journal has to note: ${error}`)
    }
  }

  get #bytes(): number {
    return this.segments.closedBytes + this.#writer.writtenBytes
  }

  /** Appends a record that names its sender, after its declaration where the segment has none. Returns the record's bytes. */
  #appendOf(sender: string, kind: number, reference: number, first: string, second = ''): number {
    // Making room may begin a new segment, so it comes before looking for the sender in this one.
    this.#writer.reserve(2, sender.length + first.length + second.length)
    let number = this.#senders.get(sender)
    if (number === undefined) {
      this.#lastSender += 1
      number = this.#lastSender
      this.#senders.add(sender, number)
      this.#writer.append(RECORD_KINDS.sender, 0, number, sender)
    }
    return this.#writer.append(kind, reference, number, first, second)
  }

  #appendEvent(kind: number, reference: number, sender: string, first: string, second = ''): void {
    const lastSender = this.#lastSender
    const recordBytes = this.#appendOf(sender, kind, reference, first, second)
    this.#notePending(recordBytes)
    const pending = this.segments.newest?.pending
    if (!pending || kind !== RECORD_KINDS.event || !this.#options.isMetered(sender)) return
    const bytes = recordBytes + (this.#lastSender === lastSender ? 0 : declarationBytes(sender))
    pending.meteredBytes += bytes
    this.#meteredBytes += bytes
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
  #deleteOldest(now = false): number {
    const pending = this.segments.deleteOldest(now)?.pending
    this.#meteredBytes -= pending?.meteredBytes ?? 0
    return pending?.events ?? 0
  }

  #addSegment(number: number): void {
    this.#senders.clear()
    this.segments.add(number)
    if (this.#options.whenFull !== 'drop-oldest') return
    const { bytesMax, segmentBytesMax } = this.#room
    while (this.segments.count > 1 && this.segments.closedBytes + segmentBytesMax > bytesMax)
      this.#dropOldest()
  }

  #dropOldest(now = false): void {
    const lost = this.#deleteOldest(now)
    this.#dropped += lost
    if (lost > 0) this.#options.log('error', `the journal is full: its oldest ${lost} events were dropped`)
  }

  /** The disk is full: says whether the setting let something go for that. */
  #makeRoom(): boolean {
    if (this.#options.whenFull !== 'drop-oldest' || this.segments.count < 2) return false
    this.#dropOldest(true)
    return true
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
    void this.#allocateBounds()
    if (this.#failing.size === 0)
      this.#options.log('info', 'the journal can be written again; requests are admitted')
  }
}
