/** Processes as the system sees them, for tests that kill parts of an installation. Linux only, like CI. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

export interface SeenProcess {
  readonly pid: number
  readonly command: string
}

/** The processes below `pid`, nearest first. */
export function descendantsOf(pid: number): SeenProcess[] {
  const children = childrenOf(pid)
  return [...children, ...children.flatMap((child) => descendantsOf(child.pid))]
}

/** Whether the process runs; a zombie does not. */
export function isAlive(pid: number): boolean {
  const state = readProc(pid, 'stat')?.replace(/^.*\) /s, '')[0]
  return state !== undefined && state !== 'Z'
}

/** Waits until none of the processes runs. Throws when one still does after `waitMs`. */
export async function untilGone(pids: readonly number[], waitMs = 10_000): Promise<void> {
  for (let waited = 0; waited < waitMs; waited += 20) {
    if (!pids.some(isAlive)) return
    await delay(20)
  }
  throw new Error(`still running: ${pids.filter(isAlive).join(', ')}`)
}

function childrenOf(pid: number): SeenProcess[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((child) => child > 0 && parentOf(child) === pid)
    .map((child) => ({
      pid: child,
      command: (readProc(child, 'cmdline') ?? '').replaceAll('\0', ' ').trim(),
    }))
}

// proc(5): the name, in parentheses, may hold anything; the fields after it are the state and the parent.
const parentOf = (pid: number): number =>
  Number(
    readProc(pid, 'stat')
      ?.replace(/^.*\) /s, '')
      .split(' ')[1],
  )

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return undefined
  }
}
