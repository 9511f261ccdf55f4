/**
 * One process at a time in a data directory.
 *
 * The lock is a file that names its holder. A holder that was killed leaves it behind; the next one sees that the
 * process is gone and takes it over. A child of a supervisor that was killed notices that and stops by itself; the
 * next one waits for it, and ends it when it does not.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError, systemErrorCode } from './operator-error.ts'
import { identify, isRunning, type ProcessIdentity } from './process-identity.ts'

interface Holder extends ProcessIdentity {
  /** The process that would start the holder again; absent when it was started by hand. */
  readonly supervisor?: ProcessIdentity
}

const ORPHAN_STOP_MS = 15_000
const FULL_DISK = ['ENOSPC', 'EDQUOT']

/** Makes the directory where it is missing and takes its lock, until `release` or the end of the process. */
export async function lockDirectory(directory: string, supervisorPid?: number): Promise<{ release(): void }> {
  const self = identify(process.pid)
  if (!self) throw new Error('this process cannot see itself')
  const supervisor = supervisorPid === undefined ? undefined : identify(supervisorPid)
  const mine: Holder = supervisor ? { ...self, supervisor } : self
  const lockFile = join(directory, 'lock')
  const offer = `${lockFile}.${process.pid}`
  try {
    mkdirSync(directory, { recursive: true, mode: 0o711 })
    writeFileSync(offer, JSON.stringify(mine), { mode: 0o600 })
  } catch (error) {
    const code = systemErrorCode(error)
    const isFull = FULL_DISK.includes(code)
    if (isFull) rmSync(offer, { force: true })
    const remedy = isFull ? 'make room on its disk' : 'make it writable'
    throw new OperatorError(
      `the data directory ${directory} cannot be written (${code}): ${remedy}, or set SALLYPORT_DATA_DIR to another`,
    )
  }
  try {
    // A link either makes the lock file, whole, or fails because there is one.
    while (!tryLink(offer, lockFile)) await removeStale(lockFile, directory)
  } finally {
    rmSync(offer, { force: true })
  }
  return { release: () => rmSync(lockFile, { force: true }) }
}

function tryLink(offer: string, lockFile: string): boolean {
  try {
    linkSync(offer, lockFile)
    return true
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Removes the lock once its holder is gone, or throws. */
async function removeStale(lockFile: string, directory: string): Promise<void> {
  const text = readLock(lockFile)
  if (text === undefined) return
  const holder = parseHolder(text)
  if (holder && isRunning(holder)) await endOrphan(holder, directory)
  // Another process may have taken the lock over since it was read: what is moved away must be what was read.
  const moved = `${lockFile}.stale.${process.pid}`
  try {
    renameSync(lockFile, moved)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return
    throw error
  }
  if (readLock(moved) !== text && !tryLink(moved, lockFile)) throw inUse(directory, undefined)
  rmSync(moved)
}

async function endOrphan(holder: Holder, directory: string): Promise<void> {
  const isOrphan = holder.supervisor && !isRunning(holder.supervisor)
  if (!isOrphan) throw inUse(directory, holder.pid)
  for (let waited = 0; waited < ORPHAN_STOP_MS; waited += 50) {
    await delay(50)
    if (!isRunning(holder)) return
  }
  process.kill(holder.pid, 'SIGKILL')
  while (isRunning(holder)) await delay(10)
}

function readLock(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** A lock file that says nothing readable was not written by us whole, so nobody holds it. */
function parseHolder(text: string): Holder | undefined {
  try {
    const value: Partial<Holder> = JSON.parse(text)
    if (typeof value.pid !== 'number' || typeof value.started !== 'string') return undefined
    return {
      pid: value.pid,
      started: value.started,
      ...(value.supervisor && { supervisor: value.supervisor }),
    }
  } catch {
    return undefined
  }
}

const inUse = (directory: string, pid: number | undefined): OperatorError =>
  new OperatorError(
    `the data directory ${directory} is in use${pid ? ` by process ${pid}` : ''}: stop that Sallyport, or set SALLYPORT_DATA_DIR to another`,
  )
