/** SQL of deliveries as organizations read them, and send them again. */
import type { DeliveryOutcome, DeliveryState, NotificationType } from '@sallyport/contract'
import type { Transaction } from '../../database/database.ts'
import { firstRow } from '../../database/rows.ts'
import type { ListRows } from '../../http/request/paging.ts'

export interface DeliveryRow {
  readonly id: string
  readonly destination_id: string
  readonly notification_id: string
  readonly type: NotificationType
  readonly occurred_at: string
  readonly data: Readonly<Record<string, unknown>>
  readonly state: DeliveryState
  readonly attempts: number
  readonly last_attempt_at: string | null
  readonly next_attempt_at: string
  readonly outcome: DeliveryOutcome
  readonly status: number
}

export interface DeliveryFilter {
  readonly destination?: string | undefined
  readonly state?: DeliveryState | undefined
  readonly type?: NotificationType | undefined
}

const SHOWN = `SELECT d.id, d.destination_id, d.notification_id, n.type, n.occurred_at, n.data, d.state, d.attempts,
    d.last_attempt_at, d.next_attempt_at, d.outcome, d.status
  FROM notification_deliveries d JOIN notifications n ON n.org_id = d.org_id AND n.id = d.notification_id
  WHERE d.org_id = $1`

export const listDeliveries: ListRows<DeliveryRow, DeliveryFilter> = (tx, orgId, filter, page) =>
  tx.query(
    `${SHOWN} AND ($2::uuid IS NULL OR d.id < $2) AND ($4::uuid IS NULL OR d.destination_id = $4)
       AND ($5::text IS NULL OR d.state = $5) AND ($6::text IS NULL OR n.type = $6) ORDER BY d.id DESC LIMIT $3`,
    [
      orgId,
      page.after,
      page.limit + 1,
      filter.destination ?? null,
      filter.state ?? null,
      filter.type ?? null,
    ],
  )

export const findDelivery = (tx: Transaction, orgId: string, id: string): Promise<DeliveryRow | undefined> =>
  firstRow(tx, `${SHOWN} AND d.id = $2`, [orgId, id])

export const lockDelivery = (tx: Transaction, orgId: string, id: string): Promise<DeliveryRow | undefined> =>
  firstRow(tx, `${SHOWN} AND d.id = $2 FOR UPDATE OF d`, [orgId, id])

/** Lets a delivery begin anew, also where its receiver asked to be left alone; the attempts that were made stay counted. */
export const replayDelivery = (tx: Transaction, orgId: string, id: string): Promise<unknown> =>
  tx.query(
    `WITH replayed AS (
       UPDATE notification_deliveries SET state = 'waiting', next_attempt_at = now(), attempts_before = attempts
       WHERE org_id = $1 AND id = $2 RETURNING destination_id)
     UPDATE notification_destinations SET paused_until = NULL FROM replayed
     WHERE org_id = $1 AND id = destination_id AND paused_until IS NOT NULL`,
    [orgId, id],
  )
