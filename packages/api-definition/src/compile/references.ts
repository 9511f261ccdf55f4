/** Follows references within a document. Nothing is fetched, and what leads nowhere is nothing. */

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const objectOf = (value: unknown): Json => (isObject(value) ? value : {})
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const REFERENCES_IN_A_ROW_MAX = 16

/** What a reference such as `#/components/schemas/Pet` leads to; undefined where that is nothing, or not in the document. */
export function findReferenced(document: Json, reference: string): unknown {
  if (reference === '#') return document
  if (!reference.startsWith('#/')) return undefined
  let found: unknown = document
  for (const part of reference.slice(2).split('/')) {
    const key = unescaped(part)
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Json)[key]
  }
  return found
}

/** An object of the document, or the one that it refers to. */
export function resolved(document: Json, given: unknown): Json {
  let value = objectOf(given)
  for (let hops = 0; typeof value.$ref === 'string'; hops++) {
    if (hops === REFERENCES_IN_A_ROW_MAX) return {}
    value = objectOf(findReferenced(document, value.$ref))
  }
  return value
}

function unescaped(part: string): string {
  const text = part.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return text
  }
}
