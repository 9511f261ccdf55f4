/** The arithmetic of a timeline of stacked bars: where its lines, words and bars go, in pixels. */
const TICK_PIXELS_MIN = 32
const LABEL_PIXELS_MIN = 84
/** A series that has any count in a bucket is at least this tall there, so that one refusal among thousands shows. */
const BAR_PIXELS_MIN = 1.5
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const LABEL_STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 14, 28].map((days) => days * DAY_MS),
]

/** Whole numbers from 0 up that label the value axis: steps of 1, 2 or 5 times a power of ten, the last at or over `top`. */
export function valueTicks(top: number, heightPixels: number): readonly number[] {
  const roughStep = Math.max(top, 1) / Math.max(Math.floor(heightPixels / TICK_PIXELS_MIN), 1)
  const power = 10 ** Math.floor(Math.log10(roughStep))
  const step = Math.max(([1, 2, 5, 10].find((one) => one * power >= roughStep) ?? 10) * power, 1)
  const count = Math.max(Math.ceil(top / step), 1)
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** How long most buckets are, milliseconds: of days, a few have 23 or 25 hours. A minute where there is only one. */
export function bucketMs(starts: readonly number[]): number {
  const lengths = starts.slice(1).map((start, index) => start - (starts[index] ?? start))
  return lengths.toSorted((left, right) => left - right)[(lengths.length - 1) >> 1] ?? MINUTE_MS
}

/** The moment at a place on the time axis, in buckets from its left. */
export function momentAt(starts: readonly number[], place: number): number {
  const index = Math.floor(place)
  const start = starts[index] ?? 0
  return Math.round(start + (place - index) * (bucketEnd(starts, index) - start))
}

/** When a bucket ends: where the next begins, which on the day of a change of the clocks is not 24 hours later. */
export const bucketEnd = (starts: readonly number[], index: number): number =>
  starts[index + 1] ?? (starts[index] ?? 0) + bucketMs(starts)

/**
 * Where the time axis gets words, in buckets from its left: at round moments of the viewer's zone, as many as fit. That is within a
 * bucket where the clocks have changed since the first, from which buckets of hours go on evenly. `offsetMs` is what the zone's clock
 * is ahead of UTC.
 */
export function labelledBuckets(
  starts: readonly number[],
  widthPixels: number,
  offsetMs: (start: number) => number,
): readonly number[] {
  if (starts.length === 0) return []
  const pixelsPerBucket = widthPixels / starts.length
  const spanMs = bucketMs(starts)
  const stepMs =
    LABEL_STEPS_MS.find((one) => one >= spanMs && (one / spanMs) * pixelsPerBucket >= LABEL_PIXELS_MIN) ??
    Math.ceil(LABEL_PIXELS_MIN / pixelsPerBucket) * spanMs
  const round = starts.flatMap((start, index) => {
    const wall = Math.ceil((start + offsetMs(start)) / stepMs) * stepMs
    const moment = wall - offsetMs(wall - offsetMs(start))
    const place = (moment - start) / (bucketEnd(starts, index) - start)
    return place >= 0 && place < 1 ? [index + place] : []
  })
  if (round.length > 0) return round
  const every = Math.max(Math.ceil(LABEL_PIXELS_MIN / pixelsPerBucket), 1)
  return starts.flatMap((_, index) => (index % every === 0 ? [index] : []))
}

export interface BarFrame {
  readonly left: number
  readonly width: number
  /** The pixel of the value 0, from the top. */
  readonly bottom: number
  readonly height: number
  /** The value at the top of the frame. */
  readonly top: number
}

/** One SVG path a series: all of its bars, each on top of those of the series before it. */
export function barPaths(series: readonly (readonly number[])[], frame: BarFrame): readonly string[] {
  const buckets = series[0]?.length ?? 0
  const slot = frame.width / Math.max(buckets, 1)
  const width = Math.max(slot > 4 ? slot - Math.max(slot * 0.18, 1) : slot, 0.75)
  const bottoms = new Array<number>(buckets).fill(frame.bottom)
  return series.map((values) => {
    let path = ''
    values.forEach((value, index) => {
      if (value <= 0) return
      const bottom = bottoms[index] ?? frame.bottom
      const height = Math.max((value / frame.top) * frame.height, BAR_PIXELS_MIN)
      bottoms[index] = bottom - height
      const left = frame.left + index * slot + (slot - width) / 2
      path += `M${fixed(left)} ${fixed(bottom)}v${fixed(-height)}h${fixed(width)}v${fixed(height)}z`
    })
    return path
  })
}

const fixed = (value: number): string => value.toFixed(2)

/** A count that is compared with the bucket that begins at the same moment. */
export interface TimelinePoint {
  /** Milliseconds since the epoch, moved into the window that is shown. */
  readonly at: number
  readonly value: number
}

/** The points of a line over the middle of buckets, as `points` of an SVG polyline has them; those out of sight are left out. */
export function linePoints(
  points: readonly TimelinePoint[],
  starts: readonly number[],
  frame: BarFrame,
): string {
  const [first] = starts
  if (first === undefined) return ''
  const spanMs = bucketMs(starts)
  const slot = frame.width / starts.length
  return points
    .map(({ at, value }) => ({ bucket: (at - first) / spanMs, value }))
    .filter(({ bucket }) => bucket > -0.5 && bucket < starts.length - 0.5)
    .map(({ bucket, value }) => {
      const y = frame.bottom - (value / frame.top) * frame.height
      return `${fixed(frame.left + (bucket + 0.5) * slot)},${fixed(y)}`
    })
    .join(' ')
}

/** Things at moments of the window, those that would stand on each other together; `x` in pixels, of the first. */
export function placeMoments<Moment extends { readonly at: number }>(
  moments: readonly Moment[],
  starts: readonly number[],
  frame: Pick<BarFrame, 'left' | 'width'>,
  apartPixels: number,
): readonly { readonly x: number; readonly moments: readonly Moment[] }[] {
  const [first] = starts
  if (first === undefined) return []
  const lengthMs = bucketEnd(starts, starts.length - 1) - first
  const places: { x: number; moments: Moment[] }[] = []
  for (const moment of moments.toSorted((left, right) => left.at - right.at)) {
    const share = (moment.at - first) / lengthMs
    if (share < 0 || share > 1) continue
    const x = frame.left + share * frame.width
    const last = places.at(-1)
    if (last && x - last.x < apartPixels) last.moments.push(moment)
    else places.push({ x, moments: [moment] })
  }
  return places
}

/** Counts of one kind, a value for each bucket of time. */
export interface TimelineSeries {
  readonly name: string
  /** A colour of the design as a value of CSS, for example `var(--outcome-origin)`. */
  readonly colour: string
  readonly values: readonly number[]
}
