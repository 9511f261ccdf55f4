/**
 * Cursors of the request log. A cursor holds the window with the position, so that the pages of `now-24h` are all about
 * the same 24 hours. It is opaque and unsigned: whatever is in it, the caller's organization is not.
 */

import { EVENT_KINDS } from '@sallyport/contract'
import { z } from 'zod'
import { LATEST_MOMENT_MS } from '../../http/request/date-math.ts'
import { BadParameter } from '../../http/request/window.ts'
import type { Direction, LogPosition } from './store/request-log.ts'

export interface Cursor {
  readonly direction: Direction
  readonly position: LogPosition
  readonly from: number
  readonly to: number
}

/** A window may include the last millisecond that a moment can name, and ends after it. */
const instant = z
  .int()
  .min(0)
  .max(LATEST_MOMENT_MS + 1)
const schema = z.tuple([z.enum(['older', 'newer']), instant, z.uuid(), z.enum(EVENT_KINDS), instant, instant])

export const writeCursor = ({ direction, position, from, to }: Cursor): string =>
  Buffer.from(JSON.stringify([direction, position.time, position.id, position.kind, from, to])).toString(
    'base64url',
  )

/** Throws `BadParameter` for anything that `writeCursor` did not write. */
export function readCursor(text: string): Cursor {
  try {
    const [direction, time, id, kind, from, to] = schema.parse(
      JSON.parse(Buffer.from(text, 'base64url').toString('utf8')),
    )
    return { direction, position: { time, id, kind }, from, to }
  } catch {
    throw new BadParameter('cursor', 'is not a cursor of this list')
  }
}
