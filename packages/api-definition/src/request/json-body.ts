/** Reads a body of JSON as every origin reads it, or not at all. */

/** What was read, or why it was not. */
export type JsonBody = { readonly value: unknown; readonly fault?: undefined } | { readonly fault: string }

export function readJsonBody(bytes: Buffer): JsonBody {
  let text: string
  let value: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    value = JSON.parse(text)
  } catch {
    return { fault: 'is no JSON' }
  }
  // Of a name that comes twice some origins take the first value, and some the last.
  return membersIn(value) === colonsIn(text) ? { value } : { fault: 'has a member twice' }
}

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a]

/** Colons outside of strings, of which there is one for each member. */
function colonsIn(text: string): number {
  let colons = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) isString = !isString
    else if (code === BACKSLASH) at++
    else if (code === COLON && !isString) colons++
  }
  return colons
}

function membersIn(root: unknown): number {
  let members = 0
  const waiting: unknown[] = [root]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue
    const inside = Object.values(value)
    if (!Array.isArray(value)) members += inside.length
    for (const item of inside) if (typeof item === 'object' && item !== null) waiting.push(item)
  }
  return members
}
