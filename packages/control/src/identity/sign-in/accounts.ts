/**
 * Local accounts: signing in, taking up an invitation, changing a password. Hashing happens outside of transactions; each
 * change is audited in its own.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Actor, Database } from '../../database/database.ts'
import {
  type ActiveMember,
  endSessions,
  findMemberById,
  findMemberByInvitation,
  findMembersByEmail,
  recordSignIn,
  replacePassword,
  takeUpInvitation,
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

export interface Accounts {
  checkPassword(
    attempt: SignInAttempt & { readonly password: string; readonly requestId: string },
  ): Promise<SignInOutcome>
  /** Notes that a member has signed in, in the audit log too. */
  signedIn(member: ActiveMember, requestId: string): Promise<void>
  /** The member, if not suspended. */
  findActive(memberId: string): Promise<ActiveMember | undefined>
  findInvited(token: string): Promise<ActiveMember | undefined>
  /** Sets the password of whoever the one-time link was made for, and ends their sessions. */
  takeUpInvitation(token: string, password: string, requestId: string): Promise<PasswordOutcome>
  /** Changes a password with the present one, and ends all sessions of the account. */
  changePassword(change: {
    readonly memberId: string
    readonly present: string
    readonly next: string
    readonly requestId: string
  }): Promise<PasswordOutcome>
}

export interface AccountsOptions {
  readonly database: Database
  readonly hasher: PasswordHasher
  readonly limits: SignInLimits
  /** Told of every attempt that is refused. */
  readonly refused: NoteRefusedSignIn
  /** Called after a commit that changed who may do what. */
  readonly changed: () => void
}

const INVITATION_BYTES = 32

/** A one-time link's secret, and what of it is stored. */
export function makeInvitation(): { readonly token: string; readonly hash: string } {
  const token = randomBytes(INVITATION_BYTES).toString('base64url')
  return { token, hash: invitationHash(token) }
}

export const invitationHash = (token: string): string => createHash('sha256').update(token).digest('hex')

export function createAccounts({ database, hasher, limits, refused, changed }: AccountsOptions): Accounts {
  const findActive = (memberId: string) => database.readInstallation((tx) => findMemberById(tx, memberId))
  const findInvited = (token: string) =>
    database.readInstallation((tx) => findMemberByInvitation(tx, invitationHash(token)))

  return {
    async checkPassword(attempt) {
      const { address, requestId } = attempt
      const refuse = (reason: SignInRefusal, members: readonly ActiveMember[]) =>
        refused({ reason, address, requestId, members })
      if (!(await limits.admit(attempt))) {
        refuse('too_many_attempts', [])
        return { kind: 'limited' }
      }
      const members = await database.readInstallation((tx) => findMembersByEmail(tx, attempt.email))
      const fitting = await fittingMembers(hasher, attempt.password, members)
      if (fitting.length === 0) {
        refuse(members.length === 0 ? 'unknown_account' : 'wrong_password', members)
        return { kind: 'refused' }
      }
      await limits.succeeded(attempt)
      return { kind: 'accepted', members: fitting }
    },
    async signedIn(member, requestId) {
      await database.change({ orgId: member.orgId, actor: actorOf(member), requestId }, async (tx) => {
        await recordSignIn(tx, member.orgId, member.memberId)
        tx.record({ action: 'member.signIn', target: targetOf(member), before: null, after: null })
      })
    },
    findActive,
    findInvited,
    async takeUpInvitation(token, password, requestId) {
      const member = await findInvited(token)
      if (!member) return { kind: 'refused' }
      const sentence = passwordFault(password, member.email)
      if (sentence !== null) return { kind: 'fault', sentence }
      const passwordHash = await hasher.hash(password)
      const { memberId, orgId } = member
      const done = await database.change({ orgId, actor: actorOf(member), requestId }, async (tx) => {
        const values = { memberId, invitationHash: invitationHash(token), passwordHash }
        if (!(await takeUpInvitation(tx, orgId, values))) return false
        await endSessions(tx, memberId)
        tx.record({ action: 'member.setPassword', target: targetOf(member), before: null, after: null })
        return true
      })
      changed()
      return { kind: done ? 'done' : 'refused' }
    },
    async changePassword({ memberId, present, next, requestId }) {
      const member = await findActive(memberId)
      if (!member?.passwordHash) return { kind: 'refused' }
      // Whoever holds the member's token guesses at this password alone, so they have an allowance of their own.
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
      const { orgId } = member
      const done = await database.change({ orgId, actor: actorOf(member), requestId }, async (tx) => {
        if (!(await replacePassword(tx, orgId, { memberId, before, after }))) return false
        await endSessions(tx, memberId)
        tx.record({ action: 'member.changePassword', target: targetOf(member), before: null, after: null })
        return true
      })
      changed()
      return { kind: done ? 'done' : 'refused' }
    },
  }
}

/** Where there is no account, a password is hashed all the same, so that the time taken tells nothing. */
async function fittingMembers(
  hasher: PasswordHasher,
  password: string,
  members: readonly ActiveMember[],
): Promise<ActiveMember[]> {
  if (members.length === 0) await hasher.verify(password, null)
  const fits = await Promise.all(members.map((member) => hasher.verify(password, member.passwordHash)))
  return members.filter((_, index) => fits[index])
}

const actorOf = (member: ActiveMember): Actor => ({ kind: 'user', id: member.memberId, email: member.email })
const targetOf = (member: ActiveMember) => ({ kind: 'member', id: member.memberId })
