/** Clocks: windows of sites, expiry of keys and the times of the record are each machine's own. */
import { type Finding, ok, warning } from './finding.ts'

/** A second is what HTTP tells, and another what the question takes. */
const APART_MAX_MS = 3_000

/** Compares another machine's clock with this one's. */
export function describeClock(check: string, theirs: number, ours = Date.now()): Finding {
  const apart = theirs - ours
  if (Math.abs(apart) <= APART_MAX_MS) return ok(check, 'goes as the one here')
  const seconds = Math.round(Math.abs(apart) / 1_000)
  return warning(
    check,
    `is ${seconds} s ${apart > 0 ? 'ahead of' : 'behind'} the one here`,
    'synchronize the clocks (chrony or systemd-timesyncd): sites open and keys expire by them',
  )
}
