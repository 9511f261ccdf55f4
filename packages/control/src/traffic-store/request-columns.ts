/**
 * How a `TrafficEvent` lies in the `requests` table: a column for each field of the record, made from the table of fields, and
 * used to write rows and to read them back. A list of objects lies in one column for each field of theirs.
 *
 * Rows are added by compiled functions: this is done for every request that goes through any gateway, and takes half of the
 * time where each statement has one kind of column.
 */

import {
  ArrayColumn,
  boolColumn,
  enum8Column,
  LowCardinalityColumn,
  type NativeColumn,
  numberColumn,
  StringColumn,
  UuidColumn,
  uint64Column,
} from '@sallyport/clickhouse-native'
import {
  type ColumnType,
  compile,
  type FieldType,
  HIT_FIELD_NAMES,
  HIT_FIELDS,
  LATER_HIT_FIELDS,
  TABLE_FIELDS,
  TRAFFIC_FIELDS,
  type TrafficEvent,
  type TrafficFieldName,
  type TrafficRequest,
  type TrafficSender,
  trafficSenderFields,
} from '@sallyport/contract/words'

/** A column whose kind the table of fields decides. */
export type AnyColumn = NativeColumn<never, unknown>

/** A column of the `requests` table. */
interface TableColumn {
  readonly name: string
  /** Of a list, the type of its items. */
  readonly column: ColumnType
  readonly isList: boolean
  readonly type: FieldType
  readonly field: TrafficFieldName
  /** The field of the objects in the list that the column holds. */
  readonly item: string | undefined
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The column of a field, or of a field of the objects in its list. */
export function tableColumn(field: TrafficFieldName, item?: keyof typeof HIT_FIELDS): TableColumn {
  const { column, type } = TRAFFIC_FIELDS[field]
  if (item) {
    const hit = HIT_FIELDS[item]
    return { name: hit.columnName, column: hit.column, isList: true, type: hit.type, field, item }
  }
  if (column === undefined) throw new Error(`${field} has a column for each field of its objects`)
  return { name: snakeCase(field), column, isList: type.kind === 'texts', type, field, item: undefined }
}

const columnsOf = (field: TrafficFieldName): TableColumn[] =>
  field === 'hits' ? HIT_FIELD_NAMES.map((item) => tableColumn(field, item)) : [tableColumn(field)]

const isOfSender = (field: TrafficFieldName): boolean => trafficSenderFields.includes(field)
/** Columns that say who sent a request, the same in many rows; and those of what was asked, and what became of it. */
export const SENDER_COLUMNS: readonly TableColumn[] = trafficSenderFields.flatMap(columnsOf)
export const REQUEST_COLUMNS: readonly TableColumn[] = TABLE_FIELDS.filter(
  (field) => !isOfSender(field),
).flatMap(columnsOf)
const COLUMNS = [...SENDER_COLUMNS, ...REQUEST_COLUMNS]

function itemsColumn(column: ColumnType, type: FieldType): AnyColumn {
  if (typeof column === 'object') return enum8Column(type.kind === 'word' ? type.words : [], column.enumFrom)
  switch (column) {
    case 'UUID':
      return new UuidColumn()
    case 'String':
      return new StringColumn()
    case 'LowCardinality(String)':
      return new LowCardinalityColumn()
    case 'Bool':
      return boolColumn()
    case 'UInt16':
    case 'UInt32':
      return numberColumn(column)
    default:
      return uint64Column(column)
  }
}

/** Columns without rows, in the order of what they are made of. */
export const createColumns = (columns: readonly TableColumn[]): AnyColumn[] =>
  columns.map(({ column, type, isList, item }) => {
    const items = itemsColumn(column, type)
    if (!isList) return items
    // What the items are is decided by the table of fields, and so is what they are taken from.
    return new ArrayColumn(
      items as NativeColumn<never>,
      compile<(whole: unknown) => never>('whole', item ? `whole.${item}` : 'whole'),
    )
  })

const compileAdd = <Given>(
  columns: readonly TableColumn[],
): ((to: readonly AnyColumn[], given: Given) => void) =>
  compile(
    'to, given',
    `{ ${columns.map(({ field }, index) => `to[${index}].add(given.${field})`).join('\n')} }`,
  )

/** Adds a sender to the columns made of `SENDER_COLUMNS`. */
export const addSender = compileAdd<TrafficSender>(SENDER_COLUMNS)
/** Adds a request to the columns made of `REQUEST_COLUMNS`. */
export const addRequest = compileAdd<TrafficRequest>(REQUEST_COLUMNS)

/** Columns that an insert names, the retention last. */
export const INSERT_COLUMNS: readonly string[] = [...COLUMNS.map(({ name }) => name), 'retention_days']

/** What a row calls a column: its field, or the list of a field of its objects. The time is a number. */
const rowName = ({ name, field }: TableColumn): string => (field === 'time' ? 'timeMs' : camelCase(name))

/** A row as `SELECT ${READ_COLUMNS}` returns it. */
export type RequestRow = Readonly<Record<string, unknown>>

/** The part of a row that columns made of `REQUEST_COLUMNS` hold under a number. */
export const rowPart = (columns: readonly AnyColumn[], row: number): RequestRow =>
  Object.fromEntries(REQUEST_COLUMNS.map((column, index) => [rowName(column), columns[index]?.at(row)]))

/** What to select so that a row can be turned back into an event. */
export const READ_COLUMNS = COLUMNS.map((column) =>
  column.field === 'time'
    ? 'toUnixTimestamp64Milli(requests.time) AS timeMs'
    : `requests.${column.name} AS ${rowName(column)}`,
).join(', ')

const single = COLUMNS.filter(({ field }) => field !== 'time' && field !== 'hits')
const hits = columnsOf('hits')

/** Rows of before a column of hits have no items in it. */
const itemText = (column: TableColumn): string => {
  const whenAbsent = Object.entries(LATER_HIT_FIELDS).find(([item]) => item === column.item)
  const read = `row.${rowName(column)}[index]`
  return whenAbsent ? `${read} ?? ${JSON.stringify(whenAbsent[1])}` : read
}

/** The event that a row holds. */
export const eventOf: (row: RequestRow) => TrafficEvent = compile(
  'row',
  `({
    ${single.map((column) => `${column.field}: row.${rowName(column)},`).join('\n')}
    time: row.timeMs,
    hits: row.hitRules.map((_, index) => ({
      ${hits.map((column) => `${column.item}: ${itemText(column)},`).join('\n')}
    })),
  })`,
)
