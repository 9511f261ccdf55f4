/** What a researcher comes in with: invitation links, keys, and the sessions that links have opened. */
import { RESEARCHER_KEYS_MAX } from '@sallyport/contract'
import type { Database } from '../../database/database.ts'
import { notFound, ProblemError } from '../../errors.ts'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import type { RequestContext } from '../../http/context.ts'
import type { BodyOf } from '../../http/handlers.ts'
import { lockForChange, readRowWith, requireId, requireRow } from '../../http/rows.ts'
import { INVITATION_DAYS, invitationLink, issueInvitation, issueKey } from './credentials.ts'
import { presentKey, versioned } from './hacker-view.ts'
import * as store from './store.ts'

export interface HackerCredentialDeps {
  readonly database: Database
  /** Where researchers reach the gate's own host. */
  readonly gateUrl: string
}

async function invite(
  { database, gateUrl }: HackerCredentialDeps,
  context: RequestContext,
  id: string,
  body: BodyOf<'hackersInvite'>,
) {
  const { orgId } = context
  const issued = issueInvitation(id, body?.days ?? INVITATION_DAYS)
  return database.change(context, async (tx) => {
    const { email } = await requireRow(store.lockResearcher, tx, orgId, id)
    await store.insertInvitations(tx, orgId, [issued])
    tx.record({
      action: 'hacker.invite',
      target: { kind: 'hacker', id },
      before: null,
      after: { email, expires: issued.expires_at },
    })
    return { id, invitation: invitationLink(gateUrl, issued.token), expires: issued.expires_at }
  })
}

async function readKeys({ database }: HackerCredentialDeps, { orgId }: RequestContext, id: string) {
  const [, keys] = await readRowWith(database, orgId, id, store.findResearcher, store.listKeys)
  return { items: keys.map(presentKey) }
}

async function rotateKey(
  { database }: HackerCredentialDeps,
  context: RequestContext,
  id: string,
  keepOld: boolean,
) {
  const { orgId } = context
  const issued = issueKey(id)
  return database.change(context, async (tx) => {
    await requireRow(store.lockResearcher, tx, orgId, id)
    const removed = keepOld ? [] : await store.deleteKeys(tx, orgId, id, null)
    if (keepOld && (await store.listKeys(tx, orgId, id)).length >= RESEARCHER_KEYS_MAX)
      throw new ProblemError('conflict', {
        detail: `A researcher has at most ${RESEARCHER_KEYS_MAX} keys: revoke one first.`,
      })
    const [key] = await store.insertKeys(tx, orgId, [issued])
    if (!key) throw new Error('an inserted key is gone')
    tx.record({
      action: 'hacker.rotateKey',
      ...store.researcherChange(id),
      before: removed.map(presentKey),
      after: presentKey(key),
    })
    return { ...presentKey(key), key: issued.key }
  })
}

async function revokeKey(
  { database }: HackerCredentialDeps,
  context: RequestContext,
  id: string,
  keyId: string,
): Promise<void> {
  requireId(keyId)
  await database.change(context, async (tx) => {
    await requireRow(store.lockResearcher, tx, context.orgId, id)
    const [key] = await store.deleteKeys(tx, context.orgId, id, keyId)
    if (!key) throw notFound()
    tx.record({
      action: 'hacker.revokeKey',
      ...store.researcherChange(id),
      before: presentKey(key),
      after: null,
    })
  })
}

async function endSessions({ database }: HackerCredentialDeps, context: RequestContext, id: string) {
  const { orgId } = context
  const row = await database.change(context, async (tx) => {
    const before = await lockForChange(store.lockResearcher, tx, context, id)
    await store.deleteInvitations(tx, orgId, id)
    const session_generation = before.session_generation + 1
    const after = await store.updateResearcher(tx, orgId, id, { ...before, session_generation })
    tx.record({ action: 'hacker.endSessions', ...store.researcherChange(id), before: null, after: null })
    return after
  })
  return versioned(row)
}

/** The operations on researchers' credentials. */
export const createHackerCredentialService = (deps: HackerCredentialDeps) =>
  bindDependencies(deps, { invite, listKeys: readKeys, rotateKey, revokeKey, endSessions })

export type HackerCredentialService = ReturnType<typeof createHackerCredentialService>
