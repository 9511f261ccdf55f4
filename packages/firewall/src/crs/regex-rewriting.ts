/**
 * PCRE to RE2. ModSecurity compiles with PCRE's `DOTALL` and `DOLLAR_ENDONLY`, case-sensitive; RE2 has no lookaround, no
 * backreferences, no possessive quantifiers and repeats at most 1,000 times.
 */

/** The expression for RE2, or why there is none. */
export type Rewritten = { readonly regex: string } | { readonly refused: string }

const REPEAT_MAX = 1000

/** Rewrites one expression. */
export function rewriteRegex(pcre: string): Rewritten {
  const trouble = unsupported(pcre)
  if (trouble !== undefined) return { refused: trouble }
  let regex = ''
  let inClass = false
  for (let at = 0; at < pcre.length; ) {
    const token = tokenAt(pcre, at, inClass)
    if (token === '[' && !inClass) inClass = true
    else if (token === ']' && inClass && !/(?:^|[^\\])\[\^?$/.test(pcre.slice(Math.max(0, at - 3), at)))
      inClass = false
    regex += rewriteToken(token, inClass)
    at += token.length
  }
  return { regex: `(?s)${regex}` }
}

function unsupported(pcre: string): string | undefined {
  const bare = pcre.replace(/\\[^1-9]/g, '').replace(/\[(?:[^\]\\]|\\.)*\]/g, '')
  if (/\(\?<?[!=]/.test(bare)) return 'the expression looks around, which RE2 cannot'
  if (/\\[1-9]/.test(bare)) return 'the expression refers back to what a group matched, which RE2 cannot'
  if (/\(\?[|(&R]/.test(bare)) return 'the expression recurses or branches on conditions, which RE2 cannot'
  return undefined
}

/** One escape, one quantifier, a run of bytes that make up a character, or one character. */
function tokenAt(pcre: string, at: number, inClass: boolean): string {
  const rest = pcre.slice(at, at + 24)
  const bytes = /^(?:\\x[c-f][0-9a-f](?:\\x[89ab][0-9a-f]){1,3})/i.exec(rest)?.[0]
  if (bytes !== undefined && utf8Of(bytes) !== undefined) return bytes
  const escaped = /^\\(?:x\{[0-9a-f]+\}|x[0-9a-f]{2}|[\s\S])/i.exec(rest)?.[0]
  if (escaped !== undefined) return escaped
  if (inClass) return /^\[:\^?\w+:\]/.exec(rest)?.[0] ?? rest[0] ?? ''
  return /^(?:\(\?>|[*+?]\+|\{\d+(?:,\d*)?\}\+?)/.exec(rest)?.[0] ?? rest[0] ?? ''
}

function rewriteToken(token: string, inClass: boolean): string {
  const character = token.startsWith('\\x') && token.length > 4 ? utf8Of(token) : undefined
  if (character !== undefined) return `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`
  // Atomic groups and possessive quantifiers only save backtracking, and RE2 does not backtrack.
  if (token === '(?>') return '(?:'
  if (/^[*+?]\+$/.test(token)) return token[0] ?? ''
  const repeat = /^\{(\d+)(,?)(\d*)\}/.exec(token)
  if (repeat && !inClass) return bounded(repeat[1] ?? '', repeat[2] ?? '', repeat[3] ?? '')
  return ESCAPES[token] ?? token
}

/** Escapes that RE2 does not have, and those that mean a little more in PCRE. */
const ESCAPES: Readonly<Record<string, string>> = {
  '\\Z': '\\z',
  '\\h': '[\\t ]',
  '\\R': '(?:\\r\\n|\\n|\\r)',
  '\\e': '\\x1b',
  '\\_': '_',
}

const bounded = (from: string, comma: string, to: string): string => {
  const limit = (text: string): string => (text === '' ? '' : String(Math.min(Number(text), REPEAT_MAX)))
  return `{${limit(from)}${comma}${limit(to)}}`
}

/** The single character that escaped bytes spell in UTF-8. */
function utf8Of(escaped: string): string | undefined {
  const bytes = Buffer.from(escaped.replace(/\\x/gi, ''), 'hex')
  const text = bytes.toString('utf8')
  return [...text].length === 1 && text !== '\ufffd' ? text : undefined
}
