/** What a statement answers, where it is not many rows. */
import type { ColumnList } from './columns.ts'
import type { Transaction } from './transactions.ts'

/** The first row, where there is one. */
export const firstRow = async <Row>(
  tx: Transaction,
  text: string,
  values?: readonly unknown[],
): Promise<Row | undefined> => (await tx.query<Row>(text, values))[0]

/** The row that a statement writes. Throws where it wrote none: what is locked is there until the transaction ends. */
export async function writtenRow<Row>(
  tx: Transaction,
  text: string,
  values?: readonly unknown[],
): Promise<Row> {
  const row = await firstRow<Row>(tx, text, values)
  if (row === undefined) throw new Error('a row that was just written is gone')
  return row
}

/** Whether there was a row that the statement found or changed. */
export const hasRows = async (tx: Transaction, text: string, values?: readonly unknown[]): Promise<boolean> =>
  (await tx.query(text, values)).length > 0

/**
 * Makes the function that replaces columns of a (locked) row of an organization and raises its version; it returns the
 * columns named by `returned`.
 */
export function rowUpdater<Row, Columns extends object>(
  table: string,
  changed: ColumnList<keyof Columns & string>,
  returned: string,
) {
  const text = `UPDATE ${table} SET ${changed.assignments(3)}, version = version + 1
    WHERE org_id = $1 AND id = $2 RETURNING ${returned}`
  return (tx: Transaction, orgId: string, id: string, columns: Columns): Promise<Row> =>
    writtenRow(tx, text, [
      orgId,
      id,
      ...changed.valuesOf(columns as Readonly<Record<keyof Columns, unknown>>),
    ])
}
