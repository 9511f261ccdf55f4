/**
 * SQL that queues what there is to tell. A notification and its deliveries are written by one statement, in the transaction of
 * whoever knows of it; where nobody wants it, or of one subject or type too much was told within the hour, nothing is written.
 */
import { DESTINATIONS_MAX, type NotificationType } from '@sallyport/contract'
import { newId, type Transaction } from '../database/database.ts'
import { hasRows } from '../database/rows.ts'

/** Something to tell. */
export interface Occasion {
  readonly type: NotificationType
  /** The one thing that it is about. */
  readonly subject: string
  /** ISO 8601 in UTC. */
  readonly occurredAt: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What a single researcher or site may cause to be told in an hour, and all of an organization together, of one type. */
const TOLD_OF_SUBJECT_MAX = 10
const TOLD_OF_TYPE_MAX = 200
/** A destination that so much waits for is told nothing more until it has taken some of it. */
const WAITING_MAX = 5_000

const QUEUE = `WITH wanting AS (
    SELECT id, row_number() OVER (ORDER BY id) AS place FROM notification_destinations d
    WHERE org_id = $1 AND is_enabled AND code_hash = '' AND ($8::uuid IS NOT NULL OR created_at <= $5::timestamptz)
      AND CASE WHEN $8::uuid IS NULL THEN $3 = ANY (types) ELSE id = $8 END
      AND (SELECT count(*) FROM (SELECT 1 FROM notification_deliveries w
        WHERE w.org_id = $1 AND w.destination_id = d.id AND w.state = 'waiting' LIMIT ${WAITING_MAX}) waiting) < ${WAITING_MAX}
  ), told AS (
    INSERT INTO notifications (org_id, id, type, subject, occurred_at, data)
    SELECT $1, $2, $3, $4, $5, $6 WHERE EXISTS (SELECT 1 FROM wanting)
      AND (SELECT count(*) FROM notifications WHERE org_id = $1 AND type = $3 AND subject = $4
        AND created_at > now() - interval '1 hour') < ${TOLD_OF_SUBJECT_MAX}
      AND (SELECT count(*) FROM notifications WHERE org_id = $1 AND type = $3
        AND created_at > now() - interval '1 hour') < ${TOLD_OF_TYPE_MAX}
    RETURNING id
  )
  INSERT INTO notification_deliveries (org_id, id, destination_id, notification_id)
  SELECT $1, ($7::uuid[])[place], wanting.id, told.id FROM told, wanting RETURNING id`

/** Queues an occasion for those that want it, or for one destination whatever it wants. False where nothing was queued. */
export const tell = (
  tx: Transaction,
  orgId: string,
  { type, subject, occurredAt, data }: Occasion,
  destinationId: string | null = null,
): Promise<boolean> =>
  hasRows(tx, QUEUE, [
    orgId,
    newId(),
    type,
    subject,
    occurredAt,
    JSON.stringify({ organizationId: orgId, ...data }),
    Array.from({ length: DESTINATIONS_MAX }, newId),
    destinationId,
  ])
