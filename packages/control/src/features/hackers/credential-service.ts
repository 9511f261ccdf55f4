/** What a researcher comes in with: invitation links, keys, and the sessions that links have opened. */
import { type Hacker, isUuid, type Operations, RESEARCHER_KEYS_MAX } from '@sallyport/contract'
import type { z } from 'zod'
import type { Database } from '../../database/database.ts'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import { type RequestContext, requireVersion } from '../../http/context.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import type { Versioned } from '../../http/handlers.ts'
import { INVITATION_DAYS, invitationLink, issueInvitation, issueKey } from './credentials.ts'
import { requireLocked, versioned } from './hacker-view.ts'
import {
  deleteInvitations,
  deleteKeys,
  findResearcher,
  insertInvitations,
  insertKeys,
  type KeyRow,
  listKeys,
  researcherConfig,
  updateResearcher,
} from './store.ts'

export interface HackerCredentialDeps {
  readonly database: Database
  /** Where researchers reach the gate's own host. */
  readonly gateUrl: string
}

type InvitationWish = z.output<Operations['hackersInvite']['body']>

async function invite(
  { database, gateUrl }: HackerCredentialDeps,
  context: RequestContext,
  id: string,
  body: InvitationWish,
) {
  const { orgId } = context
  const issued = issueInvitation(id, body?.days ?? INVITATION_DAYS)
  return database.change(context, async (tx) => {
    const { email } = await requireLocked(tx, orgId, id)
    await insertInvitations(tx, orgId, [issued])
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
  if (!isUuid(id)) throw notFound()
  const [row, keys] = await database.read(orgId, (tx) =>
    Promise.all([findResearcher(tx, orgId, id), listKeys(tx, orgId, id)]),
  )
  if (!row) throw notFound()
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
    await requireLocked(tx, orgId, id)
    const removed = keepOld ? [] : await deleteKeys(tx, orgId, id, null)
    if (keepOld && (await listKeys(tx, orgId, id)).length >= RESEARCHER_KEYS_MAX)
      throw new ApiError('conflict', {
        detail: `A researcher has at most ${RESEARCHER_KEYS_MAX} keys: revoke one first.`,
      })
    const [key] = await insertKeys(tx, orgId, [issued])
    if (!key) throw new Error('an inserted key is gone')
    tx.record({
      action: 'hacker.rotateKey',
      target: { kind: 'hacker', id },
      before: removed.map(presentKey),
      after: presentKey(key),
      config: [researcherConfig(id)],
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
  if (!isUuid(keyId)) throw notFound()
  await database.change(context, async (tx) => {
    await requireLocked(tx, context.orgId, id)
    const [key] = await deleteKeys(tx, context.orgId, id, keyId)
    if (!key) throw notFound()
    const target = { kind: 'hacker', id }
    tx.record({
      action: 'hacker.revokeKey',
      target,
      before: presentKey(key),
      after: null,
      config: [researcherConfig(id)],
    })
  })
}

async function endSessions(
  { database }: HackerCredentialDeps,
  context: RequestContext,
  id: string,
): Promise<Versioned<Hacker>> {
  const { orgId } = context
  const row = await database.change(context, async (tx) => {
    const before = await requireLocked(tx, orgId, id)
    requireVersion(context, before.version)
    await deleteInvitations(tx, orgId, id)
    const session_generation = before.session_generation + 1
    const after = await updateResearcher(tx, orgId, id, { ...before, session_generation })
    const target = { kind: 'hacker', id }
    tx.record({
      action: 'hacker.endSessions',
      target,
      before: null,
      after: null,
      config: [researcherConfig(id)],
    })
    return after
  })
  return versioned(row)
}

/** The operations on researchers' credentials. */
export const createHackerCredentialService = (deps: HackerCredentialDeps) =>
  bindDependencies(deps, { invite, listKeys: readKeys, rotateKey, revokeKey, endSessions })

export type HackerCredentialService = ReturnType<typeof createHackerCredentialService>

const presentKey = (row: KeyRow) => ({
  id: row.id,
  visiblePart: `${row.lookup}…`,
  creationDate: row.created_at,
})
