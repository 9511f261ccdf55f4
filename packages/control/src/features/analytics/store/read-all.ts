/**
 * Every request of a scope, oldest first, however many there are: read a page at a time, so that memory holds one page
 * and the reader's pace decides when the next one is read.
 *
 * A page is asked for over a short stretch of time, which the table's order makes cheap; the stretch grows where there
 * is little and shrinks where there is much. Where there is nothing at all, the rollups say where it goes on: a window may be
 * two centuries long.
 */
import type { TrafficEvent } from '@sallyport/contract'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../query/time-segments.ts'
import { Parameters, type Scope, source } from './predicate.ts'
import { type LogPosition, positionOf, readLogPage } from './request-log.ts'

const PAGE_EVENTS_MAX = 5_000
/** More than that many ordinary events have. A page stays in memory for as long as its reader takes nothing. */
const PAGE_BYTES_MAX = 4 * 1024 * 1024
const STRETCH_MAX_MS = 7 * DAY_MS

/** Throws once `ends` is aborted: what was read until then is not all. */
export async function* readAll(
  store: TrafficStore,
  scope: Scope,
  ends?: AbortSignal,
): AsyncGenerator<TrafficEvent[]> {
  let stretchMs = HOUR_MS
  let from = scope.from
  let eventsMax = PAGE_EVENTS_MAX
  while (from < scope.to) {
    const stretch = { ...scope, from, to: Math.min(scope.to, from + stretchMs) }
    let position: LogPosition | undefined
    let pages = 0
    for (;;) {
      ends?.throwIfAborted()
      const max = { events: eventsMax, bytes: PAGE_BYTES_MAX }
      const { events, isFull } = await readLogPage(store, stretch, 'newer', max, position)
      if (events.length > 0) yield events
      pages += 1
      position = lastPosition(events) ?? position
      if (!isFull) break
      // Of large events the store need not read many that no page has room for.
      eventsMax = Math.min(PAGE_EVENTS_MAX, 2 * events.length)
    }
    from = position ? stretch.to : await nextRequest(store, { ...scope, from: stretch.to })
    stretchMs =
      pages === 1
        ? Math.min(STRETCH_MAX_MS, stretchMs * 2)
        : Math.max(MINUTE_MS, Math.floor(stretchMs / pages))
  }
}

const lastPosition = (events: readonly TrafficEvent[]): LogPosition | undefined => {
  const last = events.at(-1)
  return last && positionOf(last)
}

/**
 * An instant that no request of the scope's sites is before, in milliseconds since the epoch: up to an hour before the first one, or
 * the scope's end where there is none. Other filters are left out: the rollups do not know them.
 */
async function nextRequest(store: TrafficStore, scope: Scope): Promise<number> {
  const parameters = new Parameters()
  const ofSites = { ...scope, filter: { site: scope.filter.site } }
  const [first] = await store.query<{ seconds: number | null }>(
    `SELECT minOrNull(at) AS seconds FROM ${source(ofSites, 'traffic', ['requests'], parameters)}`,
    parameters.values,
  )
  return first?.seconds == null ? scope.to : Math.max(scope.from, first.seconds * 1000)
}
