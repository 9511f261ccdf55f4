/**
 * The keys that the identity provider signs with: made once, kept encrypted in the database, replaced every 90 days.
 *
 * A new key is published for an hour before it signs, because every process reads the keys every ten minutes, and an old
 * one is still published for two days after, because tokens that it signed are still about.
 */
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import type { Database } from '../../database/database.ts'
import type { Cipher } from '../../secrets/cipher.ts'
import { SIGNING_KEY } from '../../secrets/sealed-columns.ts'
import { TOKEN_ALGORITHM } from './configuration.ts'
import {
  addSigningKey,
  listSigningKeys,
  lockSigningKeys,
  removeSigningKeys,
  type SigningKeyRow,
} from './store.ts'

export const KEY_LIFETIME_MS = 90 * 86_400_000
export const KEY_PUBLISHED_AHEAD_MS = 3_600_000
export const KEY_KEPT_MS = 2 * 86_400_000

/** A private key, as a JWK (RFC 7517). */
export interface SigningKey {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
  readonly d: string
  readonly kid: string
  readonly alg: typeof TOKEN_ALGORITHM
  readonly use: 'sig'
}

/** As the provider wants them: the one that signs now first. */
export type SigningKeys = readonly SigningKey[]

/** Reads the keys; makes the first or the next and drops those whose time is over, when it is time for that. */
export async function maintainSigningKeys(
  database: Pick<Database, 'writeInstallation'>,
  cipher: Cipher,
  now: number,
): Promise<SigningKeys> {
  const fresh = await makeKey()
  const rows = await database.writeInstallation(async (tx) => {
    await lockSigningKeys(tx)
    const known = (await listSigningKeys(tx)).filter((row) => isReadable(row, cipher))
    const signsFrom = nextKeySignsFrom(known, now)
    const added = signsFrom === null ? [] : [sealed(fresh, cipher, signsFrom)]
    for (const row of added) await addSigningKey(tx, row)
    const over = keysOver([...added, ...known], now)
    await removeSigningKeys(
      tx,
      over.map((row) => row.kid),
    )
    return [...added, ...known].filter((row) => !over.includes(row))
  })
  return signingFirst(rows, now).map((row) => opened(row, cipher))
}

/** When the next key is to begin to sign; null while no new key is due. Rows are the newest first. */
function nextKeySignsFrom(rows: readonly SigningKeyRow[], now: number): number | null {
  const newest = rows[0]
  if (!newest) return now
  const due = Date.parse(newest.signsFrom) + KEY_LIFETIME_MS - KEY_PUBLISHED_AHEAD_MS
  return now < due ? null : now + KEY_PUBLISHED_AHEAD_MS
}

/** Keys whose successor has signed for so long that nothing of theirs is valid any more. */
const keysOver = (rows: readonly SigningKeyRow[], now: number): SigningKeyRow[] =>
  rows.filter((_, index) => {
    const successor = rows[index - 1]
    return successor !== undefined && Date.parse(successor.signsFrom) + KEY_KEPT_MS < now
  })

function signingFirst(rows: readonly SigningKeyRow[], now: number): SigningKeyRow[] {
  const present = rows.filter((row) => Date.parse(row.signsFrom) <= now)
  const upcoming = rows.filter((row) => Date.parse(row.signsFrom) > now)
  return [...present, ...upcoming]
}

async function makeKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(TOKEN_ALGORITHM, { extractable: true })
  const { x = '', y = '', d = '' } = await exportJWK(privateKey)
  const point = { kty: 'EC', crv: 'P-256', x, y } as const
  return { ...point, d, kid: await calculateJwkThumbprint(point), alg: TOKEN_ALGORITHM, use: 'sig' }
}

function sealed(key: SigningKey, cipher: Cipher, signsFrom: number): SigningKeyRow {
  return {
    kid: key.kid,
    sealed: cipher.encrypt(JSON.stringify(key), SIGNING_KEY.placeOf(key.kid)),
    signsFrom: new Date(signsFrom).toISOString(),
  }
}

/** What was sealed is what `makeKey` made. */
const opened = (row: SigningKeyRow, cipher: Cipher): SigningKey =>
  JSON.parse(cipher.decrypt(row.sealed, SIGNING_KEY.placeOf(row.kid))) as SigningKey

/** A key sealed under a secret key that is gone is as good as none: another is made. */
function isReadable(row: SigningKeyRow, cipher: Cipher): boolean {
  try {
    return opened(row, cipher).kid === row.kid
  } catch {
    return false
  }
}
