/** What was told, what became of it, and sending it again. */
import { isUuid, type NotificationDelivery } from '@sallyport/contract'
import type { Database } from '../../database/database.ts'
import { ProblemError } from '../../errors.ts'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import type { RequestContext } from '../../http/context.ts'
import type { QueryOf } from '../../http/handlers.ts'
import { listPage, requireRow } from '../../http/rows.ts'
import { findDestination } from '../../notify/destinations-store.ts'
import * as store from './store.ts'

export interface DeliveryDeps {
  readonly database: Database
}

async function list({ database }: DeliveryDeps, { orgId }: RequestContext, query: QueryOf<'deliveriesList'>) {
  // No destination has another name than an identifier.
  if (query.destination !== undefined && !isUuid(query.destination)) return { items: [], next: null }
  return listPage(
    database,
    orgId,
    query,
    (tx, page) => store.listDeliveries(tx, orgId, query, page),
    presentDelivery,
  )
}

const replay = (
  { database }: DeliveryDeps,
  context: RequestContext,
  id: string,
): Promise<NotificationDelivery> =>
  database.change(context, async (tx) => {
    const { orgId } = context
    const before = await requireRow(store.lockDelivery, tx, orgId, id)
    if (before.state === 'waiting' && before.attempts > 0 && before.outcome === '')
      throw new ProblemError('conflict', { detail: 'This delivery is being sent at this moment.' })
    const destination = await requireRow(findDestination, tx, orgId, before.destination_id)
    if (!destination.is_enabled || destination.code_hash !== '')
      throw new ProblemError('conflict', { detail: 'The destination is not enabled.' })
    await store.replayDelivery(tx, orgId, id)
    tx.record({
      action: 'delivery.replay',
      target: { kind: 'delivery', id },
      before: { state: before.state },
      after: { state: 'waiting' },
    })
    return presentDelivery(await requireRow(store.findDelivery, tx, orgId, id))
  })

/** The operations on deliveries. */
export const createDeliveryService = (deps: DeliveryDeps) => bindDependencies(deps, { list, replay })

export type DeliveryService = ReturnType<typeof createDeliveryService>

const presentDelivery = (row: store.DeliveryRow): NotificationDelivery => ({
  id: row.id,
  destinationId: row.destination_id,
  messageId: row.notification_id,
  type: row.type,
  time: row.occurred_at,
  data: row.data,
  state: row.state,
  attempts: row.attempts,
  lastAttempt: row.last_attempt_at,
  nextAttempt: row.state === 'waiting' ? row.next_attempt_at : null,
  outcome: row.outcome,
  status: row.status === 0 ? null : row.status,
})
