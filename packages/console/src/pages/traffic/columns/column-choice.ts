/** Which columns of the request log are shown, in which order and how wide, as this browser keeps it. */
export interface ColumnChoice {
  /** Ids; those that are not named come last. */
  readonly order: readonly string[]
  readonly shown: Readonly<Record<string, boolean>>
  /** Pixels, of those that were resized. */
  readonly widths: Readonly<Record<string, number>>
}

export const WIDTH_MIN = 40
export const WIDTH_MAX = 1_200

/** What is stored may be of another version, or of anybody: only known columns and sane values count. */
export function readColumnChoice(
  stored: unknown,
  columns: readonly { readonly id: string; readonly isShown: boolean }[],
): ColumnChoice {
  const fields = recordOf(stored)
  const [shown, widths] = [recordOf(fields.shown), recordOf(fields.widths)]
  const ids = columns.map(({ id }) => id)
  const named: readonly unknown[] = Array.isArray(fields.order) ? fields.order : []
  // In the order in which they are named, each once.
  const order = ids
    .filter((id) => named.includes(id))
    .toSorted((left, right) => named.indexOf(left) - named.indexOf(right))
  return {
    order: [...order, ...ids.filter((id) => !order.includes(id))],
    shown: Object.fromEntries(
      columns.map(({ id, isShown }) => [id, typeof shown[id] === 'boolean' ? shown[id] : isShown]),
    ),
    widths: Object.fromEntries(
      ids.flatMap((id) => {
        const width = widths[id]
        const isSane = typeof width === 'number' && width >= WIDTH_MIN && width <= WIDTH_MAX
        return isSane ? [[id, Math.round(width)]] : []
      }),
    ),
  }
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

/** The order with a column moved by one among all. */
export function movedColumn(order: readonly string[], id: string, by: 1 | -1): readonly string[] {
  const at = order.indexOf(id)
  const other = order[at + by]
  if (at < 0 || other === undefined) return order
  return order.map((one) => (one === id ? other : one === other ? id : one))
}
