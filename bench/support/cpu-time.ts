/** Processor time of a process from /proc, all its threads together. */
import { readFileSync } from 'node:fs'

/** proc(5): user and system time are fields 14 and 15, in ticks of 10 ms, after the name in parentheses. */
const TICK_US = 10_000

/** Microseconds that the process has spent so far, in user and in system mode together. */
export function cpuTimeUs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_US
}
