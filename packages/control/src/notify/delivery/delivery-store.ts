/** SQL of the queue of deliveries. All instants are the database's, so that the clocks of processes do not matter. */
import type { DeliveryOutcome, DestinationKind, NotificationType } from '@sallyport/contract'
import type { Transaction } from '../../database/database.ts'
import { firstRow, firstValue, hasRows } from '../../database/rows.ts'

/** A destination that something is due for. */
export interface DueDestination {
  readonly orgId: string
  readonly destinationId: string
  readonly kind: DestinationKind
}

/** Whether a destination is to be sent anything now. */
const IS_OPEN = 'is_enabled AND (paused_until IS NULL OR paused_until <= now())'

/** Organizations take turns: the first destination of each, then the second of each. */
export const listDue = (tx: Transaction, limit: number): Promise<DueDestination[]> =>
  tx.query<DueDestination>(
    `SELECT org_id AS "orgId", destination_id AS "destinationId", kind FROM (
       SELECT w.org_id, destination_id, kind, due, row_number() OVER (PARTITION BY w.org_id ORDER BY due) AS turn FROM (
         SELECT org_id, destination_id, min(next_attempt_at) AS due FROM notification_deliveries
         WHERE state = 'waiting' AND next_attempt_at <= now() GROUP BY org_id, destination_id
       ) w JOIN notification_destinations d ON d.org_id = w.org_id AND d.id = destination_id
       WHERE ${IS_OPEN}
     ) turns ORDER BY turn, due LIMIT $1`,
    [limit],
  )

/** A delivery that this process sends now, and no other until its lease is over. */
export interface ClaimedDelivery {
  readonly id: string
  readonly destination_id: string
  readonly notification_id: string
  /** Of all that were made, this one included. */
  readonly attempts: number
  readonly attempts_before: number
  readonly type: NotificationType
  readonly occurred_at: string
  readonly data: Readonly<Record<string, unknown>>
  readonly kind: DestinationKind
  readonly target: string
  readonly keys: string
}

/** Claims what is due longest for a destination: it counts as given up once the lease has run out. */
export const claimDelivery = (
  tx: Transaction,
  { orgId, destinationId }: DueDestination,
  leaseMs: number,
): Promise<ClaimedDelivery | undefined> =>
  firstRow(
    tx,
    `WITH claimed AS (
       UPDATE notification_deliveries SET attempts = attempts + 1, last_attempt_at = now(), outcome = '', status = 0,
         next_attempt_at = now() + $3 * interval '1 millisecond'
       WHERE org_id = $1 AND id = (
         SELECT id FROM notification_deliveries
         WHERE org_id = $1 AND destination_id = $2 AND state = 'waiting' AND next_attempt_at <= now()
           AND EXISTS (SELECT 1 FROM notification_destinations WHERE org_id = $1 AND id = $2 AND ${IS_OPEN})
         ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, destination_id, notification_id, attempts, attempts_before)
     SELECT c.*, n.type, n.occurred_at, n.data, d.kind, d.target, d.keys FROM claimed c
       JOIN notifications n ON n.org_id = $1 AND n.id = c.notification_id
       JOIN notification_destinations d ON d.org_id = $1 AND d.id = c.destination_id`,
    [orgId, destinationId, leaseMs],
  )

/** How an attempt ended. */
export interface AttemptEnd {
  readonly outcome: DeliveryOutcome
  /** 0 for none. */
  readonly status: number
  readonly state: 'waiting' | 'delivered' | 'failed'
  /** Until the next attempt of one that waits. */
  readonly pauseMs: number
}

/** Notes how an attempt ended. False where another has begun meanwhile, or somebody gave the delivery up. */
export const endAttempt = (
  tx: Transaction,
  orgId: string,
  { id, attempts }: ClaimedDelivery,
  { outcome, status, state, pauseMs }: AttemptEnd,
): Promise<boolean> =>
  hasRows(
    tx,
    `UPDATE notification_deliveries SET outcome = $4, status = $5, state = $6,
       next_attempt_at = now() + $7 * interval '1 millisecond'
     WHERE org_id = $1 AND id = $2 AND attempts = $3 AND state = 'waiting' RETURNING 1`,
    [orgId, id, attempts, outcome, status, state, pauseMs],
  )

