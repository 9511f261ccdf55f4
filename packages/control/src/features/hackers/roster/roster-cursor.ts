/**
 * Cursors of a sorted roster: the last row of a page and what it was sorted by, with the start of the window that was counted and its
 * end, so that all pages are about the same counts. Opaque and unsigned: whatever is in it, the caller's organization is not.
 */
import { HACKER_SORTS } from '@sallyport/contract'
import { z } from 'zod'
import { invalid } from '../../../errors.ts'
import { LATEST_MOMENT_MS } from '../../../http/request/date-math.ts'

const instant = z.int().min(0).max(LATEST_MOMENT_MS)
const schema = z.object({
  sort: z.enum(HACKER_SORTS),
  order: z.enum(['asc', 'desc']),
  // So many characters are of one or two units each.
  key: z.string().max(128),
  id: z.uuid(),
  from: instant,
  to: instant,
})
export type RosterCursor = z.infer<typeof schema>

export const writeRosterCursor = (cursor: RosterCursor): string =>
  Buffer.from(JSON.stringify(cursor)).toString('base64url')

/** Refuses what was not written for this order. */
export function readRosterCursor(
  text: string,
  { sort, order }: Pick<RosterCursor, 'sort' | 'order'>,
): RosterCursor {
  const cursor = parse(text)
  if (cursor?.sort !== sort || cursor.order !== order || !isKey(cursor))
    throw invalid('query/cursor', 'is not a cursor of this list')
  return cursor
}

function isKey({ sort, key, id }: RosterCursor): boolean {
  if (sort === 'name') return !key.includes('\0') && key.isWellFormed()
  return sort === 'created' ? key === id : isNumber(key)
}

/** As PostgreSQL writes a double. It refuses what is too great for one, and what is so small that it would become 0. */
function isNumber(text: string): boolean {
  if (text === 'Infinity') return true
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text)) return false
  return Number(text) === 0 ? /^[-0.]+(e|$)/.test(text) : Number.isFinite(Number(text))
}

function parse(text: string): RosterCursor | undefined {
  try {
    return schema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))).data
  } catch {
    return undefined
  }
}
