/** The folder `damaged/` of a journal: bytes that cannot be used or that nobody takes, each stretch beside a file with the reason. */
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JournalOptions } from '../journal-options.ts'
import { FOLDER_OWNER_ONLY, OWNER_ONLY } from '../segments.ts'

/** What is set aside, under which name, and what is said of it. */
interface QuarantinedBytes {
  readonly name: string
  readonly bytes: Buffer
  readonly report: Readonly<Record<string, string | number>> & { readonly reason: string }
}

/** Bytes of a segment that are not a whole record, or of which the other half is lost. */
interface DamagedBytes {
  readonly segment: number
  readonly start: number
  readonly bytes: Buffer
  readonly reason: string
}

export const damagedBytes = ({ segment, start, bytes, reason }: DamagedBytes): QuarantinedBytes => ({
  name: `${segment}-${start}`,
  bytes,
  report: { segment, start, bytes: bytes.length, reason },
})

/** Writes the bytes, once, beside the file with the reason, and says so. Returns false where they are there already. */
export async function quarantine(
  directory: string,
  { name, bytes, report }: QuarantinedBytes,
  log: (line: string) => void,
): Promise<boolean> {
  const folder = join(directory, 'damaged')
  const path = join(folder, `${name}.bytes`)
  if (existsSync(path)) return false
  await mkdir(folder, { recursive: true, mode: FOLDER_OWNER_ONLY })
  const file = { ...report, foundAt: new Date().toISOString() }
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(file, null, 2)}\n`, { mode: OWNER_ONLY })
  await writeWhole(path, bytes)
  const { segment, start, batchId, event, reason } = report
  const what =
    segment === undefined
      ? `event ${event} of batch ${batchId}`
      : `journal segment ${segment}: ${bytes.length} bytes at ${start}`
  log(`${what} set aside in ${path}: ${reason}`)
  return true
}

/** What has its name is whole: by that it is known not to be written again. */
async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  const unfinished = `${path}.new`
  try {
    await writeFile(unfinished, bytes, { mode: OWNER_ONLY, flush: true })
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined)
    throw error
  }
}

/** What is set aside while a journal is open. */
export class Quarantine {
  readonly #options: Pick<JournalOptions, 'directory' | 'log'>
  #bytes: number

  /** `bytes`: what was found damaged before it was opened. */
  constructor(options: Pick<JournalOptions, 'directory' | 'log'>, bytes: number) {
    this.#options = options
    this.#bytes = bytes
  }

  /** How many bytes there were in all. */
  get bytes(): number {
    return this.#bytes
  }

  /** Copies bytes out that turned out damaged while they were read back, or of which the other half is lost. Never rejects. */
  async addDamaged(damaged: DamagedBytes): Promise<void> {
    const { directory, log } = this.#options
    const { segment, start, bytes } = damaged
    this.#bytes += bytes.length
    await quarantine(directory, damagedBytes(damaged), (line) => log('warn', line)).catch(
      (error: unknown) => {
        const what = `journal segment ${segment}: ${bytes.length} bytes at ${start}`
        log('error', `${what} cannot be set aside: ${error}`)
      },
    )
  }

  /** Counts bytes of a segment that are gone, and says how many events that were not sent went with them, at most. */
  noteLost(segment: number, start: number, bytes: number, eventsMax: number): void {
    this.#bytes += bytes
    this.#options.log(
      'error',
      `journal segment ${segment}: ${bytes} bytes from ${start} on are gone, because somebody deleted or cut the file; at most ${eventsMax} requests are lost with them`,
    )
  }

  /** Copies an event of a batch out that nobody takes. Rejects where that cannot be written. */
  async addEvent(batchId: string, event: number, bytes: Buffer, reason: string): Promise<void> {
    const { directory, log } = this.#options
    const report = { batchId, event, bytes: bytes.length, reason }
    const name = `batch-${batchId}-${event}`
    if (await quarantine(directory, { name, bytes, report }, (line) => log('error', line)))
      this.#bytes += bytes.length
  }
}
