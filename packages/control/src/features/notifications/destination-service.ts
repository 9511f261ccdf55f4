/** The life of a destination: added, confirmed where it is an address, changed, given another key, tested, removed. */
import { DESTINATIONS_MAX, type Destination, email as emailSchema } from '@sallyport/contract'
import { changedFields, isUnchanged } from '../../audit/changed-fields.ts'
import { type Database, newId } from '../../database/database.ts'
import { invalid, ProblemError, tooManyRequests } from '../../errors.ts'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import type { RequestContext } from '../../http/context.ts'
import type { BodyOf, QueryOf, Versioned } from '../../http/handlers.ts'
import { listPage, lockForChange, readRow, requireRow } from '../../http/rows.ts'
import type { MailSender } from '../../notify/delivery/mail-sender.ts'
import {
  auditedDestination,
  destinationTarget,
  openKeys,
  openTarget,
  presentDestination,
  sealKeys,
  sealTarget,
} from '../../notify/destination-view.ts'
import * as store from '../../notify/destinations-store.ts'
import { tell } from '../../notify/tell-store.ts'
import { makeWebhookKeys, replaceWebhookKey, secretOf } from '../../notify/webhook-keys.ts'
import { type WebhookRules, whyNoWebhookUrl } from '../../notify/webhook-url.ts'
import type { Cipher } from '../../secrets/cipher.ts'
import { CODE_ATTEMPTS_MAX, hashCode, makeCode } from './confirmation.ts'

export interface DestinationDeps {
  readonly database: Database
  readonly cipher: Cipher
  readonly webhooks: WebhookRules
  /** Null where the operator has not set up mail. */
  readonly mail: Pick<MailSender, 'sendCode'> | null
}

/** How long a replaced key signs beside its successor, unless the caller says. */
const OVERLAP_SECONDS_DEFAULT = 86_400
/** When who has sent too much may try again: what is counted is that of an hour, or of a day. */
const RETRY_SECONDS = 3_600

const list = (
  { database, cipher }: DestinationDeps,
  { orgId }: RequestContext,
  query: QueryOf<'destinationsList'>,
) =>
  listPage(
    database,
    orgId,
    query,
    (tx, page) => store.listDestinations(tx, orgId, undefined, page),
    (row) => presentDestination(cipher, orgId, row),
  )

const get = async ({ database, cipher }: DestinationDeps, { orgId }: RequestContext, id: string) =>
  versioned(cipher, orgId, await readRow(database, orgId, id, store.findDestination))

async function create(
  deps: DestinationDeps,
  context: RequestContext,
  body: BodyOf<'destinationsCreate'>,
): Promise<Versioned<Destination & { secret: string | null }>> {
  const { database, cipher, mail } = deps
  const { orgId } = context
  requireTarget(deps, body.kind, body.target)
  const id = newId()
  const code = body.kind === 'email' ? makeCode() : null
  const keys = body.kind === 'webhook' ? makeWebhookKeys(body.signature ?? 'hmac') : null
  let isNew = false
  const created = await database.change(context, async (tx) => {
    if ((await store.countDestinations(tx, orgId)) >= DESTINATIONS_MAX)
      throw new ProblemError('conflict', {
        detail: `An organization has ${DESTINATIONS_MAX} destinations at most.`,
      })
    if (code && !(await store.countCode(tx, orgId, id))) throw tooManyRequests(RETRY_SECONDS)
    const row = await store.insertDestination(tx, orgId, {
      id,
      kind: body.kind,
      name: body.name,
      target: sealTarget(cipher, orgId, id, body.target),
      keys: keys ? sealKeys(cipher, orgId, id, keys) : '',
      types: [...new Set(body.types)],
      code_hash: code ? hashCode(code) : '',
      created_by: context.principal.userId,
    })
    const after = auditedDestination(cipher, orgId, row)
    tx.record({ action: 'destination.create', target: destinationTarget(id), before: null, after })
    isNew = true
    return { ...presentDestination(cipher, orgId, row), secret: keys && secretOf(keys) }
  })
  if (isNew && code) await mail?.sendCode(body.target, code)
  return { body: created, version: 1 }
}

async function update(
  deps: DestinationDeps,
  context: RequestContext,
  id: string,
  body: BodyOf<'destinationsUpdate'>,
): Promise<Versioned<Destination>> {
  const { database, cipher } = deps
  const { orgId } = context
  const row = await database.change(context, async (tx) => {
    const before = await lockForChange(store.lockDestination, tx, context, id)
    if (body.target !== undefined && before.kind === 'email')
      throw new ProblemError('conflict', {
        detail: 'An address is a destination of its own: add another one.',
      })
    if (body.target !== undefined) requireTarget(deps, before.kind, body.target)
    const movedTo = body.target === openTarget(cipher, orgId, before) ? undefined : body.target
    const isMoved = movedTo !== undefined
    const isEnabled = body.isEnabled ?? before.is_enabled
    const after = await store.updateDestination(tx, orgId, id, {
      ...before,
      name: body.name ?? before.name,
      types: body.types ? [...new Set(body.types)] : before.types,
      ...(isMoved && { target: sealTarget(cipher, orgId, id, movedTo) }),
      ...(body.isEnabled !== undefined && { is_enabled: isEnabled, disabled_because: '' }),
      ...(isEnabled && !before.is_enabled && { failing_since: null }),
      // Who changes it means it to be tried.
      paused_until: null,
    })
    if (!isEnabled && before.is_enabled) await store.cancelDeliveries(tx, orgId, id)
    const [was, is] = [auditedDestination(cipher, orgId, before), auditedDestination(cipher, orgId, after)]
    const difference = changedFields(was, is)
    if (isUnchanged(difference) && !isMoved) return before
    tx.record({
      action: 'destination.update',
      target: destinationTarget(id),
      // Of two URLs of one origin the log shows the same: the entry says all the same that it was changed.
      before: { ...difference.before, ...(isMoved && { target: was.target }) },
      after: { ...difference.after, ...(isMoved && { target: is.target }) },
    })
    return after
  })
  return versioned(cipher, orgId, row)
}

