/**
 * The last good snapshot on disk: the transactions that make it, in the words of the config feed, so that a gateway can
 * start and serve while the control plane is away.
 *
 * The file begins with a full transaction; deltas are appended as they come, until they outweigh it and it is written
 * anew (to another name, then renamed over). Each transaction ends with a checksum of its lines, so half a transaction is
 * never applied. A file with damage is set aside whole, after what was good in it has been applied.
 */
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { LineReader, TimeSlicer } from '@sallyport/toolbox'
import type { Log } from '../settings.ts'
import { CompiledSnapshot, type SnapshotEdit } from './compile.ts'
import { OWNER_ONLY } from './own-files.ts'
import { type FeedLine, lineOf, readLine } from './put-lines.ts'

/** Reading goes on for this long before requests get their turn. */
const BUSY_MAX_MS = 4
const READ_BYTES = 256 * 1024
/** Deltas are kept until there are this many bytes of them, and more of them than of the rest. */
const DELTA_BYTES_MIN = 1024 * 1024

export class LastGoodFile {
  readonly #path: string
  readonly #log: Log
  #baseBytes = 0
  #deltaBytes = 0
  #hasBase = false
  #work: Promise<void> = Promise.resolve()

  constructor(path: string, log: Log) {
    this.#path = path
    this.#log = log
  }

  /** The snapshot in the file; undefined where there is no file or nothing good in it. */
  async load(): Promise<CompiledSnapshot | undefined> {
    const size = await stat(this.#path).then(
      (found) => found.size,
      () => undefined,
    )
    if (size === undefined) return undefined
    const { snapshot, damage } = await readTransactions(this.#path)
    if (damage !== undefined) await this.#setAside(damage, snapshot)
    else {
      this.#hasBase = true
      this.#baseBytes = size
    }
    return snapshot
  }

  /** Keeps a transaction: its lines appended where it is a delta, in place of everything where it is full. */
  keep(snapshot: CompiledSnapshot, delta: readonly Buffer[] | undefined): void {
    this.#work = this.#work
      .then(() => this.#keep(snapshot, delta))
      .catch((error: unknown) => {
        this.#hasBase = false
        const why = error instanceof Error ? error.message : String(error)
        this.#log('error', `the last good snapshot cannot be written to ${this.#path}: ${why}`)
      })
  }

  /** Resolves when everything kept so far is on disk, or was given up with a line in the log. */
  settled(): Promise<void> {
    return this.#work
  }

  async #keep(snapshot: CompiledSnapshot, delta: readonly Buffer[] | undefined): Promise<void> {
    const outweighed = this.#deltaBytes > Math.max(DELTA_BYTES_MIN, this.#baseBytes)
    if (!delta || !this.#hasBase || outweighed) return this.#writeBase(snapshot)
    const file = await open(this.#path, 'a', OWNER_ONLY)
    try {
      const writer = new TransactionWriter(file)
      await writer.begin('delta', snapshot.revision)
      await writer.add(Buffer.concat(delta))
      await writer.commit(snapshot.revision)
      this.#deltaBytes += writer.bytes
    } finally {
      await file.close()
    }
  }

  async #writeBase(snapshot: CompiledSnapshot): Promise<void> {
    const draft = `${this.#path}.new`
    const file = await open(draft, 'w', OWNER_ONLY)
    try {
      const writer = new TransactionWriter(file)
      await writer.begin('full', snapshot.revision)
      for (const lines of snapshot.lines()) await writer.add(lines)
      await writer.commit(snapshot.revision)
      this.#baseBytes = writer.bytes
    } finally {
      await file.close()
    }
    await rename(draft, this.#path)
    const directory = await open(dirname(this.#path), 'r')
    await directory.sync().finally(() => directory.close())
    this.#deltaBytes = 0
    this.#hasBase = true
  }

  async #setAside(damage: string, snapshot: CompiledSnapshot | undefined): Promise<void> {
    const aside = `${this.#path}.damaged-${Date.now()}`
    await rename(this.#path, aside)
    const rest = snapshot
      ? `serving revision ${snapshot.revision}, which was whole, until the control plane sends a newer one`
      : 'serving nothing until the control plane sends a snapshot'
    this.#log('warn', `the last good snapshot is damaged (${damage}) and was set aside as ${aside}; ${rest}`)
  }
}

/** Writes the lines of one transaction, piece by piece, with their checksum at the end. */
class TransactionWriter {
  readonly #file: FileHandle
  #checksum = 0
  bytes = 0

  constructor(file: FileHandle) {
    this.#file = file
  }

  begin(mode: 'full' | 'delta', revision: number): Promise<void> {
    return this.add(lineOf({ type: 'begin', mode, revision }))
  }

  async add(lines: Buffer): Promise<void> {
    this.#checksum = crc32(lines, this.#checksum)
    this.bytes += lines.length
    // Not `write`, which may be short: `appendFile` repeats it until everything is written.
    await this.#file.appendFile(lines)
  }

  async commit(revision: number): Promise<void> {
    await this.add(lineOf({ type: 'commit', revision, crc32: this.#checksum }))
    await this.#file.datasync()
  }
}

async function readTransactions(path: string): Promise<{ snapshot?: CompiledSnapshot; damage?: string }> {
  const replay = new Replay()
  const slicer = new TimeSlicer(BUSY_MAX_MS)
  const lines = new LineReader()
  let number = 0
  for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) {
    lines.add(chunk)
    for (let line = lines.next(); line; line = lines.next()) {
      number += 1
      const damage = replay.take(line)
      if (damage) return { ...replay.good, damage: `line ${number}: ${damage}` }
      if (slicer.spent) await slicer.next()
    }
  }
  return replay.unfinished || lines.rest().length > 0
    ? { ...replay.good, damage: 'it ends in the middle of a transaction' }
    : replay.good
}

/** Applies lines of the file, transaction by transaction. */
class Replay {
  #snapshot: CompiledSnapshot | undefined
  #edit: SnapshotEdit | undefined
  #checksum = 0

  get good(): { snapshot?: CompiledSnapshot } {
    return this.#snapshot ? { snapshot: this.#snapshot } : {}
  }

  get unfinished(): boolean {
    return this.#edit !== undefined || this.#snapshot === undefined
  }

  /** Takes a line; says what is wrong with it, if anything is. */
  take(line: Buffer): string | undefined {
    try {
      return this.#take(readLine(line), line)
    } catch (error) {
      // Until its checksum has been seen, a line may say anything, also what is JSON and no site.
      return error instanceof Error ? error.message : String(error)
    }
  }

  #take(message: FileLine, line: Buffer): string | undefined {
    if (message.type === 'begin') {
      if (this.#edit) return 'a transaction begins within another'
      this.#edit = (this.#snapshot ?? CompiledSnapshot.empty()).edit(message.mode === 'full')
      this.#checksum = 0
    }
    if (!this.#edit) return 'outside of a transaction'
    if (message.type === 'commit') {
      if (message.crc32 !== this.#checksum) return 'the checksum of its transaction does not fit'
      this.#snapshot = this.#edit.commit(message.revision)
      this.#edit = undefined
      return undefined
    }
    this.#checksum = crc32(line, this.#checksum)
    if (message.type === 'put') this.#edit.put(message)
    else if (message.type === 'remove') this.#edit.remove(message.kind, message.id)
    return undefined
  }
}

/** A line of the file: a commit says the checksum of its transaction, too. */
type FileLine = FeedLine & { readonly crc32?: number }
