/**
 * One kind of thing in a snapshot (sites, researchers …), found by any of its names. Each is kept as the JSON in which the
 * config feed said it, and made into what requests need when the first of them asks for it.
 */
import type { SnapshotKind } from '@sallyport/contract'
import { NameIndex, type NameIndexEdit } from './name-index.ts'
import { PackedRows, type PackedRowsEdit, type Page } from './packed-rows.ts'
import { parseJson, putLine } from './put-lines.ts'

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
    const shared = { kind, compiled: new CompiledRows<Value>(kind.compiledMax) }
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
    const lineOf = (row: Buffer) => putLine(kind.kind, idIn(kind, row), row)
    for (const rows of this.#rows.pages()) yield Buffer.concat(rows.flatMap(lineOf))
  }

  /** Begins a change. If it is `full`, what it does not put will not be there. */
  edit(full: boolean): RecordTableEdit<Config, Value> {
    const unsaid = full ? new Uint8Array(this.#rows.count).fill(1) : NO_ROWS
    return new RecordTableEdit(
      this.#shared,
      { rows: this.#rows.edit(), index: this.#index.edit(), unsaid },
      (rows, index) => new RecordTable(this.#shared, rows, index),
    )
  }

  #at(row: number): Value {
    const { kind, compiled } = this.#shared
    const page = this.#rows.pageOf(row)
    const known = compiled.get(row, page)
    if (known !== undefined) return known
    const value = kind.compile(parseJson(this.#rows.get(row)))
    compiled.keep(row, page, value)
    return value
  }
}

const NO_ROWS = new Uint8Array(0)

interface Draft {
  readonly rows: PackedRowsEdit
  readonly index: NameIndexEdit
  /** By row: 1 where it must be put (again) to stay. */
  readonly unsaid: Uint8Array
}

/**
 * Changes to a table that become a new one; the old one stays as it was.
 *
 * When everything is said again, most of it is as it was: each thing is looked for in the old table, and what has not
 * changed costs neither memory nor a place of its own.
 */
export class RecordTableEdit<Config, Value> {
  readonly #shared: Shared<Config, Value>
  readonly #draft: Draft
  readonly #finish: (rows: PackedRows, index: NameIndex) => RecordTable<Config, Value>
  #settledRows = 0

  constructor(
    shared: Shared<Config, Value>,
    draft: Draft,
    finish: (rows: PackedRows, index: NameIndex) => RecordTable<Config, Value>,
  ) {
    this.#shared = shared
    this.#draft = draft
    this.#finish = finish
  }

  /** Puts a thing that its config's JSON is; throws where that is none, and nothing is put then. */
  put(id: string, json: Buffer): void {
    const { kind } = this.#shared
    const { rows, index, unsaid } = this.#draft
    const isAsItWas = (candidate: number): boolean => rows.get(candidate).equals(json)
    const known = index.find(id, (candidate) => isAsItWas(candidate) || this.#idIn(candidate) === id)
    if (known >= 0 && isAsItWas(known)) {
      if (known < unsaid.length) unsaid[known] = 0
      return
    }
    const names = namesIn(kind, json)
    const row = known < 0 ? rows.add(json) : known
    // Also one that was removed before, and has its place again.
    if (row < unsaid.length) unsaid[row] = 0
    if (known >= 0) {
      this.#forgetNames(known)
      rows.replace(known, json)
    }
    for (const name of names) index.add(name, row)
  }

  remove(id: string): void {
    const row = this.#draft.index.find(id, (candidate) => this.#idIn(candidate) === id)
    if (row >= 0) this.#drop(row)
  }

  /** Removes what a full edit did not say, one thing at each step: it may be very many. */
  *settle(): Generator<void> {
    const { rows, unsaid } = this.#draft
    for (; this.#settledRows < unsaid.length; this.#settledRows += 1) {
      const row = this.#settledRows
      if (unsaid[row] === 0 || rows.get(row).length === 0) continue
      this.#drop(row)
      yield
    }
  }

  /** The edited table, settled if it was not before. The edit must not be used after it. */
  finish(): RecordTable<Config, Value> {
    runToEnd(this.settle())
    return this.#finish(this.#draft.rows.finish(), this.#draft.index.finish())
  }

  #drop(row: number): void {
    this.#forgetNames(row)
    this.#draft.rows.remove(row)
  }

  #forgetNames(row: number): void {
    for (const name of namesIn(this.#shared.kind, this.#draft.rows.get(row)))
      this.#draft.index.remove(name, row)
  }

  #idIn(row: number): string | undefined {
    return idIn(this.#shared.kind, this.#draft.rows.get(row))
  }
}

function runToEnd(steps: Generator<void>): void {
  while (!steps.next().done);
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

const namesIn = <Config, Value>(kind: RecordKind<Config, Value>, json: Buffer): readonly string[] =>
  kind.namesOf(parseJson(json))

const idIn = <Config, Value>(kind: RecordKind<Config, Value>, json: Buffer): string =>
  namesIn(kind, json)[0] ?? ''
