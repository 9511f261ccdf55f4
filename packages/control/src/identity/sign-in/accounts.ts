/**
 * Local accounts: signing in, accepting an invitation, changing a password. Hashing happens outside of transactions; each
 * change is audited in its own.
 */

import { createHash, randomBytes } from 'node:crypto'
import type { AuditAction } from '@sallyport/contract'
import type { Actor, Database, Transaction } from '../../database/database.ts'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import type { KnownDevice } from '../provider/device-cookie.ts'
import {
  type ActiveMember,
  endSessions,
  findMemberById,
  findMemberByInvitation,
  findMembersByEmail,
  recordSignIn,
  replacePassword,
  spendInvitation,
} from '../store-members.ts'
import type { PasswordHasher } from './passwords.ts'
import { passwordFault } from './passwords.ts'
import type { NoteRefusedSignIn, SignInRefusal } from './refused-sign-ins.ts'
import type { SignInAttempt, SignInLimits } from './sign-in-limits.ts'

/** Outcome of an attempt: the accounts that address and password fit (in as many organizations), or why there is none. */
export type SignInOutcome =
  | { readonly kind: 'accepted'; readonly members: readonly ActiveMember[] }
  | { readonly kind: 'refused' }
  | { readonly kind: 'limited' }

export type PasswordOutcome = { readonly kind: 'done' } | PasswordRefusal
export type PasswordRefusal =
  | { readonly kind: 'fault'; readonly sentence: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'limited' }

export interface AccountsDeps {
  readonly database: Database
  readonly hasher: PasswordHasher
  readonly limits: SignInLimits
  /** Called for every attempt that is refused. */
  readonly refused: NoteRefusedSignIn
  /** Called after a commit that changed who may do what. */
  readonly changed: () => void
}

const INVITATION_BYTES = 32
/**
 * Most accounts of one address at which a sign-in tries a password: each costs a hash. They are many, because any organization may add one
 * with the address of somebody else; at an account that the browser is known to it is tried whatever the others are.
 */
export const ACCOUNTS_TRIED_MAX = 50

/** A one-time link's secret, and what of it is stored. */
export function makeInvitation(): { readonly token: string; readonly hash: string } {
  const token = randomBytes(INVITATION_BYTES).toString('base64url')
  return { token, hash: invitationHash(token) }
}

export const invitationHash = (token: string): string => createHash('sha256').update(token).digest('hex')

/** The member, if not suspended. */
const findActive = ({ database }: AccountsDeps, memberId: string): Promise<ActiveMember | undefined> =>
  database.readInstallation((tx) => findMemberById(tx, memberId))

const findInvited = ({ database }: AccountsDeps, token: string): Promise<ActiveMember | undefined> =>
  database.readInstallation((tx) => findMemberByInvitation(tx, invitationHash(token)))

interface PasswordAttempt extends Omit<SignInAttempt, 'deviceId'> {
  readonly password: string
  readonly requestId: string
  /** The browser, if one of these members has signed in there before. */
  readonly deviceOf: (memberIds: readonly string[]) => KnownDevice | null
}

async function checkPassword(
  { database, hasher, limits, refused }: AccountsDeps,
  attempt: PasswordAttempt,
): Promise<SignInOutcome> {
  const { email, address, requestId } = attempt
  const refuse = (reason: SignInRefusal, members: readonly ActiveMember[]) =>
    refused({ reason, address, requestId, members })
  const members = await database.readInstallation((tx) => findMembersByEmail(tx, email))
  const device = attempt.deviceOf(members.map(({ memberId }) => memberId))
  const admitted: CountedAttempt[] = []
  for (const one of attemptsOf({ email, address }, members, device))
    if (await limits.admit(one.attempt)) admitted.push(one)
  if (admitted.length === 0) {
    refuse('too_many_attempts', [])
    return { kind: 'limited' }
  }
  const tried = admitted.flatMap((one) => one.members)
  const fitting = await fittingMembers(hasher, attempt.password, tried)
  if (fitting.length === 0) {
    refuse(tried.length === 0 ? 'unknown_account' : 'wrong_password', tried)
    return { kind: 'refused' }
  }
  // Where it is wrong for one of several accounts it was a guess at that one: who has another could guess without end.
  for (const one of admitted)
    if (one.members.every((member) => fitting.includes(member))) await limits.succeeded(one.attempt)
  return { kind: 'accepted', members: fitting }
}

/** An attempt as it is counted, and the members whose passwords it is at. */
interface CountedAttempt {
  readonly attempt: SignInAttempt
  readonly members: readonly ActiveMember[]
}

/**
 * One address may have accounts in several organizations, each of which could add one and sign in to it: a browser is known to the
 * account alone that was signed in to there, and a stranger to the others.
 */
