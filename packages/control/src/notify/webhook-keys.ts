/**
 * The keys of a webhook, and its signatures, as Standard Webhooks 1.0 has them: `v1` is HMAC-SHA256 under a secret that both
 * sides know, `v1a` is Ed25519 under a key of which the receiver knows the public half. Every destination has keys of its own.
 */
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from 'node:crypto'
import type { WebhookSignature } from '@sallyport/contract'

const SECRET_PREFIX = 'whsec_'
const PUBLIC_KEY_PREFIX = 'whpk_'
const SECRET_BYTES = 32
/** What comes before the 32 bytes of a public key in its DER form (RFC 8410). */
const SPKI_HEAD_BYTES = 12

/** As they are sealed. A key is base64: the bytes of a secret, or a private key in PKCS #8. */
export interface WebhookKeys {
  readonly signature: WebhookSignature
  readonly current: string
  /** The one that was replaced, with until when it signs beside the present one, milliseconds since the epoch. */
  readonly earlier: { readonly key: string; readonly until: number } | null
}

/** What is signed. */
export interface SignedMessage {
  readonly id: string
  /** Seconds since the epoch. */
  readonly timestamp: number
  readonly body: string
}

export const makeWebhookKeys = (signature: WebhookSignature): WebhookKeys => ({
  signature,
  current: makeKey(signature),
  earlier: null,
})

/** Another key; the present one signs on until then, the one before it no more. */
export const replaceWebhookKey = (keys: WebhookKeys, until: number): WebhookKeys => ({
  ...keys,
  current: makeKey(keys.signature),
  earlier: until > Date.now() ? { key: keys.current, until } : null,
})

/** `whsec_…`, which the receiver has to be told; null where it verifies by a public key. */
export const secretOf = ({ signature, current }: WebhookKeys): string | null =>
  signature === 'hmac' ? SECRET_PREFIX + current : null

/** `whpk_…`; null of a shared secret. */
export function publicKeyOf({ signature, current }: WebhookKeys): string | null {
  if (signature === 'hmac') return null
  const spki = createPublicKey(privateKey(current)).export({ format: 'der', type: 'spki' })
  return PUBLIC_KEY_PREFIX + spki.subarray(SPKI_HEAD_BYTES).toString('base64')
}

/** The headers of a message, with a signature for each key that signs now. */
export function signedHeaders(keys: WebhookKeys, message: SignedMessage): Record<string, string> {
  const { current, earlier } = keys
  const signing = earlier && earlier.until > Date.now() ? [current, earlier.key] : [current]
  const text = Buffer.from(`${message.id}.${message.timestamp}.${message.body}`)
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': signing.map((key) => signatureBy(keys.signature, key, text)).join(' '),
  }
}

const signatureBy = (signature: WebhookSignature, key: string, text: Buffer): string =>
  signature === 'hmac'
    ? `v1,${createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64')}`
    : `v1a,${sign(null, text, privateKey(key)).toString('base64')}`

const makeKey = (signature: WebhookSignature): string =>
  signature === 'hmac'
    ? randomBytes(SECRET_BYTES).toString('base64')
    : generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')

const privateKey = (key: string) =>
  createPrivateKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'pkcs8' })
