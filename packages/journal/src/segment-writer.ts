/**
 * Appends records to numbered segment files.
 *
 * What is appended in one event-loop turn leaves in one write at the end of it, into the page cache: that survives any
 * death of the process. `sync` (also called on a timer by the journal) makes it survive the machine's. A write that
 * fails leaves the bytes in memory; the segment is cut back to its last whole record and the write tried again.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DiskSync } from './files/disk-sync.ts'
import {
  JOURNAL_FORMAT,
  RECORD_HEADER_BYTES,
  RECORD_KINDS,
  recordMemory,
  writeRecordHeader,
} from './record-format.ts'
import { FOLDER_OWNER_ONLY, type JournalPosition, OWNER_ONLY, segmentName } from './segments.ts'

const BUFFER_BYTES = 1024 * 1024
/** An outcome may wait this long for an intent to share its write with. */
const OUTCOME_DELAY_MS = 5
const RETRY_MS = 250
const BYTES_A_CHAR_MAX = 3

/** What can fail, each until it succeeds again. */
export type JournalWork = 'write' | 'sync'

export interface SegmentWriterOptions {
  readonly directory: string
  readonly firstSegment: number
  /** The segment before it, which is written on where the disk has no room for another file. */
  readonly lastSegment: number | undefined
  readonly segmentBytes: () => number
  /** Frees room on a disk that has none; false where that cannot be done. What failed is then tried again at once. */
  readonly makeRoom: () => boolean
  /** Called with the outcome of each write, and of each sync, when it differs from the last one's. */
  readonly onFailure: (work: JournalWork, cause: unknown) => void
  readonly onRecovery: (work: JournalWork) => void
  readonly onSegment: (segment: number) => void
  /** The segment being written was deleted, and is there again with all that was written. */
  readonly onRestored: (path: string) => void
}

/** Copies the first `length` bytes of a file into an empty one. */
function copyBytes(from: number, to: number, length: number): void {
  const bytes = Buffer.allocUnsafe(Math.min(length, BUFFER_BYTES))
  for (let done = 0; done < length; ) {
    const read = readSync(from, bytes, 0, Math.min(bytes.length, length - done), done)
    // It was cut as well: what is missing is for the reader to report.
    if (read === 0) return
    for (let copied = 0; copied < read; ) copied += writeSync(to, bytes, copied, read - copied, done + copied)
    done += read
  }
}

/** Whether the disk, or what its owner may use of it, is used up. */
const isFullDisk = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

export class SegmentWriter {
  readonly #options: SegmentWriterOptions
  #segment: number
  #file: number
  #written = 0
  #memory = recordMemory(BUFFER_BYTES)
  #used = 0
  #turn: PromiseWithResolvers<void> | undefined
  #immediate: NodeJS.Immediate | undefined
  #timer: NodeJS.Timeout | undefined
  #failing = false
  /** Something of a write that failed may stand behind the last whole record. */
  #isTorn = false
  readonly #disk: DiskSync

