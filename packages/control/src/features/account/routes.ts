/** The caller's own account: changing its password. What the caller is, is in `features/organization`. */
import { invalid, ProblemError, tooManyRequests } from '../../errors.ts'
import type { Handlers } from '../../http/handlers.ts'
import type { Accounts } from '../../identity/sign-in/accounts.ts'
import { SIGN_IN_WINDOW_MS } from '../../identity/sign-in/sign-in-limits.ts'

/** `accounts` is null where members sign in with an issuer of the organization's own. */
export const accountRoutes = (accounts: Accounts | null) =>
  ({
    accountChangePassword: async ({ context: { principal, requestId }, body }) => {
      if (accounts === null)
        throw new ProblemError('conflict', {
          detail: 'Passwords are kept by the identity provider of this installation.',
        })
      if (principal.kind !== 'user')
        throw new ProblemError('forbidden', { detail: 'Only a member can change their password.' })
      const outcome = await accounts.changePassword({
        memberId: principal.userId,
        present: body.currentPassword,
        next: body.newPassword,
        requestId,
      })
      if (outcome.kind === 'fault') throw invalid('/newPassword', outcome.sentence)
      if (outcome.kind === 'refused') throw invalid('/currentPassword', 'is not right')
      if (outcome.kind === 'limited') throw tooManyRequests(SIGN_IN_WINDOW_MS / 1000)
    },
  }) satisfies Partial<Handlers>