/** Notes that a destination took something; it has failed for 0 milliseconds then. */
export async function noteSuccess(tx: Transaction, orgId: string, destinationId: string): Promise<number> {
  await tx.query(
    `UPDATE notification_destinations SET failing_since = NULL, paused_until = NULL
     WHERE org_id = $1 AND id = $2 AND (failing_since IS NOT NULL OR paused_until IS NOT NULL)`,
    [orgId, destinationId],
  )
  return 0
}

/**
 * Notes that a destination took nothing, and returns for how many milliseconds it has not. A failure after a day in which it was
 * sent nothing begins anew: what it would have taken meanwhile is not known. It is left alone for as long as it asked, which is no
 * such day: it would never be disabled if it asked for a day each time.
 */
export const noteFailure = async (
  tx: Transaction,
  orgId: string,
  { id, destination_id, attempts, attempts_before }: ClaimedDelivery,
  retryAfterMs: number,
): Promise<number> =>
  (await firstValue<number>(
    tx,
    `UPDATE notification_destinations SET
       failing_since = CASE WHEN $4 OR paused_until > now() - interval '1 day' OR EXISTS (
         SELECT 1 FROM notification_deliveries WHERE org_id = $1 AND destination_id = $2 AND id <> $3
           AND last_attempt_at > now() - interval '1 day') THEN coalesce(failing_since, now()) ELSE now() END,
       paused_until = CASE WHEN $5 > 0 THEN greatest(paused_until, now() + $5 * interval '1 millisecond') ELSE paused_until END
     WHERE org_id = $1 AND id = $2
     RETURNING (extract(epoch FROM now() - failing_since) * 1000)::float8`,
    [orgId, destination_id, id, attempts - attempts_before > 1, retryAfterMs],
  )) ?? 0

/** What is measured of the queue. */
export interface QueueState {
  readonly waiting: number
  /** For how long the one that is due longest has been due, in seconds. */
  readonly lateSeconds: number
}

export const EMPTY_QUEUE: QueueState = { waiting: 0, lateSeconds: 0 }

export const readQueue = async (tx: Transaction): Promise<QueueState> =>
  (await firstRow<QueueState>(
    tx,
    `SELECT count(*)::int AS waiting,
       greatest(0, coalesce(extract(epoch FROM now() - min(next_attempt_at)), 0))::float8 AS "lateSeconds"
     FROM notification_deliveries WHERE state = 'waiting'`,
  )) ?? EMPTY_QUEUE

/** Organizations that have something older than is kept. */
export const listPrunable = async (tx: Transaction, keptDays: number): Promise<string[]> =>
  (
    await tx.query<{ org_id: string }>(
      `SELECT org_id FROM notifications WHERE created_at < now() - make_interval(days => $1) GROUP BY org_id
       UNION SELECT org_id FROM notification_sightings WHERE last_seen_at < now() - make_interval(days => $2) GROUP BY org_id`,
      [keptDays, SIGHTINGS_KEPT_DAYS],
    )
  ).map((row) => row.org_id)

/** What a researcher has not used for so long is new when it comes again. */
const SIGHTINGS_KEPT_DAYS = 180

export async function prune(tx: Transaction, orgId: string, keptDays: number): Promise<void> {
  await tx.query(
    'DELETE FROM notifications WHERE org_id = $1 AND created_at < now() - make_interval(days => $2)',
    [orgId, keptDays],
  )
  await tx.query(
    'DELETE FROM notification_sightings WHERE org_id = $1 AND last_seen_at < now() - make_interval(days => $2)',
    [orgId, SIGHTINGS_KEPT_DAYS],
  )
}
