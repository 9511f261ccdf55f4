/**
 * `Idempotency-Key`: the first request with a key does the work, and every other one is given its result. The key is
 * claimed by an insert in the transaction of the work, so that requests at the same time wait for the first, and a work
 * that fails leaves nothing behind.
 */
import { ProblemError } from '../errors.ts'
import type { Cipher } from '../secrets/cipher.ts'
import { IDEMPOTENT_RESULT } from '../secrets/sealed-columns.ts'
import { hasRows } from './rows.ts'
import type { Transaction } from './transactions.ts'

/** A request repeats another for this long. */
const REPEATED = "interval '24 hours'"
/** Keys are remembered a little longer: what is a repetition when it comes is one still when it is done. */
const KEPT = "interval '24 hours 5 minutes'"

export interface IdempotentRequest {
  readonly key: string
  /** SHA-256 of everything that makes the request what it is. */
  readonly requestHash: string
}

/** Claims the key, or returns the result of the request that did. Throws 409 where that was another request. */
export async function claimKey(
  tx: Transaction,
  orgId: string,
  { key, requestHash }: IdempotentRequest,
  cipher: Cipher,
): Promise<{ result: unknown } | null> {
  const [claimed] = await Promise.all([
    tx.query(
      `INSERT INTO idempotency_keys AS known (org_id, key, request_hash) VALUES ($1, $2, $3)
       ON CONFLICT (org_id, key) DO UPDATE SET request_hash = excluded.request_hash, result = NULL, created_at = now()
         WHERE known.created_at < now() - ${KEPT}
       RETURNING 1`,
      [orgId, key, requestHash],
    ),
    tx.query(`DELETE FROM idempotency_keys WHERE org_id = $1 AND created_at < now() - ${KEPT}`, [orgId]),
  ])
  if (claimed.length > 0) return null
  const [known] = await tx.query<{ request_hash: string; result: string }>(
    'SELECT request_hash, result FROM idempotency_keys WHERE org_id = $1 AND key = $2',
    [orgId, key],
  )
  if (known?.request_hash !== requestHash) throw new ProblemError('idempotency_conflict')
  return { result: JSON.parse(cipher.decrypt(known.result, IDEMPOTENT_RESULT.placeOf(orgId, key))) }
}

/** Whether the key was claimed by this same request, and its work is done. */
export const isDone = (
  tx: Transaction,
  orgId: string,
  { key, requestHash }: IdempotentRequest,
): Promise<boolean> =>
  hasRows(
    tx,
    `SELECT 1 FROM idempotency_keys
     WHERE org_id = $1 AND key = $2 AND request_hash = $3 AND created_at >= now() - ${REPEATED}`,
    [orgId, key, requestHash],
  )

/** Keeps the result of the work under its key. */
export async function keepResult(
  tx: Transaction,
  orgId: string,
  { key }: IdempotentRequest,
  result: unknown,
  cipher: Cipher,
): Promise<void> {
  const kept = cipher.encrypt(JSON.stringify(result), IDEMPOTENT_RESULT.placeOf(orgId, key))
  await tx.query('UPDATE idempotency_keys SET result = $3 WHERE org_id = $1 AND key = $2', [orgId, key, kept])
}
