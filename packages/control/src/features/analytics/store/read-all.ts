/**
 * Every request of a scope, oldest first, however many there are: read a page at a time, so that memory holds one page
 * and the reader's pace decides when the next one is read.
 *
 * A page is asked for over a short stretch of time, which the table's order makes cheap; the stretch grows where there
 * is little and shrinks where there is much.
 */
import type { TrafficEvent } from '@sallyport/contract'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../query/time-segments.ts'
import type { Scope } from './predicate.ts'
import { type LogPosition, positionOf, readRequests } from './request-log.ts'

const EXPORT_PAGE_EVENTS = 5_000
const STRETCH_MAX_MS = 7 * DAY_MS

export async function* readAll(store: TrafficStore, scope: Scope): AsyncGenerator<TrafficEvent[]> {
  let stretchMs = HOUR_MS
  let from = scope.from
  while (from < scope.to) {
    const stretch = { ...scope, from, to: Math.min(scope.to, from + stretchMs) }
    let position: LogPosition | undefined
    let pages = 0
    for (;;) {
      const events = await readRequests(store, stretch, 'newer', EXPORT_PAGE_EVENTS, position)
      if (events.length > 0) yield events
      pages += 1
      const last = events.at(-1)
      if (events.length < EXPORT_PAGE_EVENTS || !last) break
      position = positionOf(last)
    }
    from = stretch.to
    stretchMs =
      pages === 1
        ? Math.min(STRETCH_MAX_MS, stretchMs * 2)
        : Math.max(MINUTE_MS, Math.floor(stretchMs / pages))
  }
}
