/** What a virtual machine loses to others on the same host, which no process of its own can see. */
import { existsSync, readFileSync } from 'node:fs'

const FILE = '/proc/stat'
/** The first line's numbers up to `steal`; the time of guests, which follows, is counted as `user` already. */
const FIELDS = 8
const STOLEN = 7

/**
 * Begins to watch. The function it returns says what share of all processor time the host gave to others since then (`steal`
 * of proc_stat(5)), 0 to 1; undefined where the system does not say.
 */
export function watchStolen(): () => number | undefined {
  const before = ticks()
  return () => {
    const after = ticks()
    const spent = after.map((all, index) => all - (before[index] ?? 0))
    const total = spent.reduce((sum, one) => sum + one, 0)
    return total > 0 ? (spent[STOLEN] ?? 0) / total : undefined
  }
}

function ticks(): number[] {
  if (!existsSync(FILE)) return []
  const [first = ''] = readFileSync(FILE, 'utf8').split('\n')
  return first
    .split(/\s+/)
    .slice(1, 1 + FIELDS)
    .map(Number)
}
