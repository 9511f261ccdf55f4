/** Reads a body of JSON as every origin reads it, or not at all. */

/** What was read, or why it was not. */
export type JsonBody = { readonly value: unknown; readonly fault?: undefined } | { readonly fault: string }

/** Strings whole, so that a colon in one is none; and colons, of which there is one for each member. */
const TOKEN = /"(?:[^"\\]|\\.)*"|:/gs

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

function colonsIn(text: string): number {
  let colons = 0
  for (const [token] of text.matchAll(TOKEN)) if (token === ':') colons++
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
