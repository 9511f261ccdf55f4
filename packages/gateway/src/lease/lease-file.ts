/**
 * What is left of the lease, across a restart: the moment from which it counts, by the wall clock and by the time since the
 * machine was started. Both go on while the gateway is not running; what is further counts. A clock that stands before what was
 * written tells nothing, so there is no lease then.
 */
import { readFile } from 'node:fs/promises'
import { uptime } from 'node:os'
import type { Log } from '../settings.ts'
import { replaceFile } from '../snapshot/own-files.ts'
import type { Lease } from './lease.ts'

/** Linux names each start of the machine here. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id'
/** A restart takes away so much of the lease at most, besides the time that it takes. */
const WRITE_INTERVAL_MS = 2_000

interface Written {
  readonly wallMs: number
  readonly bootId: string
  readonly uptimeMs: number
}

export class LeaseFile {
  readonly #path: string
  readonly #log: Log
  readonly #bootId: string
  #work: Promise<void> = Promise.resolve()
  #writtenAt = Number.NEGATIVE_INFINITY
  #hasFailed = false

  private constructor(path: string, log: Log, bootId: string) {
    this.#path = path
    this.#log = log
    this.#bootId = bootId
  }

  static async open(path: string, log: Log): Promise<LeaseFile> {
    return new LeaseFile(path, log, await readFile(BOOT_ID, 'utf8').catch(() => ''))
  }

  /** Gives a lease what is left of it by the file. */
  async restore(lease: Lease): Promise<void> {
    const written = await this.#read()
    if (written === undefined) return
    const now = lease.now()
    const sinceWallMs = now.wallMs - written.wallMs
    const isSameStart = this.#bootId !== '' && written.bootId === this.#bootId
    const sinceUptimeMs = isSameStart ? uptime() * 1_000 - written.uptimeMs : 0
    if (sinceWallMs < 0) return
    const agoMs = Math.max(sinceWallMs, sinceUptimeMs)
    lease.vouchedAt({ monotonicMs: now.monotonicMs - agoMs, wallMs: now.wallMs - agoMs })
  }

  /** Writes the lease down, unless that was done a moment ago. */
  keep(lease: Lease): void {
    const now = lease.now().monotonicMs
    if (now - this.#writtenAt < WRITE_INTERVAL_MS) return
    this.#writtenAt = now
    this.#work = this.#work.then(() => this.#write(lease)).catch((error: Error) => this.#note(error))
  }

  /** Resolves when everything that was kept is written. */
  async flushed(): Promise<void> {
    await this.#work
  }

  async #write(lease: Lease): Promise<void> {
    const { ageMs } = lease
    const written: Written = {
      wallMs: Math.floor(lease.now().wallMs - ageMs),
      bootId: this.#bootId,
      uptimeMs: Math.floor(uptime() * 1_000 - ageMs),
    }
    await replaceFile(this.#path, JSON.stringify(written))
    this.#hasFailed = false
  }

  async #read(): Promise<Written | undefined> {
    try {
      const { wallMs, bootId, uptimeMs }: Partial<Written> = JSON.parse(await readFile(this.#path, 'utf8'))
      if (!Number.isFinite(wallMs) || !Number.isFinite(uptimeMs)) return undefined
      return { wallMs: Number(wallMs), bootId: String(bootId), uptimeMs: Number(uptimeMs) }
    } catch {
      // Without it nothing is vouched for, and that is what a damaged one says, too.
      return undefined
    }
  }

  #note(error: Error): void {
    if (!this.#hasFailed)
      this.#log(
        'error',
        `the lease cannot be written to ${this.#path}, a restart will lose it: ${error.message}`,
      )
    this.#hasFailed = true
  }
}