function attemptsOf(
  from: Pick<SignInAttempt, 'email' | 'address'>,
  members: readonly ActiveMember[],
  device: KnownDevice | null,
): CountedAttempt[] {
  if (device === null)
    return [{ attempt: { ...from, deviceId: null }, members: members.slice(0, ACCOUNTS_TRIED_MAX) }]
  const { deviceId, memberId } = device
  const own = members.filter((member) => member.memberId === memberId)
  const others = members.filter((member) => member.memberId !== memberId).slice(0, ACCOUNTS_TRIED_MAX)
  const known = { attempt: { ...from, deviceId }, members: own }
  return others.length === 0 ? [known] : [known, { attempt: { ...from, deviceId: null }, members: others }]
}

/** Notes that a member has signed in, in the audit log too. */
async function signedIn({ database }: AccountsDeps, member: ActiveMember, requestId: string): Promise<void> {
  await database.change({ orgId: member.orgId, actor: actorOf(member), requestId }, async (tx) => {
    await recordSignIn(tx, member.orgId, member.memberId)
    tx.record({ action: 'member.signIn', target: targetOf(member), before: null, after: null })
  })
}

/** Replaces a member's password by what `store` does, and ends their sessions; refused where `store` has found it changed. */
async function replacePasswordOf(
  { database, changed }: AccountsDeps,
  member: ActiveMember,
  { requestId, action }: { readonly requestId: string; readonly action: AuditAction },
  store: (tx: Transaction) => Promise<boolean>,
): Promise<PasswordOutcome> {
  const { memberId, orgId } = member
  const done = await database.change({ orgId, actor: actorOf(member), requestId }, async (tx) => {
    if (!(await store(tx))) return false
    await endSessions(tx, memberId)
    tx.record({ action, target: targetOf(member), before: null, after: null })
    return true
  })
  changed()
  return { kind: done ? 'done' : 'refused' }
}

/** Sets the password of the member for whom the one-time link was made, and ends their sessions. */
async function acceptInvitation(
  deps: AccountsDeps,
  token: string,
  password: string,
  requestId: string,
): Promise<PasswordOutcome> {
  const member = await findInvited(deps, token)
  if (!member) return { kind: 'refused' }
  const sentence = passwordFault(password, member.email)
  if (sentence !== null) return { kind: 'fault', sentence }
  const passwordHash = await deps.hasher.hash(password)
  const { memberId, orgId } = member
  const values = { memberId, invitationHash: invitationHash(token), passwordHash }
  return replacePasswordOf(deps, member, { requestId, action: 'member.setPassword' }, (tx) =>
    spendInvitation(tx, orgId, values),
  )
}

interface PasswordChange {
  readonly memberId: string
  readonly present: string
  readonly next: string
  readonly requestId: string
}

/** Changes a password with the present one, and ends all sessions of the account. */
async function changePassword(
  deps: AccountsDeps,
  { memberId, present, next, requestId }: PasswordChange,
): Promise<PasswordOutcome> {
  const { hasher, limits, refused } = deps
  const member = await findActive(deps, memberId)
  if (!member?.passwordHash) return { kind: 'refused' }
  // A bearer of the member's token guesses at this password alone, so there is a limit for it of its own.
  const attempt = { email: member.email, address: '', deviceId: `member:${memberId}` }
  const refuse = (reason: SignInRefusal) => refused({ reason, address: '', requestId, members: [member] })
  if (!(await limits.admit(attempt))) {
    refuse('too_many_attempts')
    return { kind: 'limited' }
  }
  const before = member.passwordHash
  if (!(await hasher.verify(present, before))) {
    refuse('wrong_present_password')
    return { kind: 'refused' }
  }
  await limits.succeeded(attempt)
  const sentence = passwordFault(next, member.email)
  if (sentence !== null) return { kind: 'fault', sentence }
  const after = await hasher.hash(next)
  return replacePasswordOf(deps, member, { requestId, action: 'member.changePassword' }, (tx) =>
    replacePassword(tx, member.orgId, { memberId, before, after }),
  )
}

/** What people do with their local accounts. */
export const createAccounts = (deps: AccountsDeps) =>
  bindDependencies(deps, {
    checkPassword,
    signedIn,
    findActive,
    findInvited,
    acceptInvitation,
    changePassword,
  })

export type Accounts = ReturnType<typeof createAccounts>

/**
 * Where there is no account, a password is hashed all the same, so that the duration discloses nothing. One account after the other: a
 * sign-in takes one place among those who wait for a hash, however many accounts its address has.
 */
async function fittingMembers(
  hasher: PasswordHasher,
  password: string,
  members: readonly ActiveMember[],
): Promise<ActiveMember[]> {
  if (members.length === 0) await hasher.verify(password, null)
  const fitting: ActiveMember[] = []
  for (const member of members) if (await hasher.verify(password, member.passwordHash)) fitting.push(member)
  return fitting
}

const actorOf = (member: ActiveMember): Actor => ({ kind: 'user', id: member.memberId, email: member.email })
const targetOf = (member: ActiveMember) => ({ kind: 'member', id: member.memberId })
