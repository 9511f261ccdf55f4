/**
 * What a gateway writes is for its own user alone: the journal holds what researchers sent, the last good snapshot what
 * tells their keys. Nothing of it relies on the process's umask.
 */
import { chmod, mkdir, open, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Mode of a file that is made. A umask can only take away from it. */
export const OWNER_ONLY = 0o600
const FOLDER_OWNER_ONLY = 0o700
const OTHERS = 0o077

/** A file of the gateway's own that only the operator can mend; the message says how. */
export class UnfitFile extends Error {
  readonly code = 'UNFIT_FILE'
}

/** Makes a folder that is the gateway's own, and takes from everybody else what an earlier version let them have in it. */
export async function makeOwnFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: FOLDER_OWNER_ONLY })
  await closeToOthers(folder, FOLDER_OWNER_ONLY)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await makeOwnFolder(path)
    else if (entry.isFile()) await closeToOthers(path, OWNER_ONLY)
  }
}

/** A folder where a file is kept: what containers make of a file that is mounted and is not there. */
export class FolderInPlace extends UnfitFile {
  constructor(path: string) {
    super(`${path} is a folder, where a file is kept: put the file there, or remove the folder`)
  }
}

/** The text of a file; undefined where there is none. Throws a `FolderInPlace` for a folder. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return undefined
    if (code !== 'EISDIR') throw error
    throw new FolderInPlace(path)
  }
}

/** Replaces a file whole: who reads it finds the one before or this one. Either may be what is left when the machine dies. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.new`, content, { mode: OWNER_ONLY })
  await rename(`${path}.new`, path)
}

/** Replaces a file whole; it is on the disk under its name when this resolves. */
export async function replaceFileOnDisk(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.new`, content, { mode: OWNER_ONLY, flush: true })
  await renameOnDisk(`${path}.new`, path)
}

/** Renames a file that is on the disk; it is there under its new name when this resolves. */
export async function renameOnDisk(from: string, to: string): Promise<void> {
  await rename(from, to)
  const folder = await open(dirname(to), 'r')
  await folder.sync().finally(() => folder.close())
}

/** A file of another user is left as that user made it, because only its owner may change this; one may be gone meanwhile. */
async function closeToOthers(path: string, mode: number): Promise<void> {
  try {
    if (((await stat(path)).mode & OTHERS) !== 0) await chmod(path, mode)
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'EPERM' && code !== 'ENOENT') throw error
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined
