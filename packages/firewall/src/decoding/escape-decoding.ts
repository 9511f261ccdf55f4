/** Without groups: for each of the ninety thousand escapes of a long text, V8 would make a text of every group. */
const ESCAPE = /\\(?:u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[0-3][0-7]{2}|[nrt/"'])/g
const SINGLE: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '/': '/', '"': '"', "'": "'" }

/** Decodes the escapes of JavaScript, JSON and C-like strings: `\u0041`, `\u{41}`, `\x41`, `\101`, `\n`, `\'`. */
export function decodeEscapes(text: string): string {
  return text.includes('\\') ? text.replace(ESCAPE, decoded) : text
}

/** What the escape `found` stands for; itself where no code point has its number. */
function decoded(found: string): string {
  const kind = found.charAt(1)
  const single = SINGLE[kind]
  if (single !== undefined) return single
  if (kind !== 'u' && kind !== 'x') return String.fromCharCode(Number.parseInt(found.slice(1), 8))
  const code = Number.parseInt(found.slice(found.charAt(2) === '{' ? 3 : 2), 16)
  return code <= 0x10ffff ? String.fromCodePoint(code) : found
}