async function rotate(
  { database, cipher }: DestinationDeps,
  context: RequestContext,
  id: string,
  overlapSeconds = OVERLAP_SECONDS_DEFAULT,
) {
  const { orgId } = context
  return database.change(context, async (tx) => {
    const before = await requireRow(store.lockDestination, tx, orgId, id)
    const known = openKeys(cipher, orgId, before)
    if (!known) throw new ProblemError('conflict', { detail: 'An e-mail address has no key.' })
    const until = Date.now() + overlapSeconds * 1_000
    const keys = replaceWebhookKey(known, until)
    const row = await store.updateDestination(tx, orgId, id, {
      ...before,
      keys: sealKeys(cipher, orgId, id, keys),
    })
    tx.record({
      action: 'destination.rotate',
      target: destinationTarget(id),
      before: null,
      after: { earlierKeyUntil: new Date(until).toISOString() },
    })
    return { ...presentDestination(cipher, orgId, row), secret: secretOf(keys) }
  })
}

/** A wrong code is counted by a change of its own, which the refusal does not undo. */
async function confirm(
  { database, cipher }: DestinationDeps,
  context: RequestContext,
  id: string,
  code: string,
) {
  const { orgId } = context
  await readRow(database, orgId, id, store.findDestination)
  const confirmed = await database.change(context, async (tx) => {
    const before = await requireRow(store.lockDestination, tx, orgId, id)
    if (before.code_hash === '') return before
    if (before.code_attempts >= CODE_ATTEMPTS_MAX)
      throw new ProblemError('conflict', {
        detail: 'Too many wrong codes: remove the destination, and add it anew.',
      })
    const isRight = hashCode(code) === before.code_hash
    const row = await store.updateDestination(tx, orgId, id, {
      ...before,
      ...(isRight ? { code_hash: '' } : { code_attempts: before.code_attempts + 1 }),
    })
    const act = isRight ? 'confirm' : 'refuseCode'
    tx.record({ action: `destination.${act}`, target: destinationTarget(id), before: null, after: null })
    return isRight ? row : null
  })
  if (!confirmed) throw invalid('/code', 'is not the code that the address was sent')
  return presentDestination(cipher, orgId, confirmed)
}

const test = ({ database }: DestinationDeps, context: RequestContext, id: string): Promise<void> =>
  database.change(context, async (tx) => {
    const { orgId } = context
    const row = await requireRow(store.lockDestination, tx, orgId, id)
    if (!row.is_enabled || row.code_hash !== '')
      throw new ProblemError('conflict', { detail: 'The destination is not enabled.' })
    const occasion = {
      type: 'notification.test',
      subject: id,
      occurredAt: new Date().toISOString(),
      data: { destination: { id, name: row.name }, by: context.actor.email },
    } as const
    if (!(await tell(tx, orgId, occasion, id))) throw tooManyRequests(RETRY_SECONDS)
    tx.record({ action: 'destination.test', target: destinationTarget(id), before: null, after: null })
  })

const remove = ({ database, cipher }: DestinationDeps, context: RequestContext, id: string): Promise<void> =>
  database.change(context, async (tx) => {
    const { orgId } = context
    const row = await lockForChange(store.lockDestination, tx, context, id)
    await store.deleteDestination(tx, orgId, id)
    const before = auditedDestination(cipher, orgId, row)
    tx.record({ action: 'destination.remove', target: destinationTarget(id), before, after: null })
  })

/** The operations on destinations. */
export const createDestinationService = (deps: DestinationDeps) =>
  bindDependencies(deps, { list, get, create, update, rotate, confirm, test, remove })

export type DestinationService = ReturnType<typeof createDestinationService>

function requireTarget({ webhooks, mail }: DestinationDeps, kind: Destination['kind'], target: string): void {
  if (kind === 'email') {
    if (!mail)
      throw new ProblemError('conflict', { detail: 'The operator of this installation has not set up mail.' })
    if (!emailSchema.safeParse(target).success) throw invalid('/target', 'must be an e-mail address')
    return
  }
  const why = whyNoWebhookUrl(target, webhooks)
  if (why !== null) throw invalid('/target', why)
}

const versioned = (cipher: Cipher, orgId: string, row: store.DestinationRow): Versioned<Destination> => ({
  body: presentDestination(cipher, orgId, row),
  version: row.version,
})
