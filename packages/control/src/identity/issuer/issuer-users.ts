/**
 * Tokens of an issuer of the organization's own: which member each stands for.
 *
 * Owners add members by their e-mail address, before anybody knows how the issuer calls them. At the first sign-in with
 * a verified address the member is bound to the issuer and its `sub`, and from then on that is who they are: an address
 * changes hands, at the issuer or by a registration in somebody else's name, and carries no rights with it. So a token whose
 * address is a member's must prove to be theirs, or is refused; it never passes as somebody without a member.
 */
import { isUuid } from '@sallyport/contract'
import { type Actor, codeOf, type Database } from '../../database/database.ts'
import type { ResolvedUser } from '../authenticator.ts'
import { AuthenticationError } from '../principal.ts'
import { createRemembered } from '../remembered.ts'
import { bindMember, findMemberships, type Membership } from '../store-members.ts'
import { isOlder, type UserResolver } from '../users.ts'
import type { VerifiedToken } from './jwt.ts'

export interface IssuerUsersOptions {
  readonly database: Pick<Database, 'readInstallation' | 'change'>
  readonly issuer: string
  /** Our ids of organizations by the names that the issuer has for them. */
  readonly organizations: Readonly<Record<string, string>>
  /** Writes a line of the log that operators should see. */
  readonly warn: (fields: object, line: string) => void
  readonly now?: () => number
}

/** Why a person of the issuer is refused, with what the operator can do about it: for the log, never for the caller. */
const REFUSALS = {
  suspended: 'the member is suspended',
  unverified:
    'the address is that of a member, and the token does not say that it is verified: have the issuer put email_verified: true into its access tokens, or name its claim in OIDC_EMAIL_VERIFIED',
  another_subject:
    'the member with this address has signed in as another subject or at another issuer: an owner must make a new invitation for the member, which binds whoever signs in next',
  earlier:
    'the token is older than the latest invitation of the member, and says nothing of whose the address is since: the person must sign in again',
} as const
type Refusal = keyof typeof REFUSALS

/** Refusals repeat with every request of a console that is open. */
const WARN_INTERVAL_MS = 60_000
const UNIQUE_VIOLATION = '23505'

/** The role is that of the member, if there is one; otherwise the one that the token names; otherwise viewer, the weakest. */
export function createIssuerUsers(options: IssuerUsersOptions): UserResolver {
  const { database, issuer, warn, now = Date.now } = options
  const idOf = new Map(Object.entries(options.organizations))
  const memberships = createRemembered({
    find: (key) => {
      // Written below.
      const [orgId, subject, email] = JSON.parse(key) as [string, string, string]
      return database.readInstallation((tx) => findMemberships(tx, orgId, { issuer, subject, email }))
    },
  })
  const warnedAt = new Map<Refusal, number>()
  const refuse = (refusal: Refusal, fields: object): never => {
    if (now() - (warnedAt.get(refusal) ?? Number.NEGATIVE_INFINITY) >= WARN_INTERVAL_MS) {
      warnedAt.set(refusal, now())
      warn({ event: 'token_refused', reason: refusal, ...fields }, REFUSALS[refusal])
    }
    throw new AuthenticationError('unauthorized', REFUSALS[refusal])
  }

  async function resolve(
    token: VerifiedToken,
    requestId: string,
    mayBind: boolean,
  ): Promise<ResolvedUser | null> {
    const { subject, email, isEmailVerified, issuedAt, role } = token
    const orgId = idOf.get(token.organization) ?? token.organization
    if (!isUuid(orgId)) return null
    const found = await memberships.find(JSON.stringify([orgId, subject, email]))
    const [organization] = found
    if (!organization) return null
    const members = found.filter((one): one is Membership => one.memberId !== null)
    const member = members.find((one) => one.isSubject) ?? members[0]
    if (!member) return { orgId: organization.orgId, email, role: role ?? 'viewer' }
    const fields = { orgId: organization.orgId, memberId: member.memberId, requestId }
    if (member.isSuspended) refuse('suspended', fields)
    if (member.isSubject) return { orgId: member.orgId, email: member.email, role: member.role }
    if (!isEmailVerified) refuse('unverified', fields)
    if (member.isBound || !mayBind) refuse('another_subject', fields)
    if (member.tokensValidFrom !== null && isOlder(issuedAt, member.tokensValidFrom))
      refuse('earlier', fields)
    await bind(database, member, { issuer, subject, requestId })
    memberships.forget()
    return resolve(token, requestId, false)
  }

  return {
    resolve: (token, requestId) => resolve(token, requestId, true),
    forget: () => memberships.forget(),
  }
}

/** Binds the member, unless somebody else was quicker: who it is then, the caller looks up. */
async function bind(
  database: Pick<Database, 'change'>,
  { orgId, memberId, email }: Membership,
  { issuer, subject, requestId }: { issuer: string; subject: string; requestId: string },
): Promise<void> {
  const actor: Actor = { kind: 'user', id: subject, email }
  try {
    await database.change({ orgId, actor, requestId }, async (tx) => {
      if (!(await bindMember(tx, orgId, { memberId, issuer, subject }))) return
      const target = { kind: 'member', id: memberId }
      tx.record({ action: 'member.bind', target, before: null, after: { issuer, subject } })
    })
  } catch (error) {
    if (codeOf(error) !== UNIQUE_VIOLATION) throw error
  }
}
