/** Tells a process from a later one that got the same id, so that a stale lock or child is known as such. */

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { systemErrorCode } from './operator-error.ts'

export interface ProcessIdentity {
  readonly pid: number
  /** When it started, in whatever unit the system has; compared, never read. */
  readonly started: string
}

/** The identity of a running process; nothing when there is none, or only a zombie. */
export function identify(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedElsewhere(pid)
  return started === undefined ? undefined : { pid, started }
}

/** Whether exactly that process still runs. */
export const isRunning = (identity: ProcessIdentity): boolean =>
  identify(identity.pid)?.started === identity.started

function startedOnLinux(pid: number): string | undefined {
  try {
    // proc(5): the name, in parentheses, may hold anything; fields after it begin with the state (3); start time is 22.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(systemErrorCode(error))) return undefined
    throw error
  }
}

function startedElsewhere(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
  } catch {
    return undefined
  }
}

/** The account of the operating system, and the machine; an account may have no name, as in a container. */
export function whoRuns(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}@${hostname()}`
  }
}
