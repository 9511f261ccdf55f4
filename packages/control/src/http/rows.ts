/** Rows as services ask a store for them: by id, for a change, or page by page. */
import { isUuid, type Page } from '@sallyport/contract'
import type { Database, Transaction } from '../database/database.ts'
import { notFound } from '../errors.ts'
import { type RequestContext, requireVersion } from './context.ts'
import { type PageRequest, pageOfRows, readPage } from './request/paging.ts'

/** How a store finds, or locks, one row of an organization. */
type FindRow<Row> = (tx: Transaction, orgId: string, id: string) => Promise<Row | undefined>

/** The row with this id. Throws a 404, also for what cannot be an id. */
export async function requireRow<Row>(
  find: FindRow<Row>,
  tx: Transaction,
  orgId: string,
  id: string,
): Promise<Row> {
  requireId(id)
  const row = await find(tx, orgId, id)
  if (!row) throw notFound()
  return row
}

/** Throws a 404 for what cannot be an id. To be called before a connection is asked for, where nothing else is to be read. */
export function requireId(id: string): void {
  if (!isUuid(id)) throw notFound()
}

/** Locks the row that a request changes. Throws a 404, and a 412 where the caller knew another version of it. */
export async function lockForChange<Row extends { readonly version: number }>(
  lock: FindRow<Row>,
  tx: Transaction,
  context: RequestContext,
  id: string,
): Promise<Row> {
  const row = await requireRow(lock, tx, context.orgId, id)
  requireVersion(context, row.version)
  return row
}

/** Reads the row with this id. Throws a 404. */
export async function readRow<Row>(
  database: Database,
  orgId: string,
  id: string,
  find: FindRow<Row>,
): Promise<Row> {
  requireId(id)
  return database.read(orgId, (tx) => requireRow(find, tx, orgId, id))
}

/** Reads the row with this id and, in the same round trip, what belongs to it. Throws a 404. */
export async function readRowWith<Row, More>(
  database: Database,
  orgId: string,
  id: string,
  find: FindRow<Row>,
  findMore: (tx: Transaction, orgId: string, id: string) => Promise<More>,
): Promise<[Row, More]> {
  requireId(id)
  const [row, more] = await database.read(orgId, (tx) =>
    Promise.all([find(tx, orgId, id), findMore(tx, orgId, id)]),
  )
  if (!row) throw notFound()
  return [row, more]
}

/** Reads a page of a list that is sorted by identifier. `list` returns up to `limit` + 1 rows. */
export async function listPage<Row extends { readonly id: string }, Item>(
  database: Database,
  orgId: string,
  query: { readonly limit: number; readonly cursor?: string | undefined },
  list: (tx: Transaction, page: PageRequest) => Promise<Row[]>,
  present: (row: Row) => Item,
): Promise<Page<Item>> {
  const page = readPage(query, query.limit)
  const rows = await database.read(orgId, (tx) => list(tx, page))
  return pageOfRows(rows, page.limit, (row) => row.id, present)
}
