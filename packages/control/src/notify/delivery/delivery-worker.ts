/**
 * Sends what is due. The queue is in PostgreSQL: a delivery is claimed under a lease, sent outside of any transaction, and its
 * outcome noted where the claim still holds. So any number of control planes share the work, none sends what another does, and
 * what a process that dies was sending is sent again under the same id. One destination gets one message at a time from each process.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { pause } from '@sallyport/toolbox'
import type { Database, Transaction } from '../../database/database.ts'
import type { Cipher } from '../../secrets/cipher.ts'
import { auditedDestination, destinationTarget, openKeys, openTarget } from '../destination-view.ts'
import {
  cancelDeliveries,
  type DestinationRow,
  lockDestination,
  updateDestination,
} from '../destinations-store.ts'
import { type Occasion, tell } from '../tell-store.ts'
import { type AttemptResult, afterAttempt, askedPauseMs } from './attempt.ts'
import * as store from './delivery-store.ts'
import type { MailSender } from './mail-sender.ts'
import { webhookBody } from './message.ts'
import type { SendWebhook } from './webhook-sender.ts'

export interface DeliveryWorkerOptions {
  readonly database: Database
  readonly cipher: Cipher
  readonly sendWebhook: SendWebhook
  /** Null where the operator has not set up mail. */
  readonly mail: MailSender | null
  readonly failed: (error: unknown) => void
  /** Hears how each attempt ended. */
  readonly attempted?: (kind: store.ClaimedDelivery['kind'], result: AttemptResult) => void
  readonly pollMs?: number
}

export interface DeliveryWorker {
  /** Begins no attempt any more, and waits a little for those under way; what takes longer is sent again, under the same id. */
  close(): Promise<void>
}

const POLL_MS = 1_000
/** Longer than any attempt takes. */
const LEASE_MS = 120_000
const AT_ONCE_MAX = 16
/** Of one organization, so that its slow receivers leave room for the others'. */
const OF_ORGANIZATION_MAX = 4
/** Mail, so that a server of the operator's that hangs leaves room for webhooks. */
const MAIL_MAX = 4
const DUE_MAX = 200
/** Messages that a destination gets before others have their turn. */
const IN_A_ROW_MAX = 20
/** A destination that has taken nothing for so long is disabled. */
const FAILING_MAX_MS = 5 * 86_400_000
const KEPT_DAYS = 30
/** A process that is told to stop has not much more than a slow receiver takes. */
const CLOSE_WAIT_MS = 5_000
const PRUNE_INTERVAL_MS = 3_600_000

export function startDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { database, failed, pollMs = POLL_MS } = options
  const closing = new AbortController()
  const running = new Map<string, store.DueDestination & { readonly done: Promise<void> }>()
  let waking = new AbortController()
  /** Whether something was due that there was no room for. */
  let isLeftOver = false
  let prunedAt = Number.NEGATIVE_INFINITY

  const hasRoom = ({ orgId, kind }: store.DueDestination): boolean => {
    const all = [...running.values()]
    return (
      all.length < AT_ONCE_MAX &&
      all.filter((one) => one.orgId === orgId).length < OF_ORGANIZATION_MAX &&
      (kind !== 'email' || all.filter((one) => one.kind === kind).length < MAIL_MAX)
    )
  }
  const begin = (due: store.DueDestination): void => {
    const done = deliverAll(options, due, closing.signal)
      .catch(failed)
      .finally(() => {
        running.delete(due.destinationId)
        if (isLeftOver) waking.abort()
      })
    running.set(due.destinationId, { ...due, done })
  }
  const look = async (): Promise<void> => {
    const due = await database.readInstallation((tx) => store.listDue(tx, DUE_MAX))
    const next = due.filter((one) => !running.has(one.destinationId))
    for (const one of next) if (hasRoom(one)) begin(one)
    isLeftOver = next.some((one) => !running.has(one.destinationId))
    if (performance.now() - prunedAt < PRUNE_INTERVAL_MS) return
    prunedAt = performance.now()
    for (const orgId of await database.readInstallation((tx) => store.listPrunable(tx, KEPT_DAYS)))
      await database.write(orgId, (tx) => store.prune(tx, orgId, KEPT_DAYS))
  }
  const goOn = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      waking = new AbortController()
      await look().catch(failed)
      await pause(pollMs, AbortSignal.any([closing.signal, waking.signal]))
    }
    await Promise.all([...running.values()].map(({ done }) => done))
  }
  const worked = goOn()
  return {
    close: () => {
      closing.abort()
      return Promise.race([worked, sleep(CLOSE_WAIT_MS, undefined, { ref: false })])
    },
  }
}

