/** The window of time that a caller asks for, read from `gte`, `lte` and `timeZone`. */

import { type Edge, isTimeZone, parseMoment } from './date-math.ts'

const DAY_MS = 86_400_000

export interface WindowQuery {
  readonly gte?: string | undefined
  readonly lte?: string | undefined
  readonly timeZone?: string | undefined
}

/** [from, to), milliseconds since the epoch. */
export interface Window {
  readonly from: number
  readonly to: number
  readonly timeZone: string
  /** It ends now. Nothing is later, but for what a gateway whose clock is ahead has dated so. */
  readonly isOpen: boolean
}

/** One parameter of the query is not valid: a 400 that names it. */
export class BadParameter extends Error {
  readonly parameter: string
  constructor(parameter: string, message: string) {
    super(message)
    this.parameter = parameter
  }
}

/**
 * Reads a window; without `lte` it ends now, without `gte` it begins `lengthMs` before its end, 24 hours unless given. `lte` is included, to
 * the millisecond. Throws `BadParameter`.
 */
export function readWindow(query: WindowQuery, now: number, lengthMs = DAY_MS): Window {
  const timeZone = query.timeZone || 'UTC'
  if (!isTimeZone(timeZone))
    throw new BadParameter('timeZone', 'must be the IANA name of a time zone, such as Europe/Budapest')
  const moment = (parameter: 'gte' | 'lte', edge: Edge, otherwise: number): number => {
    const text = query[parameter]
    if (text === undefined || text === '') return otherwise
    try {
      return parseMoment(text, edge, { now, timeZone })
    } catch (error) {
      throw new BadParameter(parameter, error instanceof Error ? error.message : 'not a moment')
    }
  }
  const last = moment('lte', 'end', now)
  const from = moment('gte', 'start', last - lengthMs)
  if (from > last) throw new BadParameter('gte', 'must not be after lte')
  return { from, to: last + 1, timeZone, isOpen: last === now }
}

/** How an answer names the window that it is about. */
export const describeWindow = ({ from, to }: Pick<Window, 'from' | 'to'>): { gte: string; lte: string } => ({
  gte: new Date(from).toISOString(),
  lte: new Date(to - 1).toISOString(),
})
