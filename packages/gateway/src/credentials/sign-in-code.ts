/**
 * One-time codes, by which a browser that is signed in at the gate's own host gets a session at a gated host. A code lives
 * half a minute, and is sealed to the gated host and to the nonce that this host had set in the browser before it left: at
 * another host, in another browser and at another time it is nothing. Each gateway takes a code once. Taken again at another
 * gateway, it needs the same browser's nonce, and gives that browser the session that it has.
 */
import { createHash, randomBytes } from 'node:crypto'
import { SIGN_IN_CODE_LIFETIME_MS } from '@sallyport/contract/words'
import { findCookie, OWN_COOKIE_PREFIX, ownCookie } from './cookies.ts'
import { type SealContext, seal, unseal } from './seal.ts'

export interface SignInCode {
  /** Random, by which a code is known again. */
  readonly id: string
  readonly researcherId: string
  readonly generation: number
  /** The key by which the researcher signed in; empty for an invitation. */
  readonly keyId: string
  /** SHA-256 of the browser's nonce, base64url. */
  readonly nonceHash: string
  /** The researcher wants to take the place of another one at the host. */
  readonly replace: boolean
  /** Path and query to come back to. */
  readonly to: string
  /** Milliseconds since the epoch. */
  readonly issuedAt: number
}

const RANDOM_BYTES = 16
const NONCE_COOKIE = `${OWN_COOKIE_PREFIX}-nonce`
const NONCE_LIFETIME_S = 600
const NONCE = /^[\w-]{22}$/
/** As long as the longest `to` makes it, and a little more. */
export const CODE_CHARS_MAX = 4_096

const random = (): string => randomBytes(RANDOM_BYTES).toString('base64url')

/** A fresh nonce: its hash, and the `Set-Cookie` value that leaves it in the browser. */
export function issueNonce(): { readonly hash: string; readonly cookie: string } {
  const nonce = random()
  return { hash: hashOf(nonce), cookie: ownCookie(NONCE_COOKIE, nonce, NONCE_LIFETIME_S, 'None') }
}

/** The `Set-Cookie` value that takes the nonce away. */
export const noNonceCookie = (): string => ownCookie(NONCE_COOKIE, '', 0, 'None')

/** SHA-256 of the nonce that a browser sends, base64url; empty where it sends none, or several. */
export function nonceHashOf(cookies: readonly string[]): string {
  const nonce = findCookie(cookies, NONCE_COOKIE)
  return nonce !== null && NONCE.test(nonce) ? hashOf(nonce) : ''
}

const hashOf = (nonce: string): string => createHash('sha256').update(nonce).digest('base64url')

const contextOf = (host: string, key: string): SealContext => ({ key, purpose: 'sign-in code', host })

/** A code for a gated host, by the snapshot's key. */
export function sealCode(host: string, key: string, code: Omit<SignInCode, 'id' | 'issuedAt'>): string {
  return seal(contextOf(host, key), [
    random(),
    code.researcherId,
    String(code.generation),
    code.keyId,
    code.nonceHash,
    code.replace ? '1' : '0',
    Buffer.from(code.to).toString('base64url'),
    String(Date.now()),
  ])
}

/** Reads a code; null where it was not sealed for this host. Whether it is in time and fits the browser is the caller's to say. */
export function openCode(host: string, key: string, text: string): SignInCode | null {
  if (text.length > CODE_CHARS_MAX) return null
  const fields = unseal(contextOf(host, key), text)
  if (fields?.length !== 8) return null
  const [id = '', researcherId = '', generation = '', keyId = '', ...rest] = fields
  const [nonceHash = '', replace = '', to = '', issued = ''] = rest
  return {
    id,
    researcherId,
    generation: Number(generation),
    keyId,
    nonceHash,
    replace: replace === '1',
    to: Buffer.from(to, 'base64url').toString(),
    issuedAt: Number(issued),
  }
}

/** Whether a code is in time. Clocks of gateways differ, so one that was issued a little ahead is, too. */
export const isInTime = ({ issuedAt }: SignInCode, now: number): boolean =>
  Math.abs(now - issuedAt) < SIGN_IN_CODE_LIFETIME_MS

/** Redeems a code that is in time at `now`; false where it was redeemed before. */
export type RedeemCode = (
  code: Pick<SignInCode, 'id' | 'issuedAt'>,
  now: number,
) => boolean | Promise<boolean>

/** Remembers which codes were redeemed, for as long as they could be redeemed again. */
export class RedeemedCodes {
  /** When each may be forgotten; in the order in which they were redeemed, which is about that of their ends. */
  readonly #until = new Map<string, number>()

  /** Redeems a code that is in time at `now`; false where it was redeemed before, or the memory of redeemed codes is full. */
  redeem({ id, issuedAt }: Pick<SignInCode, 'id' | 'issuedAt'>, now: number): boolean {
    for (const [redeemed, until] of this.#until) {
      if (until > now) break
      this.#until.delete(redeemed)
    }
    if (this.#until.has(id) || this.#until.size >= REDEEMED_MAX) return false
    this.#until.set(id, Math.max(now, issuedAt) + SIGN_IN_CODE_LIFETIME_MS)
    return true
  }
}

const REDEEMED_MAX = 50_000
