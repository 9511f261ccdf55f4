/** Files and folders that only their owner may read. */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { lstat, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isDiskFull, OperatorError, systemErrorCode } from './operator-error.ts'
import { ENDING_SIGNALS } from './roles/run-role.ts'

/** Makes the folder where it is missing, and closes it to everybody else, whatever lies in it and however it was made. */
export function makePrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true })
  chmodSync(directory, 0o700)
}

/** Writes `value` as JSON, as `writePrivateText` writes. */
export const writePrivateJson = (file: string, value: object): void =>
  writePrivateText(file, `${JSON.stringify(value, null, 2)}\n`)

/**
 * Writes a text, mode 0600, whole or not at all, also when the machine dies. When this returns, the file is on the disk under its name. Throws
 * an `OperatorError` where its disk is full.
 */
export function writePrivateText(file: string, text: string): void {
  try {
    // Into a file that is there, which a write that was cut off left, others might be able to read already.
    rmSync(`${file}.new`, { force: true })
    writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true, flag: 'wx' })
    renameSync(`${file}.new`, file)
    syncFolder(dirname(file))
  } catch (error) {
    throw isDiskFull(error) ? cannotBeWritten(file, error, 'make room on its disk') : error
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** The system does not name the file whose disk is full. */
const cannotBeWritten = (file: string, error: unknown, remedy: string): OperatorError =>
  new OperatorError(`${file} cannot be written (${systemErrorCode(error)}): ${remedy}`)

/**
 * Has a file written under a name of its own beside the one that it is to have, which it gets once it is whole: what is there stays until
 * then, and of two who write the same file each writes its own. `write` is given that name, and makes the file. It is removed where the
 * process is told to end; what one that was killed has left goes when a file is written beside it a day later. Throws an `OperatorError`
 * where its disk is full.
 */
export async function writeWhole<Result>(
  file: string,
  write: (unfinished: string) => Promise<Result>,
): Promise<Result> {
  await removeAbandoned(dirname(file))
  const unfinished = `${file}.${randomBytes(4).toString('hex')}.unfinished`
  const release = removeWithUs(unfinished)
  try {
    const result = await write(unfinished)
    await rename(unfinished, file)
    return result
  } catch (error) {
    throw isDiskFull(error)
      ? cannotBeWritten(file, error, 'make room on its disk, or name a file elsewhere')
      : error
  } finally {
    release()
    await rm(unfinished, { force: true })
  }
}

const UNFINISHED = /.\.[0-9a-f]{8}\.unfinished$/
/** Who writes a file changes it all the time, but while it is read again at the end. */
const ABANDONED_AFTER_MS = 86_400_000

/** A folder that cannot be read, or a file that somebody else removes: nothing depends on it. */
async function removeAbandoned(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const path of names.filter((name) => UNFINISHED.test(name)).map((name) => join(folder, name))) {
    const found = await lstat(path).catch(() => undefined)
    if (found?.isFile() && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS)
      await rm(path, { force: true }).catch(() => undefined)
  }
}

/** Removes a file when this process ends, also by a signal. The returned function takes that back. */
function removeWithUs(path: string): () => void {
  const remove = (): void => rmSync(path, { force: true })
  const ends = ENDING_SIGNALS.map(([signal, status]) => [signal, () => process.exit(status)] as const)
  process.once('exit', remove)
  // Not once: a repeated signal would end the process before the file is removed.
  for (const [signal, end] of ends) process.on(signal, end)
  return () => {
    process.off('exit', remove)
    for (const [signal, end] of ends) process.off(signal, end)
  }
}

/** Its text. A folder of that name is what containers make of a file that is mounted and is not there. */
export function readOwnFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (systemErrorCode(error) !== 'EISDIR') throw error
    throw new OperatorError(
      `${file} is a folder, where a file is kept: put the file there, or remove the folder`,
    )
  }
}

/** The text of a file; made and kept where there is none, or an empty one, as a crash or a full disk may have left. */
export function keepPrivateText(file: string, make: () => string): string {
  const kept = existsSync(file) ? readOwnFile(file).trim() : ''
  if (kept !== '') return kept
  const made = make()
  writePrivateText(file, made)
  return made
}

/** What an operator hands over in a file, `-` for the standard input, where arguments would be seen by everybody on the machine. */
export function readGivenFile(option: string, file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw new OperatorError(`${option}: ${file} cannot be read (${systemErrorCode(error)})`)
  }
}
