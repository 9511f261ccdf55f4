import { ByteWriter } from './byte-writer.ts'
import type { NativeColumn, Picks } from './native-column.ts'

/** A column of a block: its name in the table, its entries, and which of them are the rows. */
export interface BlockColumn {
  readonly name: string
  readonly column: NativeColumn<never, unknown>
  /** As many in every column of a block. */
  readonly picks: Picks
}

/** A block of the `Native` format. `expectedBytes` is allocated at once; a block that is larger is copied as it grows. */
export function nativeBlock(
  columns: readonly BlockColumn[],
  rows: number,
  expectedBytes: number,
): Buffer<ArrayBuffer> {
  const writer = new ByteWriter(expectedBytes)
  writer.writeVarint(columns.length)
  writer.writeVarint(rows)
  for (const { name, column, picks } of columns) {
    writer.writeString(name)
    writer.writeString(column.type)
    column.writeState(writer)
    column.writeEntries(writer, picks)
  }
  return writer.slice()
}
