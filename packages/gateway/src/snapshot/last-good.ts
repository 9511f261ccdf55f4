/**
 * The last good snapshot on disk: the transactions that make it, in the words of the config feed, so that a gateway can
 * start and serve while the control plane is away.
 *
 * The file begins with a full transaction; deltas are appended as they come, until they outweigh it and it is written
 * anew (to another name, then renamed over). Each transaction ends with a checksum of its lines, so half a transaction is
 * never applied. A file with damage is set aside whole, after what was good in it has been applied.
 */
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { LineReader, TimeSlicer } from '@sallyport/toolbox'
import type { Log } from '../settings.ts'
import { CompiledSnapshot } from './compile.ts'
import { FolderInPlace, OWNER_ONLY, renameOnDisk } from './own-files.ts'
import { type FeedLine, lineOf, readLine } from './put-lines.ts'
import { Transactions } from './transactions.ts'

/** Reading goes on for this long before requests get their turn. */
const BUSY_MAX_MS = 4
const READ_BYTES = 256 * 1024
/** Deltas are kept until there are this many bytes of them, and more of them than of the rest. */
const DELTA_BYTES_MIN = 1024 * 1024

export class LastGoodFile {
  readonly #path: string
  readonly #log: Log
  readonly #empty: CompiledSnapshot
  #baseBytes = 0
  #deltaBytes = 0
  #hasBase = false
  #work: Promise<void> = Promise.resolve()

  /** @param empty what the first transaction is applied to */
  constructor(path: string, log: Log, empty = CompiledSnapshot.empty()) {
    this.#path = path
    this.#log = log
    this.#empty = empty
  }

  /** The snapshot in the file; undefined where there is no file or nothing good in it. */
  async load(): Promise<CompiledSnapshot | undefined> {
    const size = await stat(this.#path).then(
      (found) => found.size,
      () => undefined,
    )
    if (size === undefined) return undefined
    const { snapshot, damage } = await readTransactions(this.#path, this.#empty)
    if (damage !== undefined) await this.#quarantine(damage, snapshot)
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
        this.#log('error', `the last good snapshot cannot be written to ${this.#path}: ${reasonOf(error)}`)
      })
  }

  /** Resolves when everything kept so far is on disk, or was given up with a line in the log. */
  flushed(): Promise<void> {
    return this.#work
  }

  async #keep(snapshot: CompiledSnapshot, delta: readonly Buffer[] | undefined): Promise<void> {
    const outweighed = this.#deltaBytes > Math.max(DELTA_BYTES_MIN, this.#baseBytes)
    if (!delta || !this.#hasBase || outweighed) return this.#writeBase(snapshot)
    this.#deltaBytes += await appendTransaction(this.#path, 'delta', snapshot.revision, [
      Buffer.concat(delta),
    ])
  }

  async #writeBase(snapshot: CompiledSnapshot): Promise<void> {
    const draft = `${this.#path}.new`
    await rm(draft, { force: true })
    this.#baseBytes = await appendTransaction(draft, 'full', snapshot.revision, snapshot.lines())
    await renameOnDisk(draft, this.#path)
    this.#deltaBytes = 0
    this.#hasBase = true
  }

  async #quarantine(damage: string, snapshot: CompiledSnapshot | undefined): Promise<void> {
    const aside = `${this.#path}.damaged-${Date.now()}`
    await rename(this.#path, aside)
    const rest = snapshot
      ? `serving revision ${snapshot.revision}, which was whole, until the control plane sends a newer one`
      : 'serving nothing until the control plane sends a snapshot'
    this.#log('warn', `the last good snapshot is damaged (${damage}) and was set aside as ${aside}; ${rest}`)
  }
}

/** Deletes such a file, what was about to take its place, and what was damaged and set aside. */
export async function forgetLastGood(path: string): Promise<void> {
  const folder = dirname(path)
  const names = (await readdir(folder)).filter((name) => name.startsWith(basename(path)))
  for (const name of names) await rm(join(folder, name), { force: true })
}

