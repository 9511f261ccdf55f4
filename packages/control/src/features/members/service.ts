/** The life of a member: invited, given a role, suspended and restored, removed. An active owner always remains. */
import type { Member } from '@sallyport/contract'
import { changedFields } from '../../audit/changed-fields.ts'
import { type ChangeTransaction, type Database, newId } from '../../database/database.ts'
import { invalid, ProblemError } from '../../errors.ts'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import { type RequestContext, requireVersion } from '../../http/context.ts'
import type { BodyOf, QueryOf, Versioned } from '../../http/handlers.ts'
import { pageOfRows } from '../../http/request/paging.ts'
import { readRow, requireRow } from '../../http/rows.ts'
import { makeInvitation } from '../../identity/sign-in/accounts.ts'
import { endSessions } from '../../identity/store-members.ts'
import * as store from './store.ts'

export interface MemberDeps {
  readonly database: Database
  /** Whether members sign in with a password here, and not with an issuer of the organization's own. */
  readonly hasLocalAccounts: boolean
  readonly invitationUrl: (token: string) => string
  /** Called after a commit by which a member may have lost rights. */
  readonly changed: () => void
}

type Changes = BodyOf<'membersUpdate'>

const INVITATION_MS = 7 * 86_400_000

const present = ({ hasLocalAccounts }: MemberDeps, row: store.MemberRow): Member => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: row.role,
  state: row.is_suspended ? 'suspended' : hasLocalAccounts && !row.has_password ? 'invited' : 'active',
  lastSignIn: row.last_sign_in_at,
  creationDate: row.created_at,
})

const versioned = (deps: MemberDeps, row: store.MemberRow): Versioned<Member> => ({
  body: present(deps, row),
  version: row.version,
})

/** Locks the member, and refuses what would leave the organization without an active owner. */
async function requireLocked(
  { hasLocalAccounts }: MemberDeps,
  tx: ChangeTransaction,
  orgId: string,
  id: string,
  wanted: Changes & { readonly isRemoved?: boolean },
): Promise<store.MemberRow> {
  const isDemoted = wanted.role !== undefined && wanted.role !== 'owner'
  const takesAnOwner = isDemoted || wanted.isSuspended === true || wanted.isRemoved === true
  const owners = takesAnOwner ? await store.lockOwners(tx, orgId) : []
  const row = await requireRow(store.lockMember, tx, orgId, id)
  const isOwner = owners.some((owner) => owner.id === row.id)
  // One who was invited and has never set a password may never do so.
  const remaining = owners.filter((owner) => owner.id !== row.id && (owner.has_password || !hasLocalAccounts))
  if (isOwner && remaining.length === 0)
    throw new ProblemError('conflict', { detail: 'The organization would be left without an active owner.' })
  return row
}

async function list(deps: MemberDeps, { orgId }: RequestContext, query: QueryOf<'membersList'>) {
  const page = { limit: query.limit, afterEmail: readCursor(query.cursor) }
  const rows = await deps.database.read(orgId, (tx) => store.listMembers(tx, orgId, query, page))
  return pageOfRows(
    rows,
    page.limit,
    (row) => cursorOf(row.email),
    (row) => present(deps, row),
  )
}

const get = async (deps: MemberDeps, { orgId }: RequestContext, id: string) =>
  versioned(deps, await readRow(deps.database, orgId, id, store.findMember))

async function invite(deps: MemberDeps, context: RequestContext, body: BodyOf<'membersInvite'>) {
  const { orgId, principal } = context
  const { token, invitation } = newInvitation()
  const wanted = {
    id: newId(),
    email: body.email,
    name: body.name ?? '',
    role: body.role,
    created_by: principal.userId,
    ...invitation,
  }
  const invited = await deps.database.change(context, async (tx) => {
    const row = await store.insertMember(tx, orgId, wanted)
    if (!row)
      throw new ProblemError('conflict', { detail: 'There is a member with this e-mail address already.' })
    const shown = present(deps, row)
    tx.record({ action: 'member.invite', target: targetOf(row.id), before: null, after: shown })
    return { ...shown, invitation: deps.invitationUrl(token) }
  })
  deps.changed()
  return { body: invited, version: 1 }
}

async function update(deps: MemberDeps, context: RequestContext, id: string, body: Changes) {
  const { orgId } = context
  const row = await deps.database.change(context, async (tx) => {
    const before = await requireLocked(deps, tx, orgId, id, body)
    requireVersion(context, before.version)
    const columns = {
      name: body.name ?? before.name,
      role: body.role ?? before.role,
      is_suspended: body.isSuspended ?? before.is_suspended,
    }
    const difference = changedFields(audited(before), audited({ ...before, ...columns }))
    if (Object.keys(difference.after).length === 0) return before
    const after = await store.updateMember(tx, orgId, id, columns)
    if (after.is_suspended) await endSessions(tx, id)
    tx.record({ action: 'member.update', target: targetOf(id), ...difference })
    return after
  })
  deps.changed()
  return versioned(deps, row)
}

async function renewInvitation(deps: MemberDeps, context: RequestContext, id: string) {
  const { orgId } = context
  const { token, invitation } = newInvitation()
  const invited = await deps.database.change(context, async (tx) => {
    const row = await requireLocked(deps, tx, orgId, id, {})
    await store.replaceInvitation(tx, orgId, id, invitation)
    const after = { expires: invitation.invitation_expires_at }
    tx.record({ action: 'member.renewInvitation', target: targetOf(id), before: null, after })
    return { ...present(deps, row), invitation: deps.invitationUrl(token) }
  })
  deps.changed()
  return invited
}

async function remove(deps: MemberDeps, context: RequestContext, id: string): Promise<void> {
  const { orgId } = context
  await deps.database.change(context, async (tx) => {
    const row = await requireLocked(deps, tx, orgId, id, { isRemoved: true })
    requireVersion(context, row.version)
    await store.deleteMember(tx, orgId, id)
    await endSessions(tx, id)
    tx.record({ action: 'member.remove', target: targetOf(id), before: audited(row), after: null })
  })
  deps.changed()
}

/** The operations on members. */
export const createMemberService = (deps: MemberDeps) =>
  bindDependencies(deps, { list, get, invite, update, renewInvitation, remove })

export type MemberService = ReturnType<typeof createMemberService>

function newInvitation() {
  const { token, hash } = makeInvitation()
  const invitation_expires_at = new Date(Date.now() + INVITATION_MS).toISOString()
  return { token, invitation: { invitation_hash: hash, invitation_expires_at } }
}

const cursorOf = (email: string): string => Buffer.from(email.toLowerCase()).toString('base64url')

function readCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null
  const email = Buffer.from(cursor, 'base64url').toString('utf8')
  if (email === '' || email.includes('\0') || cursorOf(email) !== cursor)
    throw invalid('query/cursor', 'is not a cursor')
  return email
}

const targetOf = (id: string) => ({ kind: 'member', id })

const audited = ({ email, name, role, is_suspended }: store.MemberColumns & { readonly email: string }) => ({
  email,
  name,
  role,
  isSuspended: is_suspended,
})
