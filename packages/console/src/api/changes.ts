/**
 * Changes of one's own, made to a thing as it is now: what somebody else changed since it was shown stays. `before` and
 * `after` are what one began with and what one made of it; swapped, they take the change back.
 */
import type { CallOptions } from './api.ts'
import { problemOf } from './error-words.ts'

const STALE = 412
const ATTEMPTS_MAX = 5

/** Reads a thing and writes what becomes of it; begins again where somebody else was quicker. */
export async function changeAsItIs<Now, After>(
  read: () => Promise<{ readonly body: Now; readonly etag: string | null }>,
  write: (now: Now, options: CallOptions) => Promise<After>,
): Promise<After> {
  for (let attempt = 1; ; attempt++) {
    const { body, etag } = await read()
    // A tag that a proxy made weak names no version: the API would refuse every change by it.
    const options = etag?.startsWith('"') ? { ifMatch: etag } : {}
    try {
      return await write(body, options)
    } catch (error) {
      if (problemOf(error)?.status !== STALE || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

/** What the fields that `changes` names were before: the changes that take them back. */
export function takenBack<Fields extends object>(before: Fields, changes: Partial<Fields>): Partial<Fields> {
  const entries = Object.keys(changes).map((name) => [name, before[name as keyof Fields]])
  return Object.fromEntries(entries) as Partial<Fields>
}

/** Of the edits there are now, those that were not saved with `saved`: what was typed meanwhile. */
export function notSaved<Edits extends object>(edits: Edits, saved: Edits): Partial<Edits> {
  const names = Object.keys(edits) as (keyof Edits)[]
  const entries = names.filter((name) => edits[name] !== saved[name]).map((name) => [name, edits[name]])
  return Object.fromEntries(entries) as Partial<Edits>
}

interface Identified {
  readonly id: string
}

/** The list as it is now, with what was added, removed and edited between `before` and `after`. */
export function withChanges<Item extends Identified>(
  before: readonly Item[],
  after: readonly Item[],
  now: readonly Item[],
): Item[] {
  const old = new Map(before.map((item) => [item.id, item]))
  const mine = new Map(after.map((item) => [item.id, item]))
  const changed = now
    .filter(({ id }) => mine.has(id) || !old.has(id))
    .map((item) => {
      const edited = mine.get(item.id)
      return edited ? { ...item, ...editsOf(old.get(item.id), edited) } : item
    })
  const present = new Set(now.map(({ id }) => id))
  after.forEach((item, place) => {
    const isKept = isSame(item, old.get(item.id))
    if (!present.has(item.id) && !isKept) changed.splice(place, 0, item)
  })
  return changed
}

/** The fields that an edit changed; one that it took off is undefined. */
function editsOf<Item extends object>(before: Item | undefined, after: Item): Partial<Item> {
  const names = Object.keys({ ...before, ...after }) as (keyof Item)[]
  const entries = names
    .filter((name) => !isSame(before?.[name], after[name]))
    .map((name) => [name, after[name]])
  return Object.fromEntries(entries) as Partial<Item>
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
