/** What a statement answers, where it is not many rows. */
import type { ColumnList } from './columns.ts'
import type { Transaction } from './transactions.ts'

/** The first row, where there is one. */
export const firstRow = async <Row>(
  tx: Transaction,
  text: string,
  values?: readonly unknown[],
): Promise<Row | undefined> => (await tx.query<Row>(text, values))[0]

/** The value of a statement that answers one column, of its first row; nothing where there is no row. */
export async function firstValue<Value>(
  tx: Transaction,
  text: string,
  values?: readonly unknown[],
): Promise<Value | undefined> {
  const row = await firstRow<Readonly<Record<string, Value>>>(tx, text, values)
  return row && Object.values(row)[0]
}

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

/** Whether the installation serves another organization, too. Reads across organizations. */
export const hasOtherOrganization = (tx: Transaction, orgId: string): Promise<boolean> =>
  hasRows(tx, 'SELECT 1 FROM organizations WHERE org_id <> $1 LIMIT 1', [orgId])

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

/** Makes the function that inserts a row of an organization and returns the columns named by `returned`. */
export function rowInserter<Row, Columns extends object>(
  table: string,
  inserted: ColumnList<keyof Columns & string>,
  returned: string,
) {
  const text = `INSERT INTO ${table} (org_id, ${inserted.names}) VALUES ($1, ${inserted.placeholders(2)})
    RETURNING ${returned}`
  return (tx: Transaction, orgId: string, columns: Columns): Promise<Row> =>
    writtenRow(tx, text, [orgId, ...inserted.valuesOf(columns as Readonly<Record<keyof Columns, unknown>>)])
}

/** The functions that find, lock and delete a row of an organization by its id; a lock lasts until the transaction ends. */
export function rowsById<Row>(table: string, columns: string) {
  const found = `SELECT ${columns} FROM ${table} WHERE org_id = $1 AND id = $2`
  type OnRow<Result> = (tx: Transaction, orgId: string, id: string) => Promise<Result>
  const find: OnRow<Row | undefined> = (tx, orgId, id) => firstRow(tx, found, [orgId, id])
  const lock: OnRow<Row | undefined> = (tx, orgId, id) => firstRow(tx, `${found} FOR UPDATE`, [orgId, id])
  const remove: OnRow<unknown> = (tx, orgId, id) =>
    tx.query(`DELETE FROM ${table} WHERE org_id = $1 AND id = $2`, [orgId, id])
  return { find, lock, remove }
}
