/** SQL of the operations of sites' APIs: what is given, what is confirmed, and the templates that gateways are sent. */
import type { Transaction } from '../../../database/database.ts'
import { firstRow, firstValue } from '../../../database/rows.ts'
import { findOpenApiDocuments } from '../documents/store.ts'
import type { ConfirmedOperation, OperationName } from './site-api.ts'

/** In the order in which they were confirmed. */
export const readConfirmed = async (
  tx: Transaction,
  orgId: string,
  siteId: string,
): Promise<ConfirmedOperation[]> => {
  const rows = await tx.query<{ operation: ConfirmedOperation }>(
    `SELECT operation FROM confirmed_operations WHERE org_id = $1 AND site_id = $2
     ORDER BY confirmed_at, method, template`,
    [orgId, siteId],
  )
  return rows.map(({ operation }) => operation)
}

/** What tells the documents in force and the confirmed operations of a site from what they were before, without reading them. */
export const findKnownSource = async (tx: Transaction, orgId: string, siteId: string): Promise<string> =>
  (await firstValue<string>(
    tx,
    `SELECT concat_ws(';',
       (SELECT string_agg(concat_ws(' ', md5(name), number, v.xmin), ',' ORDER BY name)
        FROM site_documents d JOIN site_document_versions v USING (org_id, site_id, name, number)
        WHERE org_id = $1 AND site_id = $2),
       (SELECT string_agg(concat_ws(' ', md5(template), c.xmin), ',' ORDER BY method, template)
        FROM confirmed_operations c WHERE org_id = $1 AND site_id = $2))`,
    [orgId, siteId],
  )) ?? ''

/** What is known of a site's API before anything is learned. */
export const readKnown = async (tx: Transaction, orgId: string, siteId: string) => {
  // First: of what changes meanwhile it then says too little, and never too much.
  const source = await findKnownSource(tx, orgId, siteId)
  const [documents, confirmed] = await Promise.all([
    findOpenApiDocuments(tx, orgId, siteId),
    readConfirmed(tx, orgId, siteId),
  ])
  return { documents, confirmed, source }
}

/** Keeps an operation, as it is now where it is there already. */
export const insertConfirmed = (
  tx: Transaction,
  orgId: string,
  siteId: string,
  operation: ConfirmedOperation,
  confirmedBy: string,
): Promise<unknown> =>
  tx.query(
    `INSERT INTO confirmed_operations (org_id, site_id, method, template, operation, confirmed_by)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (org_id, site_id, method, md5(template)) DO UPDATE SET operation = excluded.operation`,
    [orgId, siteId, operation.method, operation.template, JSON.stringify(operation), confirmedBy],
  )

export const countConfirmed = async (tx: Transaction, orgId: string, siteId: string): Promise<number> =>
  (await firstValue<number>(
    tx,
    'SELECT count(*)::integer FROM confirmed_operations WHERE org_id = $1 AND site_id = $2',
    [orgId, siteId],
  )) ?? 0

/** What was removed; nothing where it was not confirmed. */
export const deleteConfirmed = (
  tx: Transaction,
  orgId: string,
  siteId: string,
  { method, template }: OperationName,
): Promise<ConfirmedOperation | undefined> =>
  firstValue(
    tx,
    `DELETE FROM confirmed_operations WHERE org_id = $1 AND site_id = $2 AND method = $3 AND md5(template) = md5($4)
     RETURNING operation`,
    [orgId, siteId, method, template],
  )

/** A template that was learned, and when it last was, milliseconds since the epoch. */
export interface LearnedTemplate {
  readonly template: string
  readonly at: number
}

export interface RoutesRow {
  readonly given: readonly string[]
  readonly learned: readonly LearnedTemplate[]
  readonly routes: readonly string[]
}

export const findRoutes = (tx: Transaction, orgId: string, siteId: string): Promise<RoutesRow | undefined> =>
  firstRow(tx, 'SELECT given, learned, routes FROM site_routes WHERE org_id = $1 AND site_id = $2', [
    orgId,
    siteId,
  ])

export const saveRoutes = (
  tx: Transaction,
  orgId: string,
  siteId: string,
  routes: readonly string[],
): Promise<unknown> =>
  tx.query(
    `INSERT INTO site_routes (org_id, site_id, routes) VALUES ($1, $2, $3)
     ON CONFLICT (org_id, site_id) DO UPDATE SET routes = excluded.routes`,
    [orgId, siteId, routes],
  )
