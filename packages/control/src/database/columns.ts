/**
 * The parts of a statement that list columns, made from one table of names: what a row holds, the names, the placeholders
 * and the values cannot come apart.
 */

/** What a column holds, for the compiler alone. */
export interface TableColumn<Value> {
  readonly holds?: Value
}
const column = <Value>(): TableColumn<Value> => ({})

export const text = column<string>()
export const textOrNull = column<string | null>()
export const flag = column<boolean>()
export const integer = column<number>()
/** A column whose values are narrower than its type, or JSON. */
export const columnOf = column

/** A row with the columns of a table. */
export type RowOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends TableColumn<infer Value> ? Value : never
}

/** The columns of a table, in its order. Placeholders are numbered from `first`. */
export interface ColumnList<Name extends string> {
  /** `a, b` */
  readonly names: string
  /** `$3, $4` */
  placeholders(first: number): string
  /** `a = $3, b = $4` */
  assignments(first: number): string
  valuesOf(row: Readonly<Record<Name, unknown>>): unknown[]
}

export function columnList<Table extends object>(table: Table): ColumnList<keyof Table & string> {
  const names = Object.keys(table) as (keyof Table & string)[]
  return {
    names: names.join(', '),
    placeholders: (first) => names.map((_name, index) => `$${first + index}`).join(', '),
    assignments: (first) => names.map((name, index) => `${name} = $${first + index}`).join(', '),
    valuesOf: (row) => names.map((name) => row[name]),
  }
}

/** Rows that one statement inserts, by `unnest`: an array for each column. */
export interface RowArrays<Name extends string> {
  readonly names: string
  /** `unnest($3::uuid[], $4::text[])` */
  unnest(first: number): string
  valuesOf(rows: readonly Readonly<Record<Name, unknown>>[]): unknown[][]
}

/** `types` names each column's type in PostgreSQL. */
export function rowArrays<Name extends string>(types: Readonly<Record<Name, string>>): RowArrays<Name> {
  const names = Object.keys(types) as Name[]
  return {
    names: names.join(', '),
    unnest: (first) =>
      `unnest(${names.map((name, index) => `$${first + index}::${types[name]}[]`).join(', ')})`,
    valuesOf: (rows) => names.map((name) => rows.map((row) => row[name])),
  }
}
