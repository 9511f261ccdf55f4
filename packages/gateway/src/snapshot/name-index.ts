/**
 * An index from names to positions of rows, of which a changed copy costs only what changed. It knows each name by a 32-bit
 * hash, so it yields candidates only: the caller compares the row itself. The tables hold small integers alone, which the
 * garbage collector does not follow.
 */
import { randomInt } from 'node:crypto'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'

const SHARD_BITS = 10
const SEED_NAME = 'sallyport: seed of the name index'
const FNV_PRIME = 0x01000193
/** Drawn anew by each process, so that nobody can prepare names that all fall together; its threads have the same. */
const HASH_SEED = processSeed()

/** By hash: the position of the row, or those of several rows that share the hash. */
export type Shard = ReadonlyMap<number, number | readonly number[]>
type OwnShard = Map<number, number | readonly number[]>
const EMPTY_SHARD: Shard = new Map()

/** Says whether the row at a position is the one that is looked for. */
export type RowTest<Sought> = (position: number, sought: Sought) => boolean

/** A version of the index. It is changed only before it is in force; `copy` gives one that may be changed. */
export class NameIndex {
  readonly #shards: Shard[]
  /** By number: the shards that no other version has. */
  readonly #own = new Map<number, OwnShard>()

  private constructor(shards: Shard[]) {
    this.#shards = shards
  }

  static empty(): NameIndex {
    return new NameIndex(new Array<Shard>(2 ** SHARD_BITS).fill(EMPTY_SHARD))
  }

  copy(): NameIndex {
    return new NameIndex([...this.#shards])
  }

  /** The shards that differ from those of another version, by number. */
  *changedSince(before: NameIndex): Generator<readonly [number: number, shard: Shard]> {
    for (const [number, shard] of this.#shards.entries())
      if (shard !== before.#shards[number]) yield [number, shard]
  }

  /** Puts shards of another thread's version in the place of this one's: to be called before it is in force. */
  putShards(shards: Iterable<readonly [number: number, shard: Shard]>): void {
    for (const [number, shard] of shards) this.#shards[number] = shard
  }

  /** The position of the row that has the name of this hash, by `isIt`. */
  find<Sought>(hash: number, isIt: RowTest<Sought>, sought: Sought): number | undefined {
    const found = this.#shards[shardNumber(hash)]?.get(hash)
    if (typeof found === 'object') return found.find((position) => isIt(position, sought))
    return found !== undefined && isIt(found, sought) ? found : undefined
  }

  add(hash: number, position: number): void {
    const shard = this.#ownShard(hash)
    const found = shard.get(hash)
    if (found === undefined) shard.set(hash, position)
    else if (found !== position)
      shard.set(hash, [...positionsOf(found).filter((other) => other !== position), position])
  }

  remove(hash: number, position: number): void {
    const shard = this.#ownShard(hash)
    const rest = positionsOf(shard.get(hash)).filter((other) => other !== position)
    if (rest.length === 0) shard.delete(hash)
    else shard.set(hash, rest)
  }

  /** All positions, some dozens or hundreds at a time, each time with what is the same object while they are the same. */
  *positions(): Generator<readonly [same: object, positions: readonly number[]]> {
    for (const shard of this.#shards) if (shard.size > 0) yield [shard, [...shard.values()].flat()]
  }

  #ownShard(hash: number): OwnShard {
    const number = shardNumber(hash)
    const own = this.#own.get(number)
    if (own) return own
    const made: OwnShard = new Map(this.#shards[number])
    this.#own.set(number, made)
    this.#shards[number] = made
    return made
  }
}

const positionsOf = (found: number | readonly number[] | undefined): readonly number[] =>
  typeof found === 'number' ? [found] : (found ?? [])

const shardNumber = (hash: number): number => hash >>> (32 - SHARD_BITS)

function processSeed(): number {
  const known = getEnvironmentData(SEED_NAME)
  const seed = typeof known === 'number' ? known : randomInt(2 ** 32)
  setEnvironmentData(SEED_NAME, seed)
  return seed
}

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
