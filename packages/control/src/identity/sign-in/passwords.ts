/**
 * Passwords of local accounts: rules, hashing and verification.
 *
 * Hashed with argon2id (RFC 9106) by node itself, on its thread pool, with OWASP's parameters: 19 MiB, two passes, one
 * lane. The stored text is the usual PHC string, so that parameters can be raised later and old hashes still verify.
 */
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '@sallyport/contract'
import { Semaphore } from '@sallyport/toolbox'

const derive = promisify(argon2)
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const
const SALT_BYTES = 16
const HASH_BYTES = 32
const PHC =
  /^\$argon2id\$v=19\$m=(?<memory>\d{1,7}),t=(?<passes>\d{1,3}),p=(?<lanes>\d{1,2})\$(?<salt>[\w+/]+)\$(?<hash>[\w+/]+)$/

export interface PasswordHasher {
  /** The PHC string to store. */
  hash(password: string): Promise<string>
  /** Whether the password is the one that was hashed. With null, for no such account, it takes as long and says no. */
  verify(password: string, stored: string | null): Promise<boolean>
}

/** Too many passwords wait to be hashed; each takes 19 MiB and a core for some 30 ms. */
export class HasherBusyError extends Error {
  override readonly name = 'HasherBusyError'
}

/** What is wrong with a new password, as a sentence for its owner; null if it will do. */
export function passwordFault(password: string, email: string): string | null {
  const length = [...password].length
  if (length < PASSWORD_CHARS_MIN) return `Choose a password of at least ${PASSWORD_CHARS_MIN} characters.`
  if (length > PASSWORD_CHARS_MAX) return `Choose a password of at most ${PASSWORD_CHARS_MAX} characters.`
  const folded = password.toLowerCase()
  const name = email.toLowerCase().split('@')[0] ?? ''
  if (folded === email.toLowerCase() || (name.length >= 4 && folded.replaceAll(name, '').length < 6))
    return 'Choose a password that is not made of your e-mail address.'
  if (new Set(folded).size < 5) return 'Choose a password with more different characters.'
  return null
}

/** Makes a hasher that runs a few at a time and lets only so many wait, so that a flood cannot take all memory. */
export function createPasswordHasher({ runningMax = 2, waitingMax = 100 } = {}): PasswordHasher {
  const refusal = () => new HasherBusyError('too many passwords wait to be hashed')
  const semaphore = new Semaphore(runningMax, { waitingMax, refusal })
  const dummy = phc(COST, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES))
  return {
    hash: (password) =>
      semaphore.run(async () => {
        const salt = randomBytes(SALT_BYTES)
        return phc(COST, salt, await argon2id(password, salt, COST, HASH_BYTES))
      }),
    verify: (password, stored) =>
      semaphore.run(async () => {
        const { cost, salt, hash } = parsePhc(stored ?? dummy)
        const derived = await argon2id(password, salt, cost, hash.length)
        return timingSafeEqual(derived, hash) && stored !== null
      }),
  }
}

type Cost = Pick<Argon2Parameters, 'memory' | 'passes' | 'parallelism'>

/** NFKC, so that a password typed on another keyboard or system is the same bytes (NIST SP 800-63B). */
const argon2id = (password: string, nonce: Buffer, cost: Cost, tagLength: number): Promise<Buffer> =>
  derive('argon2id', { message: password.normalize('NFKC'), nonce, tagLength, ...cost })

const phc = (cost: Cost, salt: Buffer, hash: Buffer): string =>
  `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(salt)}$${unpadded(hash)}`

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

function parsePhc(text: string): { cost: Cost; salt: Buffer; hash: Buffer } {
  const { memory, passes, lanes, salt, hash } = PHC.exec(text)?.groups ?? {}
  if (!salt || !hash) throw new Error('a stored password hash is not an argon2id PHC string')
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(lanes) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}
