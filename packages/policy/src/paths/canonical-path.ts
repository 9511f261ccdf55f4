/** The one path that stands for a request in the record and in analytics. */

import { utf8 } from './ambiguous.ts'
import { cleanPath } from './path-interpretations.ts'
import { percentDecodeToBytes } from './percent-decoding.ts'
import { resolveDotSegments } from './transforms.ts'

/**
 * The path of a target as most origins read it: the query cut, decoded once as UTF-8, dot segments resolved. Bytes that
 * are not UTF-8 show as U+FFFD.
 */
export function canonicalPath(target: string): string {
  const clean = cleanPath(target)
  if (clean !== undefined) return clean
  const origin = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const path = resolveDotSegments(percentDecodeToBytes(origin.replace(/[?#].*$/s, '')))
  const text = /^[\0-\x7f]*$/.test(path) ? path : utf8(path, false)
  return text?.startsWith('/') ? text : `/${text ?? ''}`
}
