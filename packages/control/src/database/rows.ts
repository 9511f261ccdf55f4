/** What a statement answers, where it is not many rows. */
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
