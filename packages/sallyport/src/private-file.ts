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
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isDiskFull, OperatorError, systemErrorCode } from './operator-error.ts'

/** Makes the folder where it is missing, and closes it to everybody else, whatever lies in it and however it was made. */
export function makePrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true })
  chmodSync(directory, 0o700)
}

/** Writes `value` as JSON, as `writePrivateText` writes. */
export const writePrivateJson = (file: string, value: object): void =>
  writePrivateText(file, `${JSON.stringify(value, null, 2)}\n`)

/** Writes a text, mode 0600, whole or not at all, also when the machine dies. When this returns, the file is on the disk under its name. */
export function writePrivateText(file: string, text: string): void {
  // Into a file that is there, which a write that was cut off left, others might be able to read already.
  rmSync(`${file}.new`, { force: true })
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true, flag: 'wx' })
  renameSync(`${file}.new`, file)
  const folder = openSync(dirname(file), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/**
 * Has a file written under a name of its own beside the one that it is to have, which it gets once it is whole: what is there stays until
 * then, and of two who write the same file each writes its own. `write` is given that name, and makes the file; a run that is killed
 * leaves it. Throws an `OperatorError` where its disk is full.
 */
export async function writeWhole<Result>(
  file: string,
  write: (unfinished: string) => Promise<Result>,
): Promise<Result> {
  const unfinished = `${file}.${randomBytes(4).toString('hex')}.unfinished`
  try {
    const result = await write(unfinished)
    await rename(unfinished, file)
    return result
  } catch (error) {
    if (isDiskFull(error))
      throw new OperatorError(
        `${file} cannot be written (${systemErrorCode(error)}): make room on its disk, or name a file elsewhere`,
      )
    throw error
  } finally {
    await rm(unfinished, { force: true })
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
