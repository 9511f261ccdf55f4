/**
 * An immutable index from names to row numbers, of which a changed copy costs only what changed. It keeps a 32-bit hash
 * in the place of each name, so it can only say where a name may be: whoever asks looks at the row itself.
 *
 * The shards are hash tables with open addressing in typed arrays, which the garbage collector neither marks nor moves.
 */
import { randomInt } from 'node:crypto'

const SHARDS = 256
const SLOTS_MIN = 8
const FNV_PRIME = 0x01000193
/** Drawn anew by each process, so that nobody can prepare names that all fall together. */
const HASH_SEED = randomInt(2 ** 32)
/** What stands in the place of a row: nothing yet, or a row that was removed. */
const EMPTY = 0
const REMOVED = -1

/** A slot is two numbers: the hash, and the row plus one. */
interface Shard {
  readonly slots: Int32Array
  /** Slots that are not empty; those of removed rows among them. */
  readonly used: number
}
const EMPTY_SHARD: Shard = { slots: new Int32Array(2 * SLOTS_MIN), used: 0 }

/** Says whether the row is the one that has the name. */
export type RowTest = (row: number, name: string) => boolean

export class NameIndex {
  readonly #shards: readonly Shard[]

  private constructor(shards: readonly Shard[]) {
    this.#shards = shards
  }

  static readonly empty = new NameIndex(new Array<Shard>(SHARDS).fill(EMPTY_SHARD))

  /** The row that has the name, by `isIt`; -1 where there is none. */
  find(name: string, isIt: RowTest): number {
    return findIn(this.#shards, name, isIt)
  }

  edit(): NameIndexEdit {
    return new NameIndexEdit(this.#shards, (shards) => new NameIndex(shards))
  }
}

/** Changes to an index that become a new one; the old one stays as it was. */
export class NameIndexEdit {
  readonly #shards: Shard[]
  /** Numbers of the shards that are this edit's own already. */
  readonly #own = new Set<number>()
  readonly #finish: (shards: readonly Shard[]) => NameIndex

  constructor(shards: readonly Shard[], finish: (shards: readonly Shard[]) => NameIndex) {
    this.#shards = [...shards]
    this.#finish = finish
  }

  find(name: string, isIt: RowTest): number {
    return findIn(this.#shards, name, isIt)
  }

  add(name: string, row: number): void {
    const hash = hashOf(name)
    const number = shardNumber(hash)
    let { slots, used } = this.#ownShard(number)
    // At most half full: otherwise most searches would run into their neighbours.
    if (4 * (used + 1) > slots.length) ({ slots, used } = grown(slots))
    put(slots, hash, row + 1)
    this.#shards[number] = { slots, used: used + 1 }
  }

  remove(name: string, row: number): void {
    const hash = hashOf(name)
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

  #ownShard(number: number): Shard {
    const shard = this.#shards[number] ?? EMPTY_SHARD
    if (this.#own.has(number)) return shard
    const copy = { slots: shard.slots.slice(), used: shard.used }
    this.#own.add(number)
    this.#shards[number] = copy
    return copy
  }
}

function findIn(shards: readonly Shard[], name: string, isIt: RowTest): number {
  const hash = hashOf(name)
  const { slots } = shards[shardNumber(hash)] ?? EMPTY_SHARD
  for (let at = firstSlot(slots, hash); slots[at + 1] !== EMPTY; at = nextSlot(slots, at)) {
    const row = (slots[at + 1] ?? 0) - 1
    if (slots[at] === hash && row >= 0 && isIt(row, name)) return row
  }
  return -1
}

/** The same rows in twice the room that they need at least, without the removed ones. */
function grown(slots: Int32Array): Shard {
  let used = 0
  for (let at = 1; at < slots.length; at += 2) if ((slots[at] ?? EMPTY) > 0) used += 1
  let size = 2 * SLOTS_MIN
  while (size < 8 * used) size *= 2
  const larger = new Int32Array(size)
  for (let at = 0; at < slots.length; at += 2) {
    const place = slots[at + 1] ?? EMPTY
    if (place > 0) put(larger, slots[at] ?? 0, place)
  }
  return { slots: larger, used }
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

/** FNV-1a over the whole name, and the last steps of MurmurHash3, so that names alike do not become neighbours. */
function hashOf(name: string): number {
  let hash = HASH_SEED
  for (let index = 0; index < name.length; index += 1)
    hash = Math.imul(hash ^ name.charCodeAt(index), FNV_PRIME)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
