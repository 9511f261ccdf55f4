/** SQL of destinations. */
import type { DestinationKind, NotificationType } from '@sallyport/contract'
import { columnList, columnOf, flag, integer, type RowOf, text, textOrNull } from '../database/columns.ts'
import type { Transaction } from '../database/database.ts'
import { firstValue, hasRows, rowInserter, rowsById, rowUpdater } from '../database/rows.ts'
import type { ListRows } from '../http/request/paging.ts'

/** What a change may set. */
const CHANGED = {
  name: text,
  target: text,
  keys: text,
  types: columnOf<readonly NotificationType[]>(),
  is_enabled: flag,
  disabled_because: columnOf<'' | 'gone' | 'failing'>(),
  code_hash: text,
  code_attempts: integer,
  failing_since: textOrNull,
  paused_until: textOrNull,
}
const NEW = {
  id: text,
  kind: columnOf<DestinationKind>(),
  name: text,
  target: text,
  keys: text,
  types: columnOf<readonly NotificationType[]>(),
  code_hash: text,
  created_by: text,
}
const ROW = { ...NEW, ...CHANGED, created_at: text, version: integer }
export type NewDestinationRow = RowOf<typeof NEW>
export type DestinationChange = RowOf<typeof CHANGED>
export type DestinationRow = RowOf<typeof ROW>

const TABLE = 'notification_destinations'
const COLUMNS = columnList(ROW).names

export const listDestinations: ListRows<DestinationRow, undefined> = (tx, orgId, _filter, page) =>
  tx.query(
    `SELECT ${COLUMNS} FROM ${TABLE} WHERE org_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    [orgId, page.after, page.limit + 1],
  )

export const {
  find: findDestination,
  lock: lockDestination,
  remove: deleteDestination,
} = rowsById<DestinationRow>(TABLE, COLUMNS)

export const insertDestination = rowInserter<DestinationRow, NewDestinationRow>(
  TABLE,
  columnList(NEW),
  COLUMNS,
)

export const updateDestination = rowUpdater<DestinationRow, DestinationChange>(
  TABLE,
  columnList(CHANGED),
  COLUMNS,
)

/** Locks the organization's row until the transaction ends, so that what is counted stays so. */
export const countDestinations = async (tx: Transaction, orgId: string): Promise<number> => {
  await tx.query('SELECT 1 FROM organizations WHERE org_id = $1 FOR NO KEY UPDATE', [orgId])
  return (await firstValue<number>(tx, `SELECT count(*)::int FROM ${TABLE} WHERE org_id = $1`, [orgId])) ?? 0
}

/** Gives up what still waits for a destination. */
export const cancelDeliveries = (tx: Transaction, orgId: string, destinationId: string): Promise<unknown> =>
  tx.query(
    `UPDATE notification_deliveries SET state = 'cancelled'
     WHERE org_id = $1 AND destination_id = $2 AND state = 'waiting'`,
    [orgId, destinationId],
  )

/** Codes that an organization may have sent to addresses in a day: nobody has shown yet that they want its mail. */
const CODES_A_DAY_MAX = 20

/** Counts the code that an address is about to be sent. False where the day has had its codes. */
export const countCode = (tx: Transaction, orgId: string, id: string): Promise<boolean> =>
  hasRows(
    tx,
    `INSERT INTO notification_sightings (org_id, kind, subject, value, last_seen_at)
     SELECT $1, 'code', '', $2, now() WHERE (SELECT count(*) FROM notification_sightings
       WHERE org_id = $1 AND kind = 'code' AND last_seen_at > now() - interval '1 day') < ${CODES_A_DAY_MAX}
     RETURNING 1`,
    [orgId, id],
  )
