/**
 * A snapshot on its way to another thread of the gateway. Rows are not copied: the blocks that they lie in are shared, and a thread
 * is given those that it does not have. What is copied are the shards of the indexes that have changed, some at a time, so
 * that a thread can serve requests between two parts, and the few things that have no rows.
 */
import type { InstallationConfig, RateLimitPolicy, RuleSetConfig } from '@sallyport/contract'
import { CompiledSnapshot } from '../compile.ts'
import type { Shard } from '../name-index.ts'
import type { Parts } from '../record-table.ts'
import type { Snapshot, SnapshotSource } from '../snapshot.ts'

const TABLE_NAMES = ['organizations', 'researchers', 'sites'] as const
type TableName = (typeof TABLE_NAMES)[number]
/** Of some hundred names each, where there are a hundred thousand. */
const SHARDS_MAX = 16

/** Shards of one index of a table. */
interface ShardsPart {
  readonly kind: 'shards'
  readonly table: TableName
  readonly index: 'ids' | 'names'
  readonly shards: readonly (readonly [number: number, shard: Shard])[]
}

/** The blocks of a table that come and go. */
interface BlocksPart {
  readonly kind: 'blocks'
  readonly table: TableName
  readonly added: readonly (readonly [number: number, memory: ArrayBufferLike])[]
  readonly freed: readonly number[]
}

/** The last part: all that has no rows, where it has changed. */
interface CommitPart {
  readonly kind: 'commit'
  readonly revision: number
  readonly installation: InstallationConfig | undefined
  /** Undefined where they are the same. */
  readonly policies: ReadonlyMap<string, RateLimitPolicy> | undefined
  readonly ruleSets: ReadonlyMap<string, RuleSetConfig> | undefined
}

export type SnapshotPart = ShardsPart | BlocksPart | CommitPart

/** The parts that make `after` of `before`, in their order. Rows of both lie in memory that threads share. */
export function* partsBetween(before: CompiledSnapshot, after: CompiledSnapshot): Generator<SnapshotPart> {
  for (const table of TABLE_NAMES) {
    const [old, now] = [before.tables[table].parts, after.tables[table].parts]
    if (old === now) continue
    const added = Array.from(
      now.rows.addedSince(old.rows),
      ([number, { buffer }]) => [number, buffer] as const,
    )
    yield { kind: 'blocks', table, added, freed: now.rows.freedSince(old.rows) }
    for (const index of ['ids', 'names'] as const)
      for (const shards of inGroups(now[index].changedSince(old[index])))
        yield { kind: 'shards', table, index, shards }
  }
  const { installation, policies, ruleSets } = after.tables
  yield {
    kind: 'commit',
    revision: after.revision,
    installation,
    policies: haveSame(before.tables.policies, policies) ? undefined : policies,
    ruleSets: haveSame(before.tables.ruleSets, ruleSets) ? undefined : ruleSets,
  }
}

/** A thread's copy of the snapshot, put together of its parts. */
export class SnapshotCopy implements SnapshotSource {
  readonly #listeners = new Set<(snapshot: Snapshot) => void>()
  #current = CompiledSnapshot.empty()
  #draft = draftOf(this.#current)

  get current(): Snapshot {
    return this.#current
  }

  onSwap(listener: (snapshot: Snapshot) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Takes the next part; the last one of a snapshot brings it into force. */
  take(part: SnapshotPart): void {
    if (part.kind === 'commit') this.#commit(part)
    else if (part.kind === 'shards') this.#draft[part.table][part.index].putShards(part.shards)
    else {
      const { rows } = this.#draft[part.table]
      for (const [number, memory] of part.added) rows.putBlock(number, Buffer.from(memory))
      for (const number of part.freed) rows.free(number)
    }
  }

  #commit({ revision, installation, policies, ruleSets }: CommitPart): void {
    const { tables } = this.#current
    const draft = this.#draft
    this.#current = new CompiledSnapshot(revision, {
      installation,
      policies: policies ?? tables.policies,
      ruleSets: ruleSets ?? tables.ruleSets,
      organizations: tables.organizations.withParts(draft.organizations),
      researchers: tables.researchers.withParts(draft.researchers),
      sites: tables.sites.withParts(draft.sites),
    })
    this.#draft = draftOf(this.#current)
    for (const listener of this.#listeners) listener(this.#current)
  }
}

/** Copies of the parts of a snapshot's tables, to be changed. */
const draftOf = ({ tables }: CompiledSnapshot): Record<TableName, Parts> => ({
  organizations: copyOf(tables.organizations),
  researchers: copyOf(tables.researchers),
  sites: copyOf(tables.sites),
})

const copyOf = ({ parts }: { readonly parts: Parts }): Parts => ({
  rows: parts.rows.copy(),
  ids: parts.ids.copy(),
  names: parts.names.copy(),
})

function* inGroups<Item>(items: Iterable<Item>): Generator<readonly Item[]> {
  let group: Item[] = []
  for (const item of items) {
    group.push(item)
    if (group.length < SHARDS_MAX) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

function haveSame<Value>(before: ReadonlyMap<string, Value>, after: ReadonlyMap<string, Value>): boolean {
  if (before.size !== after.size) return false
  for (const [key, value] of after) if (before.get(key) !== value) return false
  return true
}
