/**
 * An immutable index from names to row numbers, of which a changed copy costs only what changed. It knows each name by a
 * 32-bit hash, so it yields candidates only: the caller compares the row itself.
 *
 * The shards are hash tables with open addressing in typed arrays, which the garbage collector neither marks nor moves.
 */
import { randomInt } from 'node:crypto'

const SHARDS = 256
const SLOTS_MIN = 8
const FNV_PRIME = 0x01000193
/** Drawn anew by each process, so that nobody can prepare names that all fall together. */
const HASH_SEED = randomInt(2 ** 32)
/** Slot markers: empty, or a row that was removed. */
const EMPTY = 0
const REMOVED = -1

/** A slot is two numbers: the hash, and the row plus one. */
interface Shard {
  readonly slots: Int32Array
  /** Slots that are not empty; those of removed rows among them. */
  readonly used: number
}
/** A shard that one edit alone has. */
interface OwnShard extends Shard {
  slots: Int32Array
  used: number
}
const EMPTY_SHARD: Shard = { slots: new Int32Array(2 * SLOTS_MIN), used: 0 }

/** Says whether a row is the one that is looked for. */
export type RowTest<Sought> = (row: number, sought: Sought) => boolean

export class NameIndex {
  readonly #shards: readonly Shard[]

  private constructor(shards: readonly Shard[]) {
    this.#shards = shards
  }

  static readonly empty = new NameIndex(new Array<Shard>(SHARDS).fill(EMPTY_SHARD))

  /** The row that has the name of this hash, by `isIt`; -1 where there is none. */
  find<Sought>(hash: number, isIt: RowTest<Sought>, sought: Sought): number {
    return findIn(this.#shards, hash, isIt, sought)
  }

  edit(): NameIndexEdit {
    return new NameIndexEdit(this.#shards, (shards) => new NameIndex(shards))
  }
}

/** Changes to an index that become a new one; the old one stays as it was. */
export class NameIndexEdit {
  readonly #shards: Shard[]
  /** By number: the shards that are this edit's own already. */
  readonly #own: (OwnShard | undefined)[] = new Array(SHARDS).fill(undefined)
  readonly #finish: (shards: readonly Shard[]) => NameIndex

  constructor(shards: readonly Shard[], finish: (shards: readonly Shard[]) => NameIndex) {
    this.#shards = [...shards]
    this.#finish = finish
  }

  find<Sought>(hash: number, isIt: RowTest<Sought>, sought: Sought): number {
    return findIn(this.#shards, hash, isIt, sought)
  }

  add(hash: number, row: number): void {
    const shard = this.#ownShard(shardNumber(hash))
    // At most half full: otherwise most searches would run into their neighbours.
    if (4 * (shard.used + 1) > shard.slots.length) grow(shard)
    put(shard.slots, hash, row + 1)
    shard.used += 1
  }

  remove(hash: number, row: number): void {
    const { slots } = this.#ownShard(shardNumber(hash))
    for (let at = firstSlot(slots, hash); slots[at + 1] !== EMPTY; at = nextSlot(slots, at))
      if (slots[at] === hash && slots[at + 1] === row + 1) {
        slots[at + 1] = REMOVED
        return
      }
  }

  /** The edited index. The edit must not be used after it. */
  finish(): NameIndex {
    return this.#finish(this.#shards)
  }

  #ownShard(number: number): OwnShard {
    const known = this.#own[number]
    if (known) return known
    const { slots, used } = this.#shards[number] ?? EMPTY_SHARD
    const own = { slots: slots.slice(), used }
    this.#own[number] = own
    this.#shards[number] = own
    return own
  }
}

function findIn<Sought>(
  shards: readonly Shard[],
  hash: number,
  isIt: RowTest<Sought>,
  sought: Sought,
): number {
  const { slots } = shards[shardNumber(hash)] ?? EMPTY_SHARD
  for (let at = firstSlot(slots, hash); slots[at + 1] !== EMPTY; at = nextSlot(slots, at)) {
    const row = (slots[at + 1] ?? 0) - 1
    if (slots[at] === hash && row >= 0 && isIt(row, sought)) return row
  }
  return -1
}

/** Gives a shard twice the room that it needs at least, and leaves the removed rows out. */
function grow(shard: OwnShard): void {
  const { slots } = shard
  let used = 0
  for (let at = 1; at < slots.length; at += 2) if ((slots[at] ?? EMPTY) > 0) used += 1
  let size = 2 * SLOTS_MIN
  while (size < 8 * used) size *= 2
  const larger = new Int32Array(size)
  for (let at = 0; at < slots.length; at += 2) {
    const place = slots[at + 1] ?? EMPTY
    if (place > 0) put(larger, slots[at] ?? 0, place)
  }
  shard.slots = larger
  shard.used = used
}

function put(slots: Int32Array, hash: number, place: number): void {
  let at = firstSlot(slots, hash)
  while (slots[at + 1] !== EMPTY) at = nextSlot(slots, at)
  slots[at] = hash
  slots[at + 1] = place
}

const firstSlot = (slots: Int32Array, hash: number): number => (2 * hash) & (slots.length - 2)
const nextSlot = (slots: Int32Array, at: number): number => (at + 2) & (slots.length - 2)
/** From other bits of the hash than the slot. */
const shardNumber = (hash: number): number => (hash >>> 24) & (SHARDS - 1)

/** The hash of a name: FNV-1a over the whole of it, and the last steps of MurmurHash3. */
export function hashOf(name: string): number {
  let hash = HASH_SEED
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), FNV_PRIME)
  return mixed(hash)
}

/** The same of a name that lies in bytes, each of them a character of it. */
export function hashOfAscii(bytes: Buffer, from: number, end: number): number {
  let hash = HASH_SEED
  for (let at = from; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), FNV_PRIME)
  return mixed(hash)
}

/** So that names alike do not become neighbours. */
function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35)
  return mix ^ (mix >>> 16)
}
