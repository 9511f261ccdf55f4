/** Processor time of a process from /proc, all its threads together. */
import { readdirSync, readFileSync } from 'node:fs'
import { runWrk } from './programs.ts'

/** proc(5): user and system time are fields 14 and 15, in ticks of 10 ms, after the name in parentheses. */
const TICK_US = 10_000

/** Microseconds that the process has spent so far, in user and in system mode together. */
export function cpuTimeUs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_US
}

/** Microseconds on a processor so far of all threads that a process has, from what the scheduler counts in nanoseconds. */
export function threadTimesUs(pid: number): number {
  const tasks = `/proc/${pid}/task`
  const times = readdirSync(tasks).map((thread) => readFileSync(`${tasks}/${thread}/schedstat`, 'utf8'))
  return times.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1000
}

/** What `cpuTimeUs` says, of a process and its children together, such as PostgreSQL and its connections. */
export function cpuTimeWithChildrenUs(pid: number): number {
  const running = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const isChild = (other: string): boolean => {
    try {
      const stat = readFileSync(`/proc/${other}/stat`, 'utf8')
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid
    } catch {
      return false
    }
  }
  const children = running.filter(isChild).map(Number)
  return [pid, ...children].reduce((sum, one) => sum + cpuTimeUs(one), 0)
}

export interface Measured {
  readonly cpuUs: number
  readonly perSecond: number
  /** Time within which 99 of 100 requests were answered, milliseconds. */
  readonly p99Ms: number
}

/** Loads `url` with wrk, after a second of it, and says what that cost a process for each request. Throws on a refusal. */
export async function measureLoad(
  pid: number,
  url: string,
  headers: Readonly<Record<string, string>>,
  load: { readonly connections: number; readonly seconds: number },
): Promise<Measured> {
  await runWrk(url, headers, { ...load, seconds: 1 })
  const before = cpuTimeUs(pid)
  const { requests, requestsPerSecond: perSecond, refused, p99Ms } = await runWrk(url, headers, load)
  if (refused > 0) throw new Error(`${refused} of ${requests} requests to ${url} were refused`)
  return { cpuUs: (cpuTimeUs(pid) - before) / requests, perSecond, p99Ms }
}
