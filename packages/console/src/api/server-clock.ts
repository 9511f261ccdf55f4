/**
 * The present by the clock of the control plane. What is shown as "3 min ago", or as open until an instant, has its times from
 * there, and the clock of the viewer's computer may be hours wrong.
 */

/** The `Date` of an answer has whole seconds and is as old as the answer was on its way: less than this is no fault of a clock. */
const TOLERANCE_MS = 10_000

/** What the control plane's clock is ahead of this computer's. */
let aheadMs = 0

/** Milliseconds since the epoch. */
export const serverNow = (): number => Date.now() + aheadMs

/** Learns of the `Date` header of an answer; one without it changes nothing. */
export function learnServerClock(date: string | null): void {
  const differenceMs = Date.parse(date ?? '') - Date.now()
  if (Number.isNaN(differenceMs)) return
  aheadMs = Math.abs(differenceMs) < TOLERANCE_MS ? 0 : differenceMs
}
