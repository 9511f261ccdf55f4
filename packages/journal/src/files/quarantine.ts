/** The folder `damaged/` of a journal: bytes that cannot be used or that nobody takes, each stretch beside a file with the reason. */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
  await writeFile(path, bytes, { mode: OWNER_ONLY, flush: true })
  const { segment, start, batchId, event, reason } = report
  const what =
    segment === undefined
      ? `event ${event} of batch ${batchId}`
      : `journal segment ${segment}: ${bytes.length} bytes at ${start}`
  log(`${what} set aside in ${path}: ${reason}`)
  return true
}
