/**
 * What is found in the journal's directory at start: which segments there are, what in them is damaged, which intents
 * have no end, and how far the upload came.
 *
 * Damage (a torn write, noise, a lost stretch) never stops the start and is never dropped: the damaged bytes are copied
 * to `damaged/` beside a file with the reason, one line goes to the log, and reading goes on at the next whole record.
 */
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bounds, readBounds } from './files/bounds-file.ts'
import { damagedBytes, quarantine } from './files/quarantine.ts'
import {
  findNextRecord,
  isEventRecord,
  isOtherFormat,
  JOURNAL_FORMAT,
  OtherFormat,
  RECORD_KINDS,
  type RecordView,
  readRecord,
} from './record-format.ts'
import {
  comparePositions,
  type DamagedStretch,
  type JournalPosition,
  noTally,
  type SealedBatch,
  segmentName,
  type Tally,
} from './segments.ts'
import { LastSenders, MeteredBytes } from './senders.ts'

/** A batch that was acknowledged, or refused for good. */
export interface AcknowledgedBatch {
  readonly id: string
  readonly refused: boolean
  /** How many events of which segment it holds. */
  readonly tallies: ReadonlyMap<number, Tally>
  /** The segments of the intents that its events close, one for each. */
  readonly closedIntents: readonly number[]
}

export interface RecoveredSegment {
  readonly number: number
  readonly damage: readonly DamagedStretch[]
  /** Events in it that are not acknowledged, without the interrupted ones. */
  readonly pending: Tally
}

/** An intended event of which the end is not known. */
export interface Interrupted {
  readonly reference: number
  readonly sender: string
  /** Head and tail, as they were intended. */
  readonly event: string
}

export interface Recovered {
  readonly segments: readonly RecoveredSegment[]
  /** The events that were intended and not ended when the process died. */
  readonly interrupted: readonly Interrupted[]
  readonly lastReference: number
  readonly lastSender: number
  /** Everything before this is acknowledged. */
  readonly acknowledged: JournalPosition
  /** A batch that was put together and not acknowledged. */
  readonly sealed: SealedBatch | undefined
  readonly damagedBytes: number
}

const TORN =
  'the segment ends in something that is not a whole record; most likely it was being written when the process or the machine died'
const NOISE =
  'these bytes are not a whole record; the file was changed, or the disk returned something else than was written'
const SEGMENT_NAME = /^(\d{10})\.journal$/

/** Numbers of the segment files in a directory, in order. */
async function listSegments(directory: string): Promise<number[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  return entries
    .flatMap((entry) => (entry.isDirectory() ? [] : (SEGMENT_NAME.exec(entry.name)?.[1] ?? [])))
    .map(Number)
    .sort((a, b) => a - b)
}

/** Reads every segment, verifying each record. */
export async function recover(
  directory: string,
  isMetered: (sender: string) => boolean,
  log: (line: string) => void,
): Promise<Recovered> {
  const pathOf = (segment: number): string => join(directory, segmentName(segment))
  const scan = new Scan(isMetered)
  const file = new SegmentMemory()
  const segments: RecoveredSegment[] = []
  for (const number of await listSegments(directory)) {
    const bytes = await file.read(pathOf(number))
    if (isOtherFormat(bytes))
      throw new OtherFormat(
        `the journal in ${directory} is of another format than ${JOURNAL_FORMAT}: let the version that wrote it send it (\`sallyport drain\`), or move it away`,
      )
    const segment = scan.readSegment(number, bytes)
    for (const { start, end } of segment.damage) {
      const reason = end === bytes.length ? TORN : NOISE
      const damaged = { segment: number, start, bytes: bytes.subarray(start, end), reason }
      try {
        await quarantine(directory, damagedBytes(damaged), log)
      } catch (error) {
        // A torn end is what a full disk leaves, and on such a disk the journal must open all the same.
        log(`journal segment ${number}: what is damaged at ${start} cannot be set aside: ${error}`)
      }
    }
    segments.push(segment)
  }
  const bounds = readBounds(directory)
  if (bounds) scan.addBounds(bounds)
  const recovered = scan.result(segments)
  for (const { number, pending } of segments)
    if (number < recovered.acknowledged.segment) Object.assign(pending, noTally())
    else if (number === recovered.acknowledged.segment)
      Object.assign(
        pending,
        countPending(await file.read(pathOf(number)), recovered.acknowledged.offset, isMetered),
      )
  return recovered
}

/** Reads one segment at a time, each in the memory of the one before: tens of megabytes a segment would be garbage else. */
class SegmentMemory {
  #memory = Buffer.alloc(0)
  #path = ''
  #bytes = this.#memory

