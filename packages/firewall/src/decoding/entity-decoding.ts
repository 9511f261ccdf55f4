const ENTITY = /&(?:#0*(\d{1,7})|#[xX]0*([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));?/g

/** Named entities that can spell a character of an attack; the hundreds of accented letters cannot. */
const NAMED: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  tab: '\t',
  newline: '\n',
  colon: ':',
  semi: ';',
  comma: ',',
  period: '.',
  lpar: '(',
  rpar: ')',
  lbrack: '[',
  rbrack: ']',
  lsqb: '[',
  rsqb: ']',
  lbrace: '{',
  rbrace: '}',
  lcub: '{',
  rcub: '}',
  sol: '/',
  bsol: '\\',
  grave: '`',
  dollar: '$',
  equals: '=',
  percnt: '%',
  num: '#',
  excl: '!',
  quest: '?',
  vert: '|',
  plus: '+',
  ast: '*',
  lowbar: '_',
}

/** Decodes HTML character references, with or without their semicolon, as browsers do. */
export function decodeEntities(text: string): string {
  if (!mayHoldEntity(text)) return text
  return text.replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return named(whole, name)
    return character(Number.parseInt(decimal ?? hex ?? '', decimal === undefined ? 16 : 10), whole)
  })
}

const SEMICOLON = 0x3b
const NUMBER_SIGN = 0x23
const NAME_CHARS_MAX = 8
/** What works without a semicolon. */
const UNENDED = /^(?:lt|gt|amp|quot|nbsp)$/i
const isLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a

/**
 * False where every `&` is followed by letters alone that are no name without a semicolon, as in a query: such a text is not searched by
 * the expression, which would stop at each of them.
 */
function mayHoldEntity(text: string): boolean {
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    const start = at + 1
    let end = start
    while (end < start + NAME_CHARS_MAX && isLetter(text.charCodeAt(end))) end++
    if (text.charCodeAt(end) === SEMICOLON || text.charCodeAt(start) === NUMBER_SIGN) return true
    if (end - start <= 4 && UNENDED.test(text.slice(start, end))) return true
  }
  return false
}

function named(whole: string, name: string): string {
  const found = NAMED[name.toLowerCase()]
  // Only `&lt`, `&gt`, `&amp`, `&quot` and `&nbsp` work without a semicolon; `&num=1` in a query is a parameter.
  return found !== undefined && (whole.endsWith(';') || UNENDED.test(name)) ? found : whole
}

const character = (code: number, otherwise: string): string =>
  Number.isInteger(code) && code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : otherwise
