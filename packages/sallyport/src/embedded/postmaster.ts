/**
 * What `postmaster.pid` says about a cluster, and the end of a server that a killed supervisor left behind.
 * The file's lines: process id, data directory, start time, port, socket directory, listen address, shared memory key,
 * status (`starting`, `ready`, `stopping`).
 */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError, systemErrorCode } from '../operator-error.ts'

const FAST_STOP_MS = 10_000
const IMMEDIATE_STOP_MS = 5_000

/** Whether the server with process id `pid` says that it takes connections. */
export function isReady(clusterDir: string, pid: number | undefined): boolean {
  const lines = readPidFile(clusterDir)
  return pid !== undefined && Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

/** The socket directory of the server that runs on the cluster and takes connections; nothing where none does. */
export function socketDirOfRunning(clusterDir: string): string | undefined {
  const lines = readPidFile(clusterDir)
  const pid = Number(lines[0])
  return pid > 0 && isReady(clusterDir, pid) && isServerOf(pid, clusterDir) ? lines[4]?.trim() : undefined
}

/** Stops a server that still runs on the cluster without a supervisor, and what a dead one left: processes of its own, and files. */
export async function endStalePostmaster(clusterDir: string): Promise<void> {
  const lines = readPidFile(clusterDir)
  const pid = Number(lines[0])
  const isNamed = Number.isInteger(pid) && pid > 0
  if (isNamed && isServerOf(pid, clusterDir)) {
    // Fast shutdown first; immediate shutdown is safe too (the log is replayed) but makes the next start longer.
    if (!(await stop(pid, 'SIGINT', FAST_STOP_MS, clusterDir)))
      if (!(await stop(pid, 'SIGQUIT', IMMEDIATE_STOP_MS, clusterDir)))
        throw new OperatorError(
          `a PostgreSQL server (process ${pid}) still runs on ${clusterDir} and does not stop: stop it, then start again`,
        )
  }
  await endOrphans(clusterDir)
  if (!isNamed) return
  // A process id that now belongs to another program would make PostgreSQL refuse to start.
  rmSync(join(clusterDir, 'postmaster.pid'), { force: true })
  removeTemporarySocketDir(lines[4]?.trim() ?? '')
}

/**
 * Ends processes of a server that was killed. One that is busy with a statement does not notice, and keeps its shared memory: no other server
 * starts on the cluster until it has ended. What it did not commit is undone when the log is replayed, however it ends.
 */
async function endOrphans(clusterDir: string): Promise<void> {
  for (const pid of processesOn(clusterDir))
    if (!(await stop(pid, 'SIGQUIT', IMMEDIATE_STOP_MS, clusterDir)))
      await stop(pid, 'SIGKILL', IMMEDIATE_STOP_MS, clusterDir)
}

/** PostgreSQL's processes on a cluster; nothing where the system does not tell them. */
function processesOn(clusterDir: string): number[] {
  if (!existsSync('/proc/self/cwd')) return []
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  return pids.filter((pid) => isServerOf(pid, clusterDir) && isPostgres(pid))
}

/** The name that the system keeps of a program: a shell in the folder is none of the server's. */
function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres'
  } catch {
    return false
  }
}

const TEMPORARY_SOCKET_DIR = 'sallyport-'
const TEMPORARY_SOCKET_DIR_NAME = /^sallyport-[A-Za-z0-9]{6}$/

/** A folder for the socket of a server whose own one has too long a name. The next server makes another, so it goes with its server. */
export const makeTemporarySocketDir = (): string => mkdtempSync(join(tmpdir(), TEMPORARY_SOCKET_DIR))

function removeTemporarySocketDir(path: string): void {
  if (dirname(path) === tmpdir() && TEMPORARY_SOCKET_DIR_NAME.test(basename(path)))
    rmSync(path, { recursive: true, force: true })
}

function readPidFile(clusterDir: string): string[] {
  try {
    return readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return []
    throw error
  }
}

/** A server's working directory is its cluster, which tells it from a program that got its process id later. */
function isServerOf(pid: number, clusterDir: string): boolean {
  if (!isAlive(pid)) return false
  if (!existsSync('/proc/self/cwd')) return true
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(clusterDir)
  } catch {
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return systemErrorCode(error) === 'EPERM'
  }
}

async function stop(
  pid: number,
  signal: NodeJS.Signals,
  waitMs: number,
  clusterDir: string,
): Promise<boolean> {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It has ended since it was seen.
    if (systemErrorCode(error) !== 'ESRCH') throw error
  }
  for (let waited = 0; waited < waitMs; waited += 20) {
    await delay(20)
    if (!isServerOf(pid, clusterDir)) return true
  }
  return false
}