/** Sends some of what is due for a destination, one after the other, until nothing is, or something failed. */
async function deliverAll(
  options: DeliveryWorkerOptions,
  due: store.DueDestination,
  closing: AbortSignal,
): Promise<void> {
  const { orgId } = due
  const claim = (tx: Transaction) => store.claimDelivery(tx, due, LEASE_MS)
  let claimed = await options.database.write(orgId, claim)
  for (let sent = 1; claimed; sent++) {
    const result = await attempt(options, orgId, claimed)
    options.attempted?.(claimed.kind, result)
    const goesOn = result.outcome === 'accepted' && sent < IN_A_ROW_MAX && !closing.aborted
    claimed = await note(options, orgId, claimed, result, goesOn ? claim : () => Promise.resolve(undefined))
  }
}

function attempt(
  { cipher, sendWebhook, mail }: DeliveryWorkerOptions,
  orgId: string,
  claimed: store.ClaimedDelivery,
): Promise<AttemptResult> {
  const sealed = { ...claimed, id: claimed.destination_id }
  const target = openTarget(cipher, orgId, sealed)
  const keys = openKeys(cipher, orgId, sealed)
  if (keys)
    return sendWebhook(orgId, target, keys, { id: claimed.notification_id, body: webhookBody(claimed) })
  return mail ? mail.send(target, claimed) : Promise.resolve({ outcome: 'not_set_up', status: 0 })
}

/** Notes how an attempt ended, and claims the next delivery in the same transaction. */
async function note(
  options: DeliveryWorkerOptions,
  orgId: string,
  claimed: store.ClaimedDelivery,
  result: AttemptResult,
  claimNext: (tx: Transaction) => Promise<store.ClaimedDelivery | undefined>,
): Promise<store.ClaimedDelivery | undefined> {
  const { destination_id: destinationId } = claimed
  const end = afterAttempt(result, claimed.attempts - claimed.attempts_before)
  const isDelivered = end.state === 'delivered'
  const [isOwn, failingMs, next] = await options.database.write(orgId, (tx) =>
    Promise.all([
      store.endAttempt(tx, orgId, claimed, end),
      isDelivered
        ? store.noteSuccess(tx, orgId, destinationId)
        : store.noteFailure(tx, orgId, claimed, askedPauseMs(result)),
      claimNext(tx),
    ]),
  )
  if (!isOwn) return next
  if (result.outcome === 'gone') await disable(options, orgId, claimed, 'gone')
  else if (failingMs > FAILING_MAX_MS) await disable(options, orgId, claimed, 'failing')
  return next
}

/** Disables a destination by itself; what waits for it is given up. */
const disable = (
  { database, cipher }: DeliveryWorkerOptions,
  orgId: string,
  { destination_id: id, notification_id, target }: store.ClaimedDelivery,
  because: 'gone' | 'failing',
): Promise<void> =>
  database.change(
    {
      orgId,
      actor: { kind: 'system', id: 'notifications', email: 'notifications' },
      requestId: notification_id,
    },
    async (tx) => {
      const before = await lockDestination(tx, orgId, id)
      // What was tried may have been corrected meanwhile.
      if (!before?.is_enabled || before.target !== target) return
      const after = await updateDestination(tx, orgId, id, {
        ...before,
        is_enabled: false,
        disabled_because: because,
      })
      await cancelDeliveries(tx, orgId, id)
      await tell(tx, orgId, disabledOccasion(after, because))
      tx.record({
        action: 'destination.disable',
        target: destinationTarget(id),
        before: auditedDestination(cipher, orgId, before),
        after: auditedDestination(cipher, orgId, after),
      })
    },
  )

const disabledOccasion = ({ id, name }: DestinationRow, because: 'gone' | 'failing'): Occasion => ({
  type: 'destination.disabled',
  subject: id,
  occurredAt: new Date().toISOString(),
  data: { destination: { id, name }, because },
})
