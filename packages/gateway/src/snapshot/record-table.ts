/**
 * One kind of thing in a snapshot (sites, researchers …), found by any of its names. Each is kept as the JSON in which the
 * config feed said it, and made into what requests need when the first of them asks for it.
 */
import type { SnapshotKind } from '@sallyport/contract'
import { hashOf, NameIndex, type NameIndexEdit } from './name-index.ts'
import { PackedRows, type PackedRowsEdit, type RowPage, rowsOf } from './packed-rows.ts'
import { type PutLine, parseJson, putLine } from './put-lines.ts'

/** What every config has. */
interface WithId {
  readonly id: string
}

/** What tells one kind of thing from another. */
export interface RecordKind<Config extends WithId, Value> {
  /** What the config feed calls it. */
  readonly kind: SnapshotKind
  /** What it is found by besides its id. */
  namesOf(config: Config): readonly string[]
  /** Makes what requests need. */
  compile(config: Config): Value
  /** How many are kept compiled at most. */
  readonly compiledMax: number
}

/** Says whether a compiled thing has the name that was asked for. */
export type NameTest<Value> = (value: Value, name: string) => boolean

/** What all versions of a table share. */
interface Shared<Config extends WithId, Value> {
  readonly kind: RecordKind<Config, Value>
  readonly compiled: CompiledRows<Value>
}

export class RecordTable<Config extends WithId, Value> {
  readonly #shared: Shared<Config, Value>
  readonly #rows: PackedRows
  readonly #index: NameIndex

  private constructor(shared: Shared<Config, Value>, rows: PackedRows, index: NameIndex) {
    this.#shared = shared
    this.#rows = rows
    this.#index = index
  }

  static empty<Config extends WithId, Value>(kind: RecordKind<Config, Value>): RecordTable<Config, Value> {
    const shared = { kind, compiled: new CompiledRows<Value>(kind.compiledMax) }
    return new RecordTable(shared, PackedRows.empty, NameIndex.empty)
  }

  /** The thing that has a name, by `has`. */
  find(name: string, has: NameTest<Value>): Value | undefined {
    const hasName = (candidate: number, sought: string): boolean => {
      const value = this.#at(candidate)
      return value !== undefined && has(value, sought)
    }
    const row = this.#index.find(hashOf(name), hasName, name)
    return row < 0 ? undefined : this.#at(row)
  }

  /** The lines of the feed that make this table, some dozens at a time. */
  *lines(): Generator<Buffer> {
    const { kind } = this.#shared
    const lineOf = (row: Buffer) => {
      const config = configIn<Config>(row)
      return config ? putLine(kind.kind, config.id, kind.namesOf(config), row) : []
    }
    for (const rows of this.#rows.pages()) yield Buffer.concat(rows.flatMap(lineOf))
  }

  /** What `briefOf` makes of each thing, a page of them at a time; of a page that is in `made` it is not made again. */
  *briefs<Brief>(
    made: WeakMap<RowPage, readonly Brief[]>,
    briefOf: (config: Config) => Brief,
  ): Generator<readonly Brief[]> {
    for (const page of this.#rows.sharedPages()) {
      let briefs = made.get(page)
      if (!briefs) {
        briefs = rowsOf(page).flatMap((row) => {
          const config = configIn<Config>(row)
          return config ? [briefOf(config)] : []
        })
        made.set(page, briefs)
      }
      yield briefs
    }
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

  /** What a row is compiled to; undefined where it says nothing. */
  #at(row: number): Value | undefined {
    const { kind, compiled } = this.#shared
    const page = this.#rows.pageOf(row)
    const known = compiled.get(row, page)
    if (known !== undefined) return known
    const config = configIn<Config>(this.#rows.get(row))
    if (!config) return undefined
    const value = kind.compile(config)
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
export class RecordTableEdit<Config extends WithId, Value> {
  readonly #shared: Shared<Config, Value>
  readonly #draft: Draft
  readonly #finish: (rows: PackedRows, index: NameIndex) => RecordTable<Config, Value>
  #examinedRows = 0

  constructor(
    shared: Shared<Config, Value>,
    draft: Draft,
    finish: (rows: PackedRows, index: NameIndex) => RecordTable<Config, Value>,
  ) {
    this.#shared = shared
    this.#draft = draft
    this.#finish = finish
  }

  /** Puts the thing that a line of the feed says. */
  put(put: PutLine): void {
    const { rows, index, unsaid } = this.#draft
    const { hashes, json } = put
    const known = index.find(hashes[0], this.#isOf, put)
    if (known >= 0 && rows.get(known).equals(json)) {
      if (known < unsaid.length) unsaid[known] = 0
      return
    }
    const row = known < 0 ? rows.add(json) : known
    // Also one that was removed before, and has its place again.
    if (row < unsaid.length) unsaid[row] = 0
    if (known >= 0) {
      this.#forgetNames(known)
      rows.replace(known, json)
    }
    for (const hash of hashes) index.add(hash, row)
  }

  remove(id: string): void {
    const row = this.#draft.index.find(hashOf(id), this.#hasId, id)
    if (row >= 0) this.#drop(row)
  }

  /** Removes what a full edit did not say, one thing at each step: it may be very many. */
  *removeUnsaid(): Generator<void> {
    const { rows, unsaid } = this.#draft
    for (; this.#examinedRows < unsaid.length; this.#examinedRows += 1) {
      const row = this.#examinedRows
      if (unsaid[row] === 0 || rows.get(row).length === 0) continue
      this.#drop(row)
      yield
    }
  }

  /** The edited table. The edit must not be used after it. */
  finish(): RecordTable<Config, Value> {
    runToEnd(this.removeUnsaid())
    return this.#finish(this.#draft.rows.finish(), this.#draft.index.finish())
  }

  #drop(row: number): void {
    this.#forgetNames(row)
    this.#draft.rows.remove(row)
  }

  #forgetNames(row: number): void {
    const { rows, index } = this.#draft
    const config = configIn<Config>(rows.get(row))
    if (!config) return
    index.remove(hashOf(config.id), row)
    for (const name of this.#shared.kind.namesOf(config)) index.remove(hashOf(name), row)
  }

  // Not made anew for each put: V8 would count as alive what they hold while it marks.
  readonly #isOf = (row: number, put: PutLine): boolean =>
    this.#draft.rows.get(row).equals(put.json) || this.#hasId(row, put.id)

  readonly #hasId = (row: number, id: string): boolean =>
    configIn<Config>(this.#draft.rows.get(row))?.id === id
}

/** What a row says: nothing where it was removed, or is no JSON and waits to be put again. */
function configIn<Config>(row: Buffer): Config | undefined {
  try {
    return row.length > 0 ? parseJson(row) : undefined
  } catch {
    return undefined
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
  readonly #rows = new Map<number, { readonly page: RowPage | undefined; readonly value: Value }>()

  constructor(max: number) {
    this.#max = max
  }

  get(row: number, page: RowPage | undefined): Value | undefined {
    const known = this.#rows.get(row)
    return known?.page === page ? known?.value : undefined
  }

  keep(row: number, page: RowPage | undefined, value: Value): void {
    this.#rows.set(row, { page, value })
    if (this.#rows.size <= this.#max) return
    for (const oldest of this.#rows.keys()) {
      this.#rows.delete(oldest)
      return
    }
  }
}
