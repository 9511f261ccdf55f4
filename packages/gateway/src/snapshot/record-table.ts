/**
 * One kind of thing in a snapshot (sites, researchers …), found by its id or any of its names. Each is kept as the JSON in
 * which the config feed said it, and made into what requests need when the first of them asks for it.
 */
import type { SnapshotKind } from '@sallyport/contract'
import { hashOf, NameIndex } from './name-index.ts'
import { type PutLine, parseJson, putLine } from './put-lines.ts'
import { type AllocateBlock, PositionSet, RowBlocks } from './row-blocks.ts'

/** What every config has. */
interface WithId {
  readonly id: string
}

/** Describes a kind of record: what the feed calls it, its names, and what it is made into. */
export interface RecordKind<Config extends WithId, Value> {
  /** What the config feed calls it. */
  readonly kind: SnapshotKind
  /** What it is found by besides its id. */
  namesOf(config: Config): readonly string[]
  /** Makes what requests need. */
  compile(config: Config): Value
  /** What a value was made of. */
  configOf(value: Value): Config
  /** How many are kept compiled at most. */
  readonly compiledMax: number
}

/** What all versions of a table share. */
interface Shared<Config extends WithId, Value> {
  readonly kind: RecordKind<Config, Value>
  /** By position. What was compiled first is forgotten first. */
  readonly compiled: Map<number, Value>
}

/** Rows, and their positions by id and by name. */
export interface Parts {
  readonly rows: RowBlocks
  readonly ids: NameIndex
  readonly names: NameIndex
}

const noParts = (allocate?: AllocateBlock): Parts => ({
  rows: RowBlocks.empty(allocate),
  ids: NameIndex.empty(),
  names: NameIndex.empty(),
})

export class RecordTable<Config extends WithId, Value> {
  readonly #shared: Shared<Config, Value>
  readonly #parts: Parts

  constructor(shared: Shared<Config, Value>, parts: Parts) {
    this.#shared = shared
    this.#parts = parts
  }

  static empty<Config extends WithId, Value>(
    kind: RecordKind<Config, Value>,
    allocate?: AllocateBlock,
  ): RecordTable<Config, Value> {
    return new RecordTable({ kind, compiled: new Map<number, Value>() }, noParts(allocate))
  }

  /** What a copy for another thread is made of. */
  get parts(): Parts {
    return this.#parts
  }

