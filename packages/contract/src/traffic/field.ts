/** What a field of the record can be: the words in which the table of fields (`fields.ts`) is written. */

/** The values of a field and their bound. Lengths count characters as UTF-16 does. */
export type FieldType =
  | { readonly kind: 'uuid' }
  | { readonly kind: 'text'; readonly charsMin: number; readonly charsMax: number }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'flag' }
  | { readonly kind: 'texts'; readonly itemsMax: number; readonly charsMax: number }
  | {
      readonly kind: 'objects'
      readonly itemsMax: number
      readonly fields: Readonly<Record<string, ItemField>>
    }

export const uuid = { kind: 'uuid' } as const
export const flag = { kind: 'flag' } as const
export const text = (charsMax: number, charsMin = 0) => ({ kind: 'text', charsMin, charsMax }) as const
export const word = <const Words extends readonly string[]>(words: Words) =>
  ({ kind: 'word', words }) as const
export const integer = (max = Number.MAX_SAFE_INTEGER, min = 0) => ({ kind: 'integer', min, max }) as const
export const texts = (itemsMax: number, charsMax: number) => ({ kind: 'texts', itemsMax, charsMax }) as const
export const objects = <Fields extends Readonly<Record<string, ItemField>>>(
  itemsMax: number,
  fields: Fields,
) => ({ kind: 'objects', itemsMax, fields }) as const

/** What a field of such a type holds. */
export type ValueOf<Type extends FieldType> = Type extends { kind: 'integer' }
  ? number
  : Type extends { kind: 'flag' }
    ? boolean
    : Type extends { kind: 'word'; words: readonly (infer Word)[] }
      ? Word
      : Type extends { kind: 'texts' }
        ? readonly string[]
        : Type extends { kind: 'objects'; fields: infer Fields extends Readonly<Record<string, ItemField>> }
          ? readonly { readonly [Name in keyof Fields]: ValueOf<Fields[Name]['type']> }[]
          : string

/** Type of a ClickHouse column. Of an `Enum8` the number of the first word is given; the others follow. */
export type ColumnType =
  | 'UUID'
  | 'String'
  | 'LowCardinality(String)'
  | 'UInt16'
  | 'UInt32'
  | 'UInt64'
  | 'Bool'
  | "DateTime64(3, 'UTC')"
  | { readonly enumFrom: number }

/** How a filter compares. `status` takes `404` and `4xx`; `atLeast` a number. Case counts except in `contains`. */
export type FilterMatch = 'exact' | 'prefix' | 'contains' | 'status' | 'atLeast'

/** A filter of the request log. A value of it has at most `charsMax` characters. */
export interface FieldFilter<Name extends string = string> {
  readonly name: Name
  readonly match: FilterMatch
  readonly charsMax: number
}

const FILTER_CHARS_MAX = 256

const filterBy =
  (match: FilterMatch) =>
  <const Name extends string>(name: Name, charsMax = FILTER_CHARS_MAX): FieldFilter<Name> => ({
    name,
    match,
    charsMax,
  })
export const exact = filterBy('exact')
export const prefix = filterBy('prefix')
export const contains = filterBy('contains')
export const byStatus = filterBy('status')
export const atLeast = filterBy('atLeast')

/** A field of the objects in a list. It has a column of its own, which holds the list. */
export interface ItemField<Type extends FieldType = FieldType, Filter = FieldFilter | undefined> {
  readonly type: Type
  readonly column: ColumnType
  readonly columnName: string
  readonly meaning: string
  readonly filter: Filter
  /** Its value where a gateway of before the field did not say it; undefined of a field that every gateway says. */
  readonly whenAbsent: ValueOf<Type> | undefined
}

/**
 * Where a field stands in a batch: with the sender, or at a place of the request's line, which has two halves. The head is
 * known when the request goes to its origin and stays as it is; the tail is known at its end.
 */
export type FieldPart =
  | { readonly half: 'sender' }
  | { readonly half: 'head'; readonly place: number }
  | { readonly half: 'tail'; readonly place: number }

export const SENDER = { half: 'sender' } as const
export const head = (place: number) => ({ half: 'head', place }) as const
export const tail = (place: number) => ({ half: 'tail', place }) as const

/** A field of an event. */
export interface RecordField<
  Part extends FieldPart = FieldPart,
  Type extends FieldType = FieldType,
  Filter = FieldFilter | undefined,
> {
  readonly part: Part
  readonly type: Type
  /** Undefined where the objects of a list have columns of their own. The column has the field's name in snake case. */
  readonly column: ColumnType | undefined
  /** What the field holds before anything is known of it. */
  readonly empty: ValueOf<Type>
  /** What it holds, as the documentation says it. */
  readonly meaning: string
  readonly filter: Filter
}

export const field = <
  const Part extends FieldPart,
  Type extends FieldType,
  Filter extends FieldFilter | undefined = undefined,
>(
  part: Part,
  type: Type,
  column: ColumnType | undefined,
  empty: ValueOf<Type>,
  meaning: string,
  filter?: Filter,
): RecordField<Part, Type, Filter> => ({ part, type, column, empty, meaning, filter: filter as Filter })

export const itemField = <Type extends FieldType, Filter extends FieldFilter | undefined = undefined>(
  type: Type,
  column: ColumnType,
  columnName: string,
  meaning: string,
  filter?: Filter,
  whenAbsent?: ValueOf<Type>,
): ItemField<Type, Filter> => ({ type, column, columnName, meaning, filter: filter as Filter, whenAbsent })
