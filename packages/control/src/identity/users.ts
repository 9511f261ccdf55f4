/** Which user of which organization a verified token stands for. */
import { isUuid } from '@sallyport/contract'
import type { Database } from '../database/database.ts'
import type { ResolvedUser } from './authenticator.ts'
import type { VerifiedToken } from './issuer/jwt.ts'
import { createRemembered } from './remembered.ts'
import { findMemberById } from './store-members.ts'

export interface UserResolver {
  /** Null for one that has no place here (any more); or throws AuthenticationError, with the reason. */
  resolve(token: VerifiedToken, requestId: string): Promise<ResolvedUser | null>
  /** Forgets what is remembered; called after members of this process have changed. */
  forget(): void
}

/**
 * Tokens of the embedded provider: the subject is a member, whose present role counts, and not the one that the token was
 * issued with. So a removal, a suspension, a new role or a new password takes effect within half a second.
 */
export function createLocalUsers(database: Pick<Database, 'readInstallation'>): UserResolver {
  const members = createRemembered({
    find: (memberId) => database.readInstallation((tx) => findMemberById(tx, memberId)),
  })
  return {
    async resolve(token) {
      if (!isUuid(token.subject)) return null
      const member = await members.find(token.subject)
      if (!member || member.orgId !== token.organization) return null
      if (member.tokensValidFrom !== null && isOlder(token.issuedAt, member.tokensValidFrom)) return null
      return { orgId: member.orgId, email: member.email, role: member.role }
    },
    forget: () => members.forget(),
  }
}

/** Tokens and sessions are dated in whole seconds, so one of the same second counts as newer. */
export const isOlder = (issuedAt: number | null, instant: string): boolean =>
  issuedAt === null || issuedAt < Math.floor(Date.parse(instant) / 1000)
