/** `ETag`, `If-Match` (RFC 9110) and `Idempotency-Key`. */
import { createHash } from 'node:crypto'
import type { IdempotentRequest } from '../../database/idempotency.ts'
import { invalid } from '../../errors.ts'

const KEY_CHARS_MAX = 255
const PRINTABLE = /^[\x20-\x7e]+$/

/** A strong tag that stands for a version. */
export const entityTag = (version: number): string => `"${version}"`

/**
 * Versions that an `If-Match` allows; null for `*` and where there is none. A weak or foreign tag allows nothing, so that
 * the change is refused and not made by mistake.
 */
export function readIfMatch(header: string | undefined): number[] | null {
  if (header === undefined || header.trim() === '*') return null
  return header.split(',').flatMap((tag) => {
    const version = /^\s*"(\d{1,15})"\s*$/.exec(tag)?.[1]
    return version === undefined ? [] : [Number(version)]
  })
}

/** The key, with a hash of everything that makes the request what it is. */
export function readIdempotencyKey(
  header: string | string[] | undefined,
  request: readonly unknown[],
): IdempotentRequest | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || header.length > KEY_CHARS_MAX || !PRINTABLE.test(header))
    throw invalid('headers/idempotency-key', `must be 1 to ${KEY_CHARS_MAX} printable ASCII characters`)
  return { key: header, requestHash: createHash('sha256').update(JSON.stringify(request)).digest('hex') }
}
