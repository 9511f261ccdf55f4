/** Files and folders that only their owner may read. */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Makes the folder where it is missing, and closes it to everybody else, whatever lies in it and however it was made. */
export function makePrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true })
  chmodSync(directory, 0o700)
}

/** Writes `value` as JSON, mode 0600, whole or not at all, also when the machine dies. When this returns, the file is on the disk under its name. */
export function writePrivateJson(file: string, value: object): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
  const folder = openSync(dirname(file), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
