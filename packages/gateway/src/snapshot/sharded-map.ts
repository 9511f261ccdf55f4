/**
 * An immutable map of which a changed copy costs only what changed: the entries are spread over many small maps, and a
 * copy shares all of them but those that an edit touched.
 */
const SHARDS = 1_024
const EDGE_CHARS = 12
const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

type Shard<Value> = ReadonlyMap<string, Value>

export class ShardedMap<Value> {
  readonly #shards: readonly Shard<Value>[]
  readonly size: number

  private constructor(shards: readonly Shard<Value>[], size: number) {
    this.#shards = shards
    this.size = size
  }

  static empty<Value>(): ShardedMap<Value> {
    return new ShardedMap<Value>(new Array<Shard<Value>>(SHARDS).fill(new Map()), 0)
  }

  get(key: string): Value | undefined {
    return this.#shards[shardOf(key)]?.get(key)
  }

  *values(): Generator<Value> {
    for (const shard of this.#shards) yield* shard.values()
  }

  *entries(): Generator<[string, Value]> {
    for (const shard of this.#shards) yield* shard.entries()
  }

  edit(): ShardedMapEdit<Value> {
    return new ShardedMapEdit(this.#shards, this.size, (shards, size) => new ShardedMap(shards, size))
  }
}

/** Changes to a map that become a new one; the old one stays as it was. */
export class ShardedMapEdit<Value> {
  readonly #shards: Shard<Value>[]
  readonly #own = new Map<number, Map<string, Value>>()
  readonly #finish: (shards: readonly Shard<Value>[], size: number) => ShardedMap<Value>
  #size: number

  constructor(
    shards: readonly Shard<Value>[],
    size: number,
    finish: (shards: readonly Shard<Value>[], size: number) => ShardedMap<Value>,
  ) {
    this.#shards = [...shards]
    this.#size = size
    this.#finish = finish
  }

  get(key: string): Value | undefined {
    return this.#shards[shardOf(key)]?.get(key)
  }

  set(key: string, value: Value): void {
    const shard = this.#ownShard(shardOf(key))
    this.#size -= shard.size
    shard.set(key, value)
    this.#size += shard.size
  }

  delete(key: string): void {
    if (this.get(key) === undefined) return
    this.#ownShard(shardOf(key)).delete(key)
    this.#size -= 1
  }

  /** The edited map. The edit must not be used after it. */
  finish(): ShardedMap<Value> {
    return this.#finish(this.#shards, this.#size)
  }

  #ownShard(index: number): Map<string, Value> {
    const own = this.#own.get(index)
    if (own) return own
    const copy = new Map(this.#shards[index])
    this.#own.set(index, copy)
    this.#shards[index] = copy
    return copy
  }
}

/**
 * Which shard a key belongs to: FNV-1a over its first and last characters, which is where the names, ids and hashes
 * that are kept here differ.
 */
function shardOf(key: string): number {
  let hash = FNV_OFFSET
  const head = Math.min(EDGE_CHARS, key.length)
  for (let index = 0; index < head; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), FNV_PRIME)
  for (let index = Math.max(head, key.length - EDGE_CHARS); index < key.length; index += 1)
    hash = Math.imul(hash ^ key.charCodeAt(index), FNV_PRIME)
  return (hash ^ (hash >>> 15)) & (SHARDS - 1)
}
