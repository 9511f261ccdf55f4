/**
 * Edits beside those of other people: optimistic concurrency by entity tags, and a three-way merge of lists and fields.
 * `before` and `after` are what an edit began with and what it made of that; swapped, they undo it.
 */
import type { CallOptions } from './api.tsx'
import { EditConflict, problemOf } from './error-words.ts'

const PRECONDITION_FAILED = 412
const ATTEMPTS_MAX = 5

/** Reads something and writes what becomes of it; starts over where somebody else has written it in between. */
export async function readModifyWrite<Now, After>(
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
      if (problemOf(error)?.status !== PRECONDITION_FAILED || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

/** The values that the fields of `changes` had before: the changes that undo them. */
export function previousValues<Fields extends object>(
  before: Fields,
  changes: Partial<Fields>,
): Partial<Fields> {
  const entries = Object.keys(changes).map((name) => [name, before[name as keyof Fields]])
  return Object.fromEntries(entries) as Partial<Fields>
}

/** Undoes a change of one field; throws where somebody set it otherwise since. */
export const revertField =
  <Fields extends object>(
    { before, after }: { readonly before: Fields; readonly after: Fields },
    field: keyof Fields,
  ) =>
  (now: Fields): Fields => {
    if (!isSame(now[field], after[field])) throw new EditConflict()
    return { ...now, [field]: before[field] }
  }

/** Of the present edits, those that were made after `saved` was sent. */
export function unsavedEdits<Edits extends object>(edits: Edits, saved: Edits): Partial<Edits> {
  const names = Object.keys(edits) as (keyof Edits)[]
  const entries = names.filter((name) => edits[name] !== saved[name]).map((name) => [name, edits[name]])
  return Object.fromEntries(entries) as Partial<Edits>
}

interface Identified {
  readonly id: string
}

/** Merges into the list as it is `now` what was added, removed and edited between `before` and `after`. */
export function mergeLists<Item extends Identified>(
  before: readonly Item[],
  after: readonly Item[],
  now: readonly Item[],
): Item[] {
  const old = new Map(before.map((item) => [item.id, item]))
  const mine = new Map(after.map((item) => [item.id, item]))
  const merged = now
    .filter(({ id }) => mine.has(id) || !old.has(id))
    .map((item) => {
      const edited = mine.get(item.id)
      return edited ? { ...item, ...editedFields(old.get(item.id), edited) } : item
    })
  const present = new Set(now.map(({ id }) => id))
  after.forEach((item, index) => {
    const isUnchanged = isSame(item, old.get(item.id))
    if (!present.has(item.id) && !isUnchanged) merged.splice(index, 0, item)
  })
  return merged
}

/** The fields that an edit changed; one that it removed is undefined. */
function editedFields<Item extends object>(before: Item | undefined, after: Item): Partial<Item> {
  const names = Object.keys({ ...before, ...after }) as (keyof Item)[]
  const entries = names
    .filter((name) => !isSame(before?.[name], after[name]))
    .map((name) => [name, after[name]])
  return Object.fromEntries(entries) as Partial<Item>
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
