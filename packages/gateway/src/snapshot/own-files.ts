/**
 * What a gateway writes is for its own user alone: the journal holds what researchers sent, the last good snapshot what
 * tells their keys. Nothing of it relies on the process's umask.
 */
import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Mode of a file that is made. A umask can only take away from it. */
export const OWNER_ONLY = 0o600
const FOLDER_OWNER_ONLY = 0o700
const OTHERS = 0o077

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

/** A file of another user is left as that user made it, because only its owner may change this; one may be gone meanwhile. */
async function closeToOthers(path: string, mode: number): Promise<void> {
  try {
    if (((await stat(path)).mode & OTHERS) !== 0) await chmod(path, mode)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EPERM' && code !== 'ENOENT') throw error
  }
}