  constructor(options: SegmentWriterOptions) {
    this.#options = options
    this.#disk = new DiskSync({
      directory: options.directory,
      onFailure: (cause) => options.onFailure('sync', cause),
      onRecovery: () => options.onRecovery('sync'),
    })
    this.#segment = options.firstSegment
    try {
      this.#file = this.#openSegment(options.firstSegment)
    } catch (error) {
      if (!isFullDisk(error) || options.lastSegment === undefined) throw error
      this.#segment = options.lastSegment
      this.#file = openSync(join(options.directory, segmentName(options.lastSegment)), 'r+')
      this.#written = fstatSync(this.#file).size
    }
    this.#syncSoon()
  }

  /** Up to where the journal can be read back from its files. */
  get end(): JournalPosition {
    return { segment: this.#segment, offset: this.#written }
  }

  /** Bytes in the segment being written. */
  get writtenBytes(): number {
    return this.#written
  }

  /** Bytes that wait to be written: many only while writing fails. */
  get bufferedBytes(): number {
    return this.#used
  }

  /** Makes room for so many records of so many characters in all: they will stand in the segment of now, whichever that is. */
  reserve(records: number, chars: number): void {
    this.#makeRoom(records * RECORD_HEADER_BYTES + chars * BYTES_A_CHAR_MAX)
  }

  /** Appends a record of which the payload is `first` and `second`; it is written within a few milliseconds. Returns its bytes. */
  append(kind: number, reference: number, sender: number, first: string, second = ''): number {
    this.reserve(1, first.length + second.length)
    const start = this.#used
    const payloadStart = start + RECORD_HEADER_BYTES
    const { bytes } = this.#memory
    const split = bytes.write(first, payloadStart)
    const payloadBytes = second === '' ? split : split + bytes.write(second, payloadStart + split)
    writeRecordHeader(this.#memory, start, payloadBytes, { kind, split, reference, sender })
    this.#used = payloadStart + payloadBytes
    this.#timer ??= setTimeout(this.#flushLate, this.#failing ? RETRY_MS : OUTCOME_DELAY_MS)
    return this.#used - start
  }

  /** Resolves when everything appended so far is written, at the end of this turn. Rejects when that fails. */
  written(): Promise<void> {
    if (this.#used === 0) return Promise.resolve()
    this.#turn ??= Promise.withResolvers<void>()
    this.#immediate ??= setImmediate(this.#flush)
    return this.#turn.promise
  }

  /** Includes a segment that an earlier process wrote in the next sync: that process may have been killed before its own. */
  takeOver(segment: number): void {
    const file = openSync(join(this.#options.directory, segmentName(segment)), 'r+')
    this.#disk.takeOver(file, fstatSync(file).size)
  }

  /**
   * Puts the segment being written back under its name, where somebody deleted it: the open file has all of it still. The copy gets
   * its name when it is whole, so a reader sees all that was written or nothing.
   */
  restore(): void {
    const { directory, onRestored } = this.#options
    const path = join(directory, segmentName(this.#segment))
    if (existsSync(path)) return
    mkdirSync(directory, { recursive: true, mode: FOLDER_OWNER_ONLY })
    const file = openSync(`${path}.new`, 'w+', OWNER_ONLY)
    try {
      copyBytes(this.#file, file, this.#written)
      renameSync(`${path}.new`, path)
    } catch (error) {
      closeSync(file)
      throw error
    }
    this.#disk.takeOver(this.#file, this.#written)
    this.#file = file
    this.#disk.noteWritten(file, this.#written)
    this.#disk.noteNamed()
    onRestored(path)
  }

  /** Whether what was appended last could not be written. */
  get isFailing(): boolean {
    return this.#failing
  }

  /** Waits until the disk has everything that is written, without what still waits for that. */
  syncWritten(): Promise<void> {
    return this.#disk.sync()
  }

  /** Writes what is buffered now and waits until the disk has everything. */
  async sync(): Promise<void> {
    await this.written()
    await this.#disk.sync()
  }

  /** Writes and syncs what is left, and closes the segment. */
  async close(): Promise<void> {
    try {
      await this.sync()
    } finally {
      clearTimeout(this.#timer)
      await this.#disk.close()
      closeSync(this.#file)
    }
  }

  readonly #flushLate = (): void => {
    this.#timer = undefined
    // Where all is written and only the next segment could not be begun, that is tried again, too.
    if (this.#used > 0 || this.#failing) this.#flush()
  }

  /** The timer goes on: to cancel it and begin another in every turn would cost a request half a microsecond. */
  readonly #flush = (): void => {
    clearImmediate(this.#immediate)
    this.#immediate = undefined
    const turn = this.#turn
    this.#turn = undefined
    try {
      this.#writeOrMakeRoom()
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause))
      clearTimeout(this.#timer)
      this.#timer = setTimeout(this.#flushLate, RETRY_MS)
      if (!this.#failing) this.#options.onFailure('write', error)
      this.#failing = true
      turn?.reject(error)
      return
    }
    if (this.#failing) this.#noteRecovery()
    turn?.resolve()
  }

  #writeOrMakeRoom(): void {
    for (;;)
      try {
        this.#write()
        return
      } catch (error) {
        this.#isTorn = true
        if (!isFullDisk(error) || !this.#options.makeRoom()) throw error
      }
  }

  #noteRecovery(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#failing = false
    this.#options.onRecovery('write')
  }

  #write(): void {
    if (this.#isTorn) ftruncateSync(this.#file, this.#written)
    this.#isTorn = false
    let done = 0
    while (done < this.#used)
      done += writeSync(this.#file, this.#memory.bytes, done, this.#used - done, this.#written + done)
    this.#written += done
    this.#used = 0
    this.#disk.noteWritten(this.#file, this.#written)
    if (this.#written >= this.#options.segmentBytes()) this.#rotate()
  }

  #makeRoom(bytes: number): void {
    if (this.#used + bytes <= this.#memory.bytes.length) return
    if (!this.#failing) this.#flush()
    const present = this.#memory.bytes
    if (this.#used + bytes <= present.length) return
    this.#memory = recordMemory(Math.max(present.length * 2, this.#used + bytes))
    present.copy(this.#memory.bytes, 0, 0, this.#used)
  }

  #rotate(): void {
    // Its readers open it by its name.
    this.restore()
    const file = this.#file
    const end = this.#written
    this.#file = this.#openSegment(this.#segment + 1)
    this.#written = 0
    this.#disk.takeOver(file, end)
    this.#syncSoon()
  }

  /** Opens the first segment from a number on of which the name is free: somebody may have put something there. */
  #openSegment(first: number): number {
    const { directory } = this.#options
    let segment = first
    while (existsSync(join(directory, segmentName(segment)))) segment += 1
    const file = openSync(join(directory, segmentName(segment)), 'wx+', OWNER_ONLY)
    this.#options.onSegment(segment)
    this.#segment = segment
    const created = { format: JOURNAL_FORMAT, segment, createdAt: Date.now() }
    this.append(RECORD_KINDS.segment, 0, 0, JSON.stringify(created))
    this.#disk.noteNamed()
    return file
  }

  /** Nobody waits for it: a failure is reported by `onFailure`, and the next sync tries again. */
  #syncSoon(): void {
    this.#disk.sync().catch(() => undefined)
  }
}
