/** Where visits lie in lanes of a day each, by the clock of a time zone. */
import { fromLocalInput, toLocalInput } from '../../../design/time/local-time.ts'

interface Span {
  readonly start: string
  readonly end: string
}

/** A visit, or the part of it that lies in one day. `left` and `width` are shares of the day. */
export interface LaneBar<Visit> {
  readonly visit: Visit
  readonly left: number
  readonly width: number
}

export interface VisitLane<Visit> {
  /** Its midnight, ISO 8601. */
  readonly day: string
  readonly bars: readonly LaneBar<Visit>[]
}

const DAY_CHARS = 10
/** Lands in the next day also where the clocks change. */
const INTO_NEXT_DAY_MS = 30 * 3_600_000

/** A lane for each day with a visit, the newest first, its bars in order of time; a visit over midnight is in two. */
export function laneLayout<Visit extends Span>(
  visits: readonly Visit[],
  zone: string,
): readonly VisitLane<Visit>[] {
  const lanes = new Map<number, LaneBar<Visit>[]>()
  for (const visit of visits) {
    const [start, end] = [Date.parse(visit.start), Date.parse(visit.end)]
    for (let from = midnightOf(start, zone); from <= end; ) {
      const to = midnightOf(from + INTO_NEXT_DAY_MS, zone)
      const left = (Math.max(start, from) - from) / (to - from)
      const width = (Math.min(end, to) - from) / (to - from) - left
      lanes.set(from, [...(lanes.get(from) ?? []), { visit, left, width }])
      if (to <= from) break
      from = to
    }
  }
  return [...lanes]
    .sort(([left], [right]) => right - left)
    .map(([from, bars]) => ({
      day: new Date(from).toISOString(),
      bars: bars.sort((left, right) => left.left - right.left),
    }))
}

function midnightOf(instant: number, zone: string): number {
  const day = toLocalInput(new Date(instant).toISOString(), zone).slice(0, DAY_CHARS)
  const midnight = Date.parse(fromLocalInput(`${day}T00:00`, zone) ?? '')
  // Of an instant that the zone's clock cannot show, the day is that of UTC.
  return Number.isNaN(midnight) ? instant - (instant % 86_400_000) : midnight
}