/** The revision of the last whole transaction in such a file; 0 where there is none. Nothing of it is compiled, and damage stays. */
export async function readLastGoodRevision(path: string): Promise<number> {
  let revision = 0
  let checksum = 0
  const lines = new LineReader()
  try {
    for await (const chunk of chunksOf(path)) {
      lines.add(chunk)
      for (let line = lines.next(); line; line = lines.next()) {
        const message: FileLine = readLine(line)
        if (message.type === 'commit') {
          if (message.crc32 !== checksum) return revision
          revision = message.revision
        }
        checksum = crc32(line, message.type === 'begin' ? 0 : checksum)
      }
    }
  } catch {
    // What stands before the damage counts.
  }
  return revision
}

/**
 * Appends a transaction to a file, piece by piece, with the checksum of its lines at the end. Resolves with its length in
 * bytes when it is on disk.
 */
async function appendTransaction(
  path: string,
  mode: 'full' | 'delta',
  revision: number,
  pieces: Iterable<Buffer>,
): Promise<number> {
  const file = await open(path, 'a', OWNER_ONLY)
  let [checksum, bytes] = [0, 0]
  const append = (piece: Buffer): Promise<void> => {
    checksum = crc32(piece, checksum)
    bytes += piece.length
    // Not `write`, which may be short: `appendFile` repeats it until everything is written.
    return file.appendFile(piece)
  }
  try {
    await append(lineOf({ type: 'begin', mode, revision }))
    for (const piece of pieces) await append(piece)
    await append(lineOf({ type: 'commit', revision, crc32: checksum }))
    await file.datasync()
    return bytes
  } finally {
    await file.close()
  }
}

/** What was whole in a file, and what is wrong with it, if anything is. */
interface Found {
  readonly snapshot: CompiledSnapshot | undefined
  readonly damage?: string
}

async function readTransactions(path: string, empty: CompiledSnapshot): Promise<Found> {
  const replay = new Replay(empty)
  const slicer = new TimeSlicer(BUSY_MAX_MS)
  const lines = new LineReader()
  let number = 0
  for await (const chunk of chunksOf(path)) {
    lines.add(chunk)
    for (let line = lines.next(); line; line = lines.next()) {
      number += 1
      try {
        replay.apply(line)
      } catch (error) {
        return { snapshot: replay.good, damage: `line ${number}: ${reasonOf(error)}` }
      }
      if (slicer.spent) await slicer.next()
    }
  }
  const cut = replay.unfinished || lines.rest().length > 0
  return { snapshot: replay.good, ...(cut && { damage: 'it ends in the middle of a transaction' }) }
}

/** Chunks of a file, each in the memory of the one before: buffers of their own would be garbage as large as the file. */
async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r')
  try {
    if ((await file.stat()).isDirectory()) throw new FolderInPlace(path)
    const memory = Buffer.allocUnsafeSlow(READ_BYTES)
    for (;;) {
      const { bytesRead } = await file.read(memory)
      if (bytesRead === 0) return
      yield memory.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Applies lines of the file, and compares the checksum of each transaction. */
class Replay {
  readonly #transactions: Transactions
  /** The snapshot after the last whole transaction; undefined where there was none. */
  good: CompiledSnapshot | undefined
  #checksum = 0

  constructor(empty: CompiledSnapshot) {
    this.#transactions = new Transactions(empty)
  }

  get unfinished(): boolean {
    return this.#transactions.unfinished || !this.good
  }

  /** Applies a line; throws what is wrong with it, if anything is. Until its checksum has been seen, it may say anything. */
  apply(line: Buffer): void {
    const message: FileLine = readLine(line)
    const { type } = message
    if (!this.#transactions.takes(message))
      throw new Error(type === 'begin' ? 'a transaction begins within another' : 'outside of a transaction')
    if (type === 'commit' && message.crc32 !== this.#checksum)
      throw new Error('the checksum of its transaction does not fit')
    this.#checksum = crc32(line, type === 'begin' ? 0 : this.#checksum)
    this.#transactions.apply(message)
    if (type === 'commit') this.good = this.#transactions.snapshot
  }
}

/** A line of the file: a commit says the checksum of its transaction, too. */
type FileLine = FeedLine & { readonly crc32?: number }
