/**
 * Points in time as callers write them: ISO 8601, milliseconds since the epoch, or date math in Elasticsearch's
 * notation (`now-24h`, `now-7d/d`, `2026-01-01||+1M/d`).
 *
 * As there, rounding with `/` goes down where a window begins and up, to the unit's last millisecond, where it ends;
 * and what an ISO date leaves out is filled with its least, or its greatest, value.
 */
import { DateTime, type DateTimeUnit, IANAZone } from 'luxon'

/** What a moment is for: the start of a window (`gte`) or its end (`lte`, included). */
export type Edge = 'start' | 'end'

export interface DateMathContext {
  /** What `now` means, milliseconds since the epoch. */
  readonly now: number
  /** IANA name of the zone in which days begin and times without an offset are read. */
  readonly timeZone: string
}

/** The text is not a moment. The message says what is. */
export class BadMoment extends Error {}

const UNITS: Readonly<Record<string, DateTimeUnit>> = {
  y: 'year',
  M: 'month',
  w: 'week',
  d: 'day',
  h: 'hour',
  H: 'hour',
  m: 'minute',
  s: 'second',
}
const MATH = /^(?:([+-])(\d{1,9})|\/)([yMwdhHms])/
/** Each step of date math is an act of its own. */
const MOMENT_CHARS_MAX = 64
const EPOCH_MILLISECONDS = /^\d{10,15}$/
/** Instants beyond these mean nothing here and would not fit the store's columns. */
const EARLIEST = Date.UTC(1970, 0)
export const LATEST_MOMENT_MS = Date.UTC(2200, 0)

/** Whether the runtime knows the zone. */
export const isTimeZone = (name: string): boolean => IANAZone.isValidZone(name)

/** Reads a moment and returns milliseconds since the epoch. Throws `BadMoment`. */
export function parseMoment(text: string, edge: Edge, context: DateMathContext): number {
  if (text.length > MOMENT_CHARS_MAX) throw badMoment(text)
  const [anchor, math] = anchorOf(text, edge, context)
  const instant = applyMath(anchor, math, edge, text).toMillis()
  if (!(instant >= EARLIEST && instant <= LATEST_MOMENT_MS)) throw farMoment(text)
  return instant
}

function anchorOf(text: string, edge: Edge, { now, timeZone }: DateMathContext): [DateTime, string] {
  if (text.startsWith('now')) return [DateTime.fromMillis(now, { zone: timeZone }), text.slice(3)]
  const [date = '', math = '', ...rest] = text.split('||')
  if (rest.length > 0) throw badMoment(text)
  if (EPOCH_MILLISECONDS.test(date)) return [DateTime.fromMillis(Number(date), { zone: timeZone }), math]
  // A date with math after it is an exact anchor; only a bare one is filled up to its end.
  return [readIso(date, math === '' ? edge : 'start', timeZone, text), math]
}

const ISO = /^\d{4}(-\d{2}(-\d{2}(T\d{2}(:\d{2}(:\d{2}([.,]\d{1,9})?)?)?(Z|[+-]\d{2}(:?\d{2})?)?)?)?)?$/

function readIso(date: string, edge: Edge, timeZone: string, text: string): DateTime {
  const match = ISO.exec(date)
  if (!match) throw badMoment(text)
  const [, month, day, hour, minute, second, fraction] = match
  const instant = DateTime.fromISO(date, { zone: timeZone })
  if (!instant.isValid) throw badMoment(text)
  if (edge === 'start' || fraction !== undefined) return instant
  const unit = second ? 'second' : minute ? 'minute' : hour ? 'hour' : day ? 'day' : month ? 'month' : 'year'
  return instant.endOf(unit)
}

function applyMath(anchor: DateTime, math: string, edge: Edge, text: string): DateTime {
  let instant = anchor
  let rest = math
  while (rest !== '') {
    const [step, sign, amount, letter = ''] = MATH.exec(rest) ?? []
    const unit = UNITS[letter]
    if (!step || !unit) throw badMoment(text)
    if (sign) instant = instant.plus({ [unit]: Number(amount) * (sign === '+' ? 1 : -1) })
    else instant = edge === 'start' ? instant.startOf(unit) : instant.endOf(unit)
    rest = rest.slice(step.length)
  }
  if (!instant.isValid) throw farMoment(text)
  return instant
}

const farMoment = (text: string): BadMoment =>
  new BadMoment(`"${text}" does not lie in the years 1970 to 2199`)

const badMoment = (text: string): BadMoment =>
  new BadMoment(
    `"${text.slice(0, 64)}" is not a moment: write ISO 8601, or date math such as now-24h, now-7d/d or 2026-01-01||+1M/d`,
  )