  /** A table of other parts, which shares with this one what is compiled. */
  withParts(parts: Parts): RecordTable<Config, Value> {
    return new RecordTable(this.#shared, parts)
  }

  get(id: string): Value | undefined {
    return this.#at(this.#parts.ids.find(hashOf(id), this.#hasId, id))
  }

  find(name: string): Value | undefined {
    return this.#at(this.#parts.names.find(hashOf(name), this.#hasName, name))
  }

  /** The lines of the feed that make this table, some dozens at a time. */
  *lines(): Generator<Buffer> {
    const { kind } = this.#shared
    for (const [, positions] of this.#parts.ids.positions())
      yield Buffer.concat(
        positions.flatMap((position) => {
          const row = this.#parts.rows.get(position)
          const config = configIn<Config>(row)
          return config ? putLine(kind.kind, config.id, kind.namesOf(config), row) : []
        }),
      )
  }

  /** What `briefOf` makes of each thing, some dozens at a time; of those that are in `made` it is not made again. */
  *briefs<Brief>(
    made: WeakMap<object, readonly Brief[]>,
    briefOf: (config: Config) => Brief,
  ): Generator<readonly Brief[]> {
    for (const [same, positions] of this.#parts.ids.positions()) {
      let briefs = made.get(same)
      if (!briefs) {
        const configs = positions.map((position) => configIn<Config>(this.#parts.rows.get(position)))
        briefs = configs.flatMap((config) => (config ? [briefOf(config)] : []))
        made.set(same, briefs)
      }
      yield briefs
    }
  }

  /** Begins a change. If it is `full`, what it does not put will not be there. */
  edit(full: boolean): RecordTableEdit<Config, Value> {
    const { rows, ids, names } = this.#parts
    const draft = { rows: rows.copy(), ids: ids.copy(), names: names.copy() }
    return new RecordTableEdit(this.#shared, draft, full)
  }

  readonly #hasId = (position: number, id: string): boolean => {
    const value = this.#at(position)
    return value !== undefined && this.#shared.kind.configOf(value).id === id
  }

  readonly #hasName = (position: number, name: string): boolean => {
    const { kind } = this.#shared
    const value = this.#at(position)
    return value !== undefined && kind.namesOf(kind.configOf(value)).includes(name)
  }

  /** What a row is compiled to; undefined where it says nothing. */
  #at(position: number | undefined): Value | undefined {
    if (position === undefined) return undefined
    const { kind, compiled } = this.#shared
    const known = compiled.get(position)
    if (known !== undefined) return known
    const config = configIn<Config>(this.#parts.rows.get(position))
    if (!config) return undefined
    const value = kind.compile(config)
    compiled.set(position, value)
    if (compiled.size > kind.compiledMax) forgetFirst(compiled)
    return value
  }
}

/**
 * Changes to a table that become a new one; the old one stays as it was. When everything is said again, the row of what has
 * not changed stays where it is.
 */
export class RecordTableEdit<Config extends WithId, Value> {
  readonly #shared: Shared<Config, Value>
  readonly #draft: Parts
  /** Positions of what a full edit has put; nothing else stays. */
  #said: PositionSet | undefined

  constructor(shared: Shared<Config, Value>, draft: Parts, full: boolean) {
    this.#shared = shared
    this.#draft = draft
    this.#said = full ? new PositionSet() : undefined
  }

  /** Puts the thing that a line of the feed says. */
  put(put: PutLine): void {
    const { rows, ids, names } = this.#draft
    const { hashes, json } = put
    let position = ids.find(hashes[0], this.#isOf, put)
    if (position === undefined || !rows.get(position).equals(json)) {
      if (position !== undefined) this.#drop(position)
      position = rows.append(json)
      ids.add(hashes[0], position)
      for (let at = 1; at < hashes.length; at += 1) names.add(hashes[at] ?? 0, position)
    }
    this.#said?.add(position)
  }

  remove(id: string): void {
    const position = this.#draft.ids.find(hashOf(id), this.#hasId, id)
    if (position !== undefined) this.#drop(position)
  }

  /** The part of `finish` that can be done in small steps. */
  *prepareFinish(): Generator<void> {
    yield* this.#removeUnsaid()
    yield* this.#compact()
  }

  /** The edited table. The edit must not be used after it. */
  finish(): RecordTable<Config, Value> {
    for (const _step of this.prepareFinish());
    return new RecordTable(this.#shared, this.#draft)
  }

  *#removeUnsaid(): Generator<void> {
    const said = this.#said
    if (!said) return
    for (const [, positions] of this.#draft.ids.positions()) {
      for (const position of positions) {
        if (said.has(position)) continue
        this.#drop(position)
        yield
      }
      yield
    }
    this.#said = undefined
  }

  /** Moves rows out of blocks of which little is in use, one at each step, and frees the blocks. */
  *#compact(): Generator<void> {
    const { rows } = this.#draft
    for (const block of rows.sparseBlocks()) {
      for (const position of rows.positionsIn(block)) {
        this.#move(position)
        yield
      }
      rows.free(block)
    }
  }

  #move(position: number): void {
    const { rows, ids, names } = this.#draft
    const row = rows.get(position)
    const config = configIn<Config>(row)
    if (!config || ids.find(hashOf(config.id), isAt, position) === undefined) return
    this.#drop(position)
    const next = rows.append(row)
    ids.add(hashOf(config.id), next)
    for (const name of this.#shared.kind.namesOf(config)) names.add(hashOf(name), next)
  }

  #drop(position: number): void {
    const { rows, ids, names } = this.#draft
    const config = configIn<Config>(rows.get(position))
    if (!config) return
    ids.remove(hashOf(config.id), position)
    for (const name of this.#shared.kind.namesOf(config)) names.remove(hashOf(name), position)
    rows.release(position)
  }

  // Not made anew for each put: V8 would count as alive what it holds while it marks.
  readonly #isOf = (position: number, put: PutLine): boolean =>
    this.#draft.rows.get(position).equals(put.json) || this.#hasId(position, put.id)

  readonly #hasId = (position: number, id: string): boolean =>
    configIn<Config>(this.#draft.rows.get(position))?.id === id
}

function forgetFirst(compiled: Map<number, unknown>): void {
  for (const oldest of compiled.keys()) {
    compiled.delete(oldest)
    return
  }
}

const isAt = (position: number, sought: number): boolean => position === sought

/** What a row says: nothing where it is gone, or is no JSON and waits to be put again. */
function configIn<Config>(row: Buffer): Config | undefined {
  try {
    return row.length > 0 ? parseJson(row) : undefined
  } catch {
    return undefined
  }
}
