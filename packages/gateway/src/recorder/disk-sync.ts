/**
 * Makes what is written survive the machine's death: one round of syncs at a time, for whoever waits.
 *
 * A caller joins the round under way if that has taken all there is, and waits for the next one if something was written
 * since. What fails stays to be synced, so the next round tries it again.
 */
import { close, closeSync, fdatasync } from 'node:fs'
import { open } from 'node:fs/promises'

export interface DiskSyncOptions {
  readonly directory: string
  /** Called with each round's outcome when it differs from the last one's. */
  readonly onFailure: (cause: unknown) => void
  readonly onRecovery: () => void
}

export class DiskSync {
  readonly #options: DiskSyncOptions
  /** Files that no round has taken since they were last written. */
  #written = new Set<number>()
  /** Files that are written no more, and closed when they are synced. */
  readonly #closing = new Set<number>()
  #named = false
  #round: Promise<void> | undefined
  #nextRound: Promise<void> | undefined
  #failing = false

  constructor(options: DiskSyncOptions) {
    this.#options = options
  }

  /** Notes that a file was written. */
  noteWritten(file: number): void {
    this.#written.add(file)
  }

  /** Notes that the directory has a new name in it. */
  noteNamed(): void {
    this.#named = true
  }

  /** Takes over a file that is written no more: it is synced, then closed. */
  takeOver(file: number): void {
    this.#written.add(file)
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
    this.#written = new Set()
    this.#named = false
    const syncs = Array.from(files, (file) => this.#syncFile(file))
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

  async #syncFile(file: number): Promise<void> {
    try {
      await dataSync(file)
    } catch (error) {
      this.#written.add(file)
      throw error
    }
    // It may have been written, and taken over, while the disk was at work.
    if (!this.#written.has(file) && this.#closing.delete(file)) close(file)
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
