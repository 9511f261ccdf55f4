/**
 * Short texts that only the gateways of an installation can write: fields, and an HMAC-SHA-256 over them, what they are for,
 * and the host that they are for. A text of one purpose or host is nothing at another, because its MAC does not fit there.
 *
 * Each has exactly one spelling. The fields are authenticated as they are written and the MAC is compared as it is written,
 * so another spelling of the same number, or of the same base64url, is another text.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

export type SealPurpose = 'gate session' | 'gated session' | 'group session' | 'sign-in code'

export interface SealContext {
  /** Key of the installation, base64url, as the snapshot carries it. */
  readonly key: string
  readonly purpose: SealPurpose
  /** Lower case, without a port. */
  readonly host: string
}

const FIELD = /^[\w-]*$/

/** Fields of letters, digits, `-` and `_`, and their MAC, with dots between. Throws a TypeError at any other field. */
export function seal(context: SealContext, fields: readonly string[]): string {
  if (!fields.every((field) => FIELD.test(field))) throw new TypeError('a sealed field has another character')
  const text = fields.join('.')
  return `${text}.${macOf(context, text)}`
}

/** The fields of a sealed text; null where it was not sealed in this context. */
export function unseal(context: SealContext, sealed: string): readonly string[] | null {
  const end = sealed.lastIndexOf('.')
  if (end < 0) return null
  const text = sealed.slice(0, end)
  const given = Buffer.from(sealed.slice(end + 1))
  const expected = Buffer.from(macOf(context, text))
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  return text.split('.')
}

/** Neither a purpose nor a host nor a field has a line break, so the parts cannot run into each other. */
const macOf = ({ key, purpose, host }: SealContext, text: string): string =>
  createHmac('sha256', Buffer.from(key, 'base64url'))
    .update(`${purpose}\n${host}\n${text}`)
    .digest('base64url')