  /** All of a segment; good until the next one is read. */
  async read(path: string): Promise<Buffer> {
    if (path === this.#path) return this.#bytes
    const file = await open(path)
    try {
      const { size } = await file.stat()
      if (size > this.#memory.length) this.#memory = Buffer.allocUnsafeSlow(size)
      let length = 0
      for (let read = -1; read !== 0 && length < size; length += read)
        read = (await file.read(this.#memory, length, size - length, length)).bytesRead
      this.#path = path
      this.#bytes = this.#memory.subarray(0, length)
      return this.#bytes
    } finally {
      await file.close()
    }
  }
}

/** What of a segment's events lies at or after an offset. */
function countPending(bytes: Buffer, from: number, isMetered: (sender: string) => boolean): Tally {
  const rest = new PendingCount(from, isMetered)
  walk(bytes, (offset, record) => rest.add(bytes, offset, record))
  return rest.tally
}

/** Counts the events of a segment from some offset on. */
class PendingCount {
  readonly tally = noTally()
  readonly #from: number
  readonly #metered: MeteredBytes

  constructor(from: number, isMetered: (sender: string) => boolean) {
    this.#from = from
    this.#metered = new MeteredBytes(isMetered)
  }

  add(bytes: Buffer, offset: number, { kind, sender, payloadStart, end }: RecordView): void {
    if (kind === RECORD_KINDS.sender) this.#metered.declare(sender, bytes.toString('utf8', payloadStart, end))
    if (!isEventRecord(kind)) return
    const meteredBytes = this.#metered.claim(kind, sender, end - offset)
    if (offset < this.#from) return
    this.tally.events += 1
    this.tally.bytes += end - offset
    this.tally.meteredBytes += meteredBytes
  }
}

/** Visits each whole record of a segment, and returns what lies between them. */
function walk(bytes: Buffer, visit: (offset: number, record: RecordView) => void): DamagedStretch[] {
  const damage: DamagedStretch[] = []
  let at = 0
  while (at < bytes.length) {
    const record = readRecord(bytes, at, bytes.length, true)
    if (record) visit(at, record)
    const end = record ? record.end : findNextRecord(bytes, at + 1)
    if (!record) damage.push({ start: at, end })
    at = end
  }
  return damage
}

/** Collects what the records say, in the order in which they were written. */
class Scan {
  readonly #intents = new Map<number, Interrupted>()
  readonly #senders = new LastSenders<number, string>()
  #lastReference = 0
  #lastSender = 0
  #acknowledged: JournalPosition = { segment: 0, offset: 0 }
  #sealed: SealedBatch | undefined
  #damagedBytes = 0
  readonly #isMetered: (sender: string) => boolean

  constructor(isMetered: (sender: string) => boolean) {
    this.#isMetered = isMetered
  }

  /** All events of a segment are pending for all that is known yet: what acknowledges them stands further on. */
  readSegment(number: number, bytes: Buffer): RecoveredSegment {
    const pending = new PendingCount(0, this.#isMetered)
    this.#senders.clear()
    const damage = walk(bytes, (offset, record) => {
      pending.add(bytes, offset, record)
      this.#read(bytes, record)
    })
    for (const { start, end } of damage) this.#damagedBytes += end - start
    return { number, damage, pending: pending.tally }
  }

  #read(bytes: Buffer, record: RecordView): void {
    const text = (): string => bytes.toString('utf8', record.payloadStart, record.end)
    const { reference } = record
    this.#lastReference = Math.max(this.#lastReference, reference)
    this.#lastSender = Math.max(this.#lastSender, record.sender)
    if (isEventRecord(record.kind)) this.#intents.delete(reference)
    else if (record.kind === RECORD_KINDS.sender) this.#senders.add(record.sender, text())
    else if (record.kind === RECORD_KINDS.intent) {
      const sender = this.#senders.get(record.sender)
      // The reader sets an event without a sender aside.
      if (sender !== undefined) this.#intents.set(reference, { reference, sender, event: text() })
    } else if (record.kind === RECORD_KINDS.sealed) this.#sealed = JSON.parse(text())
    else if (record.kind === RECORD_KINDS.acknowledged) this.#acknowledge(JSON.parse(text()))
  }

  /** Records of an earlier version do not say up to where. */
  #acknowledge({ id, to }: { readonly id: string; readonly to?: JournalPosition }): void {
    const end = to ?? (this.#sealed?.id === id ? this.#sealed.to : undefined)
    if (end) this.addBounds({ acknowledged: end, sealed: undefined })
  }

  /** Takes in how far the upload came as another file says it: what is further on is later. */
  addBounds({ acknowledged, sealed }: Bounds): void {
    if (comparePositions(acknowledged, this.#acknowledged) > 0) this.#acknowledged = acknowledged
    const candidates = [this.#sealed, sealed].flatMap((batch) => batch ?? [])
    this.#sealed = candidates.find(({ to }) => comparePositions(to, this.#acknowledged) > 0)
  }

  result(segments: readonly RecoveredSegment[]): Recovered {
    return {
      segments,
      interrupted: [...this.#intents.values()],
      lastReference: this.#lastReference,
      lastSender: this.#lastSender,
      acknowledged: this.#acknowledged,
      sealed: this.#sealed,
      damagedBytes: this.#damagedBytes,
    }
  }
}
