/**
 * Limits on sign-in attempts.
 *
 * The problem: guesses at one account must be few, but if strangers' failures lock the account, anybody can lock out
 * anybody. The idea (OWASP's device cookies): a browser that has signed in to an account before carries a signed cookie
 * that says so, and has an allowance of its own; strangers share another. So a stranger can use up what strangers have,
 * for a quarter of an hour, and the owner's own browser does not notice. The address of an unknown browser has an
 * allowance too, across accounts.
 *
 * Attempts are counted before the password is looked at, so parallel guesses cannot slip through together, and given
 * back when it was right.
 */
import { createHash } from 'node:crypto'
import { networkOf } from '@sallyport/policy'
import { emailSpelling } from '../email-spelling.ts'

export const SIGN_IN_WINDOW_MS = 15 * 60_000
export const ACCOUNT_ATTEMPTS_MAX = 10
export const ADDRESS_ATTEMPTS_MAX = 50

export interface SignInAttempt {
  readonly email: string
  /** Address of the client, as the trusted proxies in front of us report it. */
  readonly address: string
  /** Id of the device, if it carries a valid cookie for this account. */
  readonly deviceId: string | null
}

/** Counters that all control processes share. */
export interface AttemptCounters {
  /** Adds one to each and returns the new counts, a counter starting anew when its window has passed. */
  add(keys: readonly string[], windowMs: number): Promise<readonly number[]>
  /** Takes back one attempt of each limit. */
  giveBack(keys: readonly string[]): Promise<void>
}

export interface SignInLimits {
  /** Counts the attempt; false if it must not be tried. */
  admit(attempt: SignInAttempt): Promise<boolean>
  /** The password was right: the attempt does not count. */
  succeeded(attempt: SignInAttempt): Promise<void>
}

export const createSignInLimits = (counters: AttemptCounters): SignInLimits => ({
  async admit(attempt) {
    const [account = 0, address = 0] = await counters.add(counterKeys(attempt), SIGN_IN_WINDOW_MS)
    return account <= ACCOUNT_ATTEMPTS_MAX && address <= ADDRESS_ATTEMPTS_MAX
  },
  succeeded: (attempt) => counters.giveBack(counterKeys(attempt)),
})

/** The account's counter, and that of the address of an unknown browser. Hashed, so that the table does not list who tries to sign in from where. */
function counterKeys({ email, address, deviceId }: SignInAttempt): string[] {
  const account = `account:${emailSpelling(email)}`
  if (deviceId) return [hashed(`${account}:device:${deviceId}`)]
  return [hashed(`${account}:strangers`), hashed(`address:${networkOf(address)}`)]
}

const hashed = (text: string): string => createHash('sha256').update(text).digest('base64url')
