/**
 * One process at a time in a data directory, in whichever container.
 *
 * The lock is the kernel's, on a SQLite file that is held in exclusive mode (fcntl(2)): it ends with its process, however that dies, and
 * knows nothing of process ids, which mean another process in another container. Beside it `lock` says who holds it, for people, for a
 * version of before, and for a supervisor: a child of one that was killed notices that and stops by itself, so the next one waits for
 * it, and ends it when it does not. Nobody else may open the SQLite file in this process: to close it again would give the lock back.
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { DirectoryInUse, isDiskFullCode, OperatorError, systemErrorCode } from './operator-error.ts'
import { identify, isRunning, type ProcessIdentity } from './process-identity.ts'

interface Holder extends ProcessIdentity {
  /** The process that would start the holder again; absent when it was started by hand. */
  readonly supervisor?: ProcessIdentity
  /** It is a command: it ends by itself, and what it has started ends with it. */
  readonly isCommand?: true
  /** Where its process id means something; absent from a version of before, which has no lock but this file. */
  readonly host?: string
  readonly pidNamespace?: string
}

const ORPHAN_STOP_MS = 15_000
const LOOK_INTERVAL_MS = 50
/** Who has just got the lock has not written yet who it is, and one that was killed elsewhere may take a moment to end. */
const NAMING_MS = 500
/** SQLite's codes of a file that is none of its own: corrupt, not a database. */
const DAMAGED = [11, 26]
/** SQLite's codes of a lock that another has. */
const LOCKED = [5, 6]
const LOCK_FILE = 'lock.sqlite'
const HOLDER_FILE = 'lock'
/** One that nobody refers to would be closed by the garbage collector. */
const heldLocks = new Set<DatabaseSync>()

export interface DirectoryLock {
  release(): void
}

/** Makes the directory where it is missing and takes its lock, until `release` or the end of the process. */
export const lockDirectory = (directory: string, supervisorPid?: number): Promise<DirectoryLock> =>
  lockAs(directory, describeSelf(supervisorPid))

/** The same for a command, which others are told to wait for. */
export const lockForCommand = (directory: string): Promise<DirectoryLock> =>
  lockAs(directory, { ...describeSelf(undefined), isCommand: true })

/** Whether the last to lock the directory was a command, also one that was killed and has left what it had started. */
export const isHeldByCommand = (directory: string): boolean =>
  readHolder(join(directory, HOLDER_FILE))?.isCommand === true

async function lockAs(directory: string, self: Holder): Promise<DirectoryLock> {
  const holderFile = join(directory, HOLDER_FILE)
  try {
    mkdirSync(directory, { recursive: true, mode: 0o711 })
    accessSync(directory, constants.W_OK)
  } catch (error) {
    throw notWritable(directory, systemErrorCode(error))
  }
  let lock = tryLock(directory)
  for (let waited = 0, unseen = 0; !lock; waited += LOOK_INTERVAL_MS) {
    const isSeen = giveUpOrEndOrphan(directory, readHolder(holderFile), { waited, unseen })
    // One that ended between the two looks has given its lock back.
    unseen = isSeen ? 0 : unseen + LOOK_INTERVAL_MS
    await delay(LOOK_INTERVAL_MS)
    lock = tryLock(directory)
  }
  const held = lock
  heldLocks.add(held)
  try {
    await outliveEarlierVersion(directory, holderFile)
  } catch (error) {
    giveBack(held)
    throw error
  }
  noteHolder(holderFile, self)
  return {
    release: () => {
      rmSync(holderFile, { force: true })
      giveBack(held)
    },
  }
}

function giveBack(lock: DatabaseSync): void {
  heldLocks.delete(lock)
  lock.close()
}

function describeSelf(supervisorPid: number | undefined): Holder {
  const self = identify(process.pid)
  if (!self) throw new Error('this process cannot see itself')
  // One that is gone already, as when both were killed at a start, leaves an orphan as well.
  const supervisor =
    supervisorPid === undefined ? undefined : (identify(supervisorPid) ?? { pid: supervisorPid, started: '' })
  return { ...self, ...(supervisor && { supervisor }), host: hostname(), pidNamespace: ownPidNamespace() }
}

