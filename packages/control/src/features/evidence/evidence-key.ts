/**
 * The key that signs evidence: Ed25519 (RFC 8032), derived from the installation's secret key, so that it is as durable
 * and as secret as that and nothing more has to be kept.
 */
import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto'
import { fingerprintOf as fingerprintOfKey } from '@sallyport/evidence-pack'
import { nodeSha256 } from '../../audit/chain.ts'

export interface EvidenceKey {
  readonly privateKey: KeyObject
  /** SubjectPublicKeyInfo in PEM, as it travels in a pack. */
  readonly publicKeyPem: string
  /** SHA-256 of the public key, by which people compare keys. */
  readonly fingerprint: string
}

/** PKCS #8 of an Ed25519 private key, but for its 32 bytes (RFC 8410, section 7). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

export function deriveEvidenceKey(secretKey: Uint8Array): EvidenceKey {
  const seed = Buffer.from(hkdfSync('sha256', secretKey, '', 'sallyport evidence', 32))
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, seed]),
    format: 'der',
    type: 'pkcs8',
  })
  const publicKey = createPublicKey(privateKey)
  return {
    privateKey,
    publicKeyPem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    fingerprint: fingerprintOf(publicKey),
  }
}

/** `sha256:` and the hash of the key's SubjectPublicKeyInfo, in hex. */
const fingerprintOf = (publicKey: KeyObject): string =>
  fingerprintOfKey(nodeSha256, publicKey.export({ format: 'der', type: 'spki' }))
