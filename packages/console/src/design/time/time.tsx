/** Instants in words, in the time zone that the viewer chose. */
import { useEffect, useState } from 'react'
import { serverNow } from '../../api/server-clock.ts'
import { useTimeZone } from '../../session/time-zone.tsx'
import { texts } from './texts.ts'

const MINUTE_MS = 60_000

export interface TimeWords {
  readonly zone: string
  /** 21 Nov 2026, 14:05:09 */
  full(instant: Instant): string
  /** 21 Nov, 14:05 */
  short(instant: Instant): string
  /** 21 Nov, 14:05:09 */
  exact(instant: Instant): string
  /** 14:05:09 */
  second(instant: Instant): string
  /** 14:05:09.123 */
  clock(instant: Instant): string
  /** 21 Nov 2026 */
  day(instant: Instant): string
  /** 21 Nov */
  date(instant: Instant): string
  /** 14:05 */
  minute(instant: Instant): string
}
export type Instant = number | string | Date

/** Making a format costs far more than using it, so there is one set for each zone. */
const wordsByZone = new Map<string, TimeWords>()

export function useTime(): TimeWords {
  const { zone } = useTimeZone()
  const known = wordsByZone.get(zone)
  if (known) return known
  const words = formatters(zone)
  wordsByZone.set(zone, words)
  return words
}

function formatters(zone: string): TimeWords {
  const make = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', ...options })
    return (instant: Instant) => {
      const date = new Date(instant)
      return Number.isNaN(date.getTime()) ? '–' : format.format(date)
    }
  }
  const date = { day: 'numeric', month: 'short' } as const
  const minute = { hour: '2-digit', minute: '2-digit' } as const
  return {
    zone,
    full: make({ ...date, year: 'numeric', ...minute, second: '2-digit' }),
    short: make({ ...date, ...minute }),
    exact: make({ ...date, ...minute, second: '2-digit' }),
    second: make({ ...minute, second: '2-digit' }),
    clock: make({ ...minute, second: '2-digit', fractionalSecondDigits: 3 }),
    day: make({ ...date, year: 'numeric' }),
    date: make(date),
    minute: make(minute),
  }
}

/** "3 min ago", "in 2 h"; recomputed every half minute. The exact instant is its title. `otherwise` is shown for null. */
export function RelativeTime(props: { readonly instant: Instant | null; readonly otherwise?: string }) {
  const { instant, otherwise = '–' } = props
  const time = useTime()
  const now = useNow(MINUTE_MS / 2)
  if (instant === null) return <span className="soft">{otherwise}</span>
  const date = new Date(instant)
  if (Number.isNaN(date.getTime())) return <span className="soft">–</span>
  return (
    <time dateTime={date.toISOString()} title={`${time.full(date)} (${time.zone})`}>
      {relativeWords(date.getTime() - now)}
    </time>
  )
}

/** The present of the control plane in milliseconds, refreshed every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

const STEPS: readonly (readonly [number, Intl.RelativeTimeFormatUnit])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [MINUTE_MS, 'minute'],
]
const relative = new Intl.RelativeTimeFormat('en', { style: 'narrow', numeric: 'auto' })

/** A signed distance from the present, in milliseconds, in words: "3 min ago". */
export function relativeWords(distanceMs: number): string {
  for (const [stepMs, unit] of STEPS)
    if (Math.abs(distanceMs) >= stepMs) return relative.format(Math.trunc(distanceMs / stepMs), unit)
  return texts.justNow
}
