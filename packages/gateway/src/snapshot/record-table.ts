/**
 * One kind of thing in a snapshot (sites, researchers …), found by any of its names. Each is kept as bytes, and made into
 * what requests need when the first of them asks for it.
 */
import type { SnapshotKind } from '@sallyport/contract'
import { NameIndex, type NameIndexEdit } from './name-index.ts'
import { PackedRows, type PackedRowsEdit, type Page } from './packed-rows.ts'
import { Shapes } from './shapes.ts'

/** What tells one kind of thing from another. */
export interface RecordKind<Config, Value> {
  /** What the config feed calls it. */
  readonly kind: SnapshotKind
  /** Every name that it is found by, its id first. */
  namesOf(config: Config): readonly string[]
  /** Makes what requests need. */
  compile(config: Config): Value
  /** How many are kept compiled at most. */
  readonly compiledMax: number
}

/** Says whether a compiled thing has the name that was asked for. */
export type NameTest<Value> = (value: Value, name: string) => boolean

/** What all versions of a table share. */
interface Shared<Config, Value> {
  readonly kind: RecordKind<Config, Value>
  readonly shapes: Shapes
  readonly compiled: CompiledRows<Value>
}

export class RecordTable<Config, Value> {
  readonly #shared: Shared<Config, Value>
  readonly #rows: PackedRows
  readonly #index: NameIndex

  private constructor(shared: Shared<Config, Value>, rows: PackedRows, index: NameIndex) {
    this.#shared = shared
    this.#rows = rows
    this.#index = index
  }

  static empty<Config, Value>(kind: RecordKind<Config, Value>): RecordTable<Config, Value> {
    const shared = { kind, shapes: new Shapes(), compiled: new CompiledRows<Value>(kind.compiledMax) }
    return new RecordTable(shared, PackedRows.empty, NameIndex.empty)
  }

  /** The thing that has a name, by `has`. */
  find(name: string, has: NameTest<Value>): Value | undefined {
    const row = this.#index.find(name, (candidate) => has(this.#at(candidate), name))
    return row < 0 ? undefined : this.#at(row)
  }

  /** The lines of the feed that make this table, some dozens at a time. */
  *lines(): Generator<Buffer> {
    const { kind } = this.#shared
    const lineOf = (row: Buffer): string => {
      const value = configIn(this.#shared, row)
      return `${JSON.stringify({ type: 'put', kind: kind.kind, id: kind.namesOf(value)[0], value })}\n`
    }
    for (const rows of this.#rows.pages()) yield Buffer.from(rows.map(lineOf).join(''))
  }

  /** Begins a change: of this table, or, if it is `full`, of an empty one. */
  edit(full: boolean): RecordTableEdit<Config, Value> {
    return new RecordTableEdit(
      this.#shared,
      full ? this.#rows.editAnew() : this.#rows.edit(),
      full ? NameIndex.empty.edit() : this.#index.edit(),
      (rows, index) => new RecordTable(this.#shared, rows, index),
    )
  }

  #at(row: number): Value {
    const { kind, compiled } = this.#shared
    const page = this.#rows.pageOf(row)
    const known = compiled.get(row, page)
    if (known !== undefined) return known
    const value = kind.compile(configIn(this.#shared, this.#rows.get(row)))
    compiled.keep(row, page, value)
    return value
  }
}

/** Changes to a table that become a new one; the old one stays as it was. */
export class RecordTableEdit<Config, Value> {
  readonly #shared: Shared<Config, Value>
  readonly #rows: PackedRowsEdit
  readonly #index: NameIndexEdit
  readonly #finish: (rows: PackedRows, index: NameIndex) => RecordTable<Config, Value>

  constructor(
    shared: Shared<Config, Value>,
    rows: PackedRowsEdit,
    index: NameIndexEdit,
    finish: (rows: PackedRows, index: NameIndex) => RecordTable<Config, Value>,
  ) {
    this.#shared = shared
    this.#rows = rows
    this.#index = index
    this.#finish = finish
  }

  put(id: string, config: Config): void {
    const { kind, shapes } = this.#shared
    const known = this.#rowOf(id)
    if (known >= 0) this.#forgetNames(known)
    const bytes = shapes.encode(config)
    const row = known < 0 ? this.#rows.add(bytes) : known
    if (known >= 0) this.#rows.replace(known, bytes)
    for (const name of kind.namesOf(config)) this.#index.add(name, row)
  }

  remove(id: string): void {
    const row = this.#rowOf(id)
    if (row < 0) return
    this.#forgetNames(row)
    this.#rows.remove(row)
  }

  /** The edited table. The edit must not be used after it. */
  finish(): RecordTable<Config, Value> {
    return this.#finish(this.#rows.finish(), this.#index.finish())
  }

  #rowOf(id: string): number {
    return this.#index.find(id, (row) => this.#namesIn(row)[0] === id)
  }

  #forgetNames(row: number): void {
    for (const name of this.#namesIn(row)) this.#index.remove(name, row)
  }

  #namesIn(row: number): readonly string[] {
    return this.#shared.kind.namesOf(configIn(this.#shared, this.#rows.get(row)))
  }
}

/**
 * What was compiled of which rows. All versions of a table share it: a row's page is another object once something of it
 * has changed, so each version finds its own. Bounded: beyond, what was compiled first is forgotten.
 */
class CompiledRows<Value> {
  readonly #max: number
  readonly #rows = new Map<number, { readonly page: Page | undefined; readonly value: Value }>()

  constructor(max: number) {
    this.#max = max
  }

  get(row: number, page: Page | undefined): Value | undefined {
    const known = this.#rows.get(row)
    return known?.page === page ? known?.value : undefined
  }

  keep(row: number, page: Page | undefined, value: Value): void {
    this.#rows.set(row, { page, value })
    if (this.#rows.size <= this.#max) return
    for (const oldest of this.#rows.keys()) {
      this.#rows.delete(oldest)
      return
    }
  }
}

/** The configuration in a row that was put here, which vouches for its shape. */
const configIn = <Config, Value>({ shapes }: Shared<Config, Value>, row: Buffer): Config =>
  shapes.decode(row) as Config
