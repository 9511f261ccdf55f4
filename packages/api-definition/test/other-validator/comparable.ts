/** A document without what only one of the two validators judges by, so that what is left must be judged alike. */

import { patternUses } from '../../src/schema/patterns.ts'
import { isObject, type Json } from './sample.ts'

const NAMES = new Set(['properties', 'patternProperties', 'schemas', 'parameters', 'paths'])

/**
 * Taken out: `readOnly` (here what is only answered is not required of requests), patterns that RE2 does not have, `unevaluated…`
 * (not judged here), and `discriminator` (judged by neither).
 */
export function comparable(value: unknown, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key, child]) => isNames || isKept(key, child))
  return Object.fromEntries(
    kept.map(([key, child]) => [
      key,
      isData(key, isNames) ? child : comparable(child, !isNames && NAMES.has(key) && !Array.isArray(child)),
    ]),
  )
}

const isData = (key: string, isNames: boolean): boolean =>
  !isNames && ['enum', 'const', 'example', 'examples', 'default'].includes(key)

function isKept(key: string, child: unknown): boolean {
  if (key === 'pattern') return typeof child !== 'string' || patternUses()(child)
  return !['readOnly', 'writeOnly', 'unevaluatedProperties', 'unevaluatedItems', 'discriminator'].includes(
    key,
  )
}

export const comparableDocument = (document: Json): Json => comparable(document) as Json
