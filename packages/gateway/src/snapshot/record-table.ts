/**
 * One kind of thing in a snapshot (sites, researchers …), found by any of its names. Each is kept as the line of the
 * config feed that brought it, and made into what requests need when the first of them asks for it.
 */
import { NameIndex, type NameIndexEdit } from './name-index.ts'
import { PackedRows, type PackedRowsEdit, type Page } from './packed-rows.ts'

/** What tells one kind of thing from another. */
export interface RecordKind<Config, Value> {
  /** Every name that it is found by, its id first. */
  namesOf(config: Config): readonly string[]
  /** Makes what requests need. */
  compile(config: Config): Value
  /** How many are kept compiled at most. */
  readonly compiledMax: number
}

/** Says whether a compiled thing has the name that was asked for. */
export type NameTest<Value> = (value: Value, name: string) => boolean

export class RecordTable<Config, Value> {
  readonly #kind: RecordKind<Config, Value>
  readonly #rows: PackedRows
  readonly #index: NameIndex
  readonly #compiled: CompiledRows<Value>

  private constructor(
    kind: RecordKind<Config, Value>,
    rows: PackedRows,
    index: NameIndex,
    compiled: CompiledRows<Value>,
  ) {
    this.#kind = kind
    this.#rows = rows
    this.#index = index
    this.#compiled = compiled
  }

  static empty<Config, Value>(kind: RecordKind<Config, Value>): RecordTable<Config, Value> {
    return new RecordTable(kind, PackedRows.empty, NameIndex.empty, new CompiledRows<Value>(kind.compiledMax))
  }

  /** The thing that has a name, by `has`. */
  find(name: string, has: NameTest<Value>): Value | undefined {
    const row = this.#index.find(name, (candidate) => has(this.#at(candidate), name))
    return row < 0 ? undefined : this.#at(row)
  }

  /** The lines that make this table. */
  lines(): Generator<Buffer> {
    return this.#rows.pieces()
  }

  /** Begins a change: of this table, or, if it is `full`, of an empty one. */
  edit(full: boolean): RecordTableEdit<Config, Value> {
    return new RecordTableEdit(
      this.#kind,
      full ? this.#rows.editAnew() : this.#rows.edit(),
      full ? NameIndex.empty.edit() : this.#index.edit(),
      (rows, index) => new RecordTable(this.#kind, rows, index, this.#compiled),
    )
  }

  #at(row: number): Value {
    const page = this.#rows.pageOf(row)
    const known = this.#compiled.get(row, page)
    if (known !== undefined) return known
    const value = this.#kind.compile(configIn<Config>(this.#rows.get(row)))
    this.#compiled.keep(row, page, value)
    return value
  }
}

/** Changes to a table that become a new one; the old one stays as it was. */
export class RecordTableEdit<Config, Value> {
  readonly #kind: RecordKind<Config, Value>
  readonly #rows: PackedRowsEdit
  readonly #index: NameIndexEdit
  readonly #finish: (rows: PackedRows, index: NameIndex) => RecordTable<Config, Value>

  constructor(
    kind: RecordKind<Config, Value>,
    rows: PackedRowsEdit,
    index: NameIndexEdit,
    finish: (rows: PackedRows, index: NameIndex) => RecordTable<Config, Value>,
  ) {
    this.#kind = kind
    this.#rows = rows
    this.#index = index
    this.#finish = finish
  }

  /** @param line the message of the feed that says it, with its newline. */
  put(id: string, config: Config, line: Buffer): void {
    const known = this.#rowOf(id)
    if (known >= 0) this.#forgetNames(known)
    const row = known < 0 ? this.#rows.add(line) : known
    if (known >= 0) this.#rows.replace(known, line)
    for (const name of this.#kind.namesOf(config)) this.#index.add(name, row)
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
    return this.#kind.namesOf(configIn<Config>(this.#rows.get(row)))
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

/** The configuration in a line that was put here, which vouches for its shape. */
const configIn = <Config>(line: Buffer): Config => JSON.parse(line.toString()).value
