/** Lists of numbers, one behind the other: the list of `index` is from `starts[index]` to before `starts[index + 1]`. */
export interface PackedLists {
  readonly starts: Int32Array
  readonly items: Int32Array
}

/** Packs lists, for loops that allocate nothing. */
export function packLists(lists: readonly (readonly number[])[]): PackedLists {
  const starts = new Int32Array(lists.length + 1)
  for (const [index, { length }] of lists.entries()) starts[index + 1] = (starts[index] ?? 0) + length
  return { starts, items: Int32Array.from(lists.flat()) }
}
