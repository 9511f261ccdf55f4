/**
 * Makes what is written survive the machine's death: one round of syncs at a time, for all who wait.
 *
 * A caller joins the round under way if that covers all that was written, and waits for the next one if something was
 * written since. What fails stays to be synced, so the next round tries it again. After a failed sync the system may believe
 * pages clean that it could not write (fsync(2), errors since Linux 4.13), and would then sync nothing and succeed: so that
 * stretch is written once more before the next sync.
 */
import { close, closeSync, fdatasync, readSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'

export interface DiskSyncOptions {
  readonly directory: string
  /** Called with each round's outcome when it differs from the last one's. */
  readonly onFailure: (cause: unknown) => void
  readonly onRecovery: () => void
}

export class DiskSync {
  readonly #options: DiskSyncOptions
  /** Files that were written since the last round began, each with the bytes written. */
  #written = new Map<number, number>()
  /** How many bytes of each file are known to be on the disk. */
  readonly #synced = new Map<number, number>()
  /** Files of which the last sync failed. */
  readonly #failed = new Set<number>()
  /** Files that are written no more, and closed when they are synced. */
  readonly #closing = new Set<number>()
  #named = false
  #round: Promise<void> | undefined
  #nextRound: Promise<void> | undefined
  #failing = false

  constructor(options: DiskSyncOptions) {
    this.#options = options
  }

  /** Notes that a file was written, up to `end`. */
  noteWritten(file: number, end: number): void {
    this.#written.set(file, end)
  }

  /** Notes that the directory has a new name in it. */
  noteNamed(): void {
    this.#named = true
  }

  /** Takes over a file that is written no more: it is synced, then closed. */
  takeOver(file: number, end: number): void {
    this.#written.set(file, end)
    this.#closing.add(file)
  }

  /** Resolves when the disk has everything noted so far. Rejects when that fails. */
  sync(): Promise<void> {
    if (this.#nextRound !== undefined) return this.#nextRound
    const round = this.#round
    if (this.#written.size === 0 && !this.#named) return round ?? Promise.resolve()
    if (round === undefined) return this.#begin()
    this.#nextRound = round
      .catch(() => undefined)
      .then(() => {
        this.#nextRound = undefined
        return this.#begin()
      })
    return this.#nextRound
  }

  /** Waits for what is under way, and closes what was taken over. */
  async close(): Promise<void> {
    await (this.#nextRound ?? this.#round)?.catch(() => undefined)
    for (const file of this.#closing) closeSync(file)
  }

  #begin(): Promise<void> {
    this.#round = this.#syncAll().finally(() => {
      this.#round = undefined
    })
    return this.#round
  }

  async #syncAll(): Promise<void> {
    const files = this.#written
    const named = this.#named
    this.#written = new Map()
    this.#named = false
    const syncs = Array.from(files, ([file, end]) => this.#syncFile(file, end))
    if (named) syncs.push(this.#syncDirectory())
    const failed = (await Promise.allSettled(syncs)).find((sync) => sync.status === 'rejected')
    if (failed) {
      if (!this.#failing) this.#options.onFailure(failed.reason)
      this.#failing = true
      throw failed.reason
    }
    if (this.#failing) this.#options.onRecovery()
    this.#failing = false
  }

  async #syncFile(file: number, end: number): Promise<void> {
    try {
      if (this.#failed.has(file)) writeAnew(file, this.#synced.get(file) ?? 0, end)
      await dataSync(file)
    } catch (error) {
      this.#failed.add(file)
      if (!this.#written.has(file)) this.#written.set(file, end)
      throw error
    }
    this.#failed.delete(file)
    this.#synced.set(file, end)
    // It may have been written, and taken over, while the disk was at work.
    if (this.#written.has(file) || !this.#closing.delete(file)) return
    this.#synced.delete(file)
    close(file)
  }

  /** Makes new and removed names in the directory survive. */
  async #syncDirectory(): Promise<void> {
    try {
      const handle = await open(this.#options.directory, 'r')
      await handle.sync().finally(() => handle.close())
    } catch (error) {
      this.#named = true
      throw error
    }
  }
}

const dataSync = (file: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fdatasync(file, (error) => (error ? reject(error) : resolve()))
  })

/** Writes a stretch of a file where it stands, in one turn, so that nothing is appended or cut meanwhile. */
function writeAnew(file: number, start: number, end: number): void {
  const bytes = Buffer.allocUnsafe(end - start)
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(file, bytes, done, bytes.length - done, start + done)
    if (read === 0) throw new Error('a segment is shorter than was written')
    done += read
  }
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, start + done)
}