/** The lock, or undefined where another process has it. It takes no room on the disk. */
function tryLock(directory: string): DatabaseSync | undefined {
  let lock: DatabaseSync | undefined
  const path = join(directory, LOCK_FILE)
  try {
    // Whoever can read it can lock it.
    if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw notWritable(directory, systemErrorCode(error))
  }
  try {
    lock = new DatabaseSync(path, { timeout: 0 })
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY')
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock?.close()
    const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
    if (typeof code !== 'number') throw error
    if (LOCKED.includes(code & 0xff)) return undefined
    if (DAMAGED.includes(code & 0xff))
      throw new OperatorError(
        `${path} is damaged, and holds nothing but a lock: remove it while no Sallyport runs on ${directory}`,
      )
    throw notWritable(directory, error instanceof Error ? error.message : String(error))
  }
}

/**
 * Throws where the holder is not to be waited for any longer, and ends an orphan that has had its time; says whether it is seen.
 * `unseen` is for how long it was not, and both are in milliseconds.
 */
function giveUpOrEndOrphan(
  directory: string,
  holder: Holder | undefined,
  { waited, unseen }: { readonly waited: number; readonly unseen: number },
): boolean {
  const isSeen = holder !== undefined && isOfHere(holder) && isRunning(holder)
  if (!isSeen) {
    const named = holder && !isOfHere(holder) ? holder : undefined
    if (unseen >= NAMING_MS) throw new DirectoryInUse(inUse(directory, named))
    return false
  }
  const isOrphan = holder.supervisor !== undefined && !isRunning(holder.supervisor)
  if (!isOrphan) throw new DirectoryInUse(inUse(directory, holder))
  if (waited >= ORPHAN_STOP_MS) process.kill(holder.pid, 'SIGKILL')
  return true
}

/** A version of before holds no lock but the file that names it. */
async function outliveEarlierVersion(directory: string, holderFile: string): Promise<void> {
  for (let waited = 0; ; waited += LOOK_INTERVAL_MS) {
    const holder = readHolder(holderFile)
    if (!holder || holder.host !== undefined || !isRunning(holder)) return
    giveUpOrEndOrphan(directory, holder, { waited, unseen: waited })
    await delay(LOOK_INTERVAL_MS)
  }
}

/** On a full disk nothing is said of who has the lock. */
function noteHolder(holderFile: string, self: Holder): void {
  try {
    writeFileSync(holderFile, JSON.stringify(self), { mode: 0o600 })
  } catch {
    rmSync(holderFile, { force: true })
  }
}

/** Undefined where nothing readable is said. */
function readHolder(path: string): Holder | undefined {
  try {
    const value: Partial<Holder> = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof value.pid !== 'number' || typeof value.started !== 'string') return undefined
    const { pid, started, supervisor, isCommand, host, pidNamespace } = value
    return {
      ...{ pid, started },
      ...(supervisor && { supervisor }),
      ...(isCommand && { isCommand }),
      ...(host !== undefined && { host }),
      ...(pidNamespace !== undefined && { pidNamespace }),
    }
  } catch {
    return undefined
  }
}

/** Whether its process id is one of those that this process sees. */
const isOfHere = ({ host, pidNamespace }: Holder): boolean =>
  host === undefined || (host === hostname() && pidNamespace === ownPidNamespace())

/** Empty where the system has none. */
function ownPidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

function inUse(directory: string, holder: Holder | undefined): string {
  const who = holder
    ? ` by process ${holder.pid}${isOfHere(holder) ? '' : ` of another container or machine, on ${holder.host}`}`
    : ''
  if (holder?.isCommand)
    return `the data directory ${directory} is in use${who}, which is a command: try again when it has ended`
  return `the data directory ${directory} is in use${who}: stop that Sallyport, or set SALLYPORT_DATA_DIR to another`
}

/** What the operator is told of a data directory that cannot be written; `why` is the code of the system's error, or a sentence. */
export function notWritable(directory: string, why: string): OperatorError {
  const remedy = isDiskFullCode(why) ? 'make room on its disk' : 'make it writable'
  return new OperatorError(
    `the data directory ${directory} cannot be written (${why}): ${remedy}, or set SALLYPORT_DATA_DIR to another`,
  )
}
