/**
 * Lexical signs of an attack in a text where a rule matched: each a yes or no. Those about the beginning of a value, or about all of
 * it, are lost behind filler; what rules weigh is not. Expressions are bounded, because the text is a stranger's.
 */
/** A sign, and the classes of attack that it speaks for. */
export interface Sign {
  readonly name: string
  readonly classes: readonly string[]
  readonly expression: RegExp
}

const SQL = ['sql_injection']
const SHELL = ['command_injection']
const CODE = [
  'php_code_injection',
  'java_code_injection',
  'js_code_injection',
  'code_injection',
  'template_injection',
]

/** At most 28: a set of signs is the bits of a number, and three are `OUTSIDE_CODE`, `STRAY_LINE` and `OTHER_TYPE`. The order is that of the bits. */
export const SIGNS: readonly Sign[] = [
  {
    name: 'quote before operator',
    classes: SQL,
    expression:
      /['"`]\s{0,8}\)*\s{0,8}(?:\|\||&&|;|--|#|\/\*|[=<>+*,|-]|(?:or|and|xor|union|having|order|group|where|r?like|regexp|in|between|is|not|select|limit|procedure|collate)\b)/i,
  },
  {
    name: 'bracket before operator',
    classes: SQL,
    expression:
      /^\W{0,4}-?\w{0,24}['"]?\)+\s{0,8}(?:;|--|#|\/\*|\|\||(?:or|and|xor|union|having|order|group|where|as|r?like|waitfor|select)\b)/i,
  },
  {
    name: 'comment to the end',
    classes: SQL,
    expression: /(?:--[\s+-]{0,4}|#|\/\*)\s{0,4}\w{0,8}\s{0,4}$/,
  },
  {
    name: 'keyword sequence',
    classes: SQL,
    expression:
      /\b(?:union(?:\s+all|\s+distinct)?[\s(]+select|select\b.{1,120}?\bfrom\b|(?:order|group)\s+by\s+(?:\d|null)|insert\s+into|delete\s+from|drop\s+(?:table|database)|waitfor\s+delay|case\s+when|where\s+\d+\s*(?:[=<>]|like)|having\s+\d)/is,
  },
  {
    name: 'comparison of constants',
    classes: SQL,
    expression:
      /(?:^|[^\w.])(\d{1,9}|'[^']{0,16}'|"[^"]{0,16}")\s{0,8}(?:=|<=>|<>|!=|<|>|r?like\b|in\b)\s{0,8}\(?\s{0,4}['"]?(?:\d|select\b|\w{1,16}['"])/i,
  },
  {
    name: 'value begins with separator',
    classes: SHELL,
    expression: /^[\w.'")-]{0,40}\s{0,4}(?:;|\|\|?|&&?|`|\$\(|\n)\s{0,4}[\w/$'"{]/,
  },
  {
    name: 'value begins with markup',
    classes: ['xss'],
    expression: /^[\w.\s-]{0,24}(?:["']?\s{0,4}>|["'])?\s{0,4}<[a-z!/]/i,
  },
  {
    name: 'substitution',
    classes: [...SHELL, ...CODE],
    expression: /\$\([^)\s]|`[^`\n]{2,40}`|\$\{[^}\s]|\{\{.{0,40}[^\w\s.}]/,
  },
]

/** Set where rules matched in a text that is no code. It has no weight of its own: which weights hold depends on it. */
export const OUTSIDE_CODE = 1 << 30
/** Set where rules matched in a line between lines of code that is unlike them, judged by itself. It is likewise. */
export const STRAY_LINE = 1 << 28

/** Where rules matched, as far as what they weigh depends on it. */
export type Surroundings = 'text' | 'code' | 'stray line'

/** The surroundings that a set of signs names. */
export const surroundingsOf = (signs: number): Surroundings => {
  if ((signs & OUTSIDE_CODE) !== 0) return 'text'
  return (signs & STRAY_LINE) === 0 ? 'code' : 'stray line'
}

/** The reverse, without any sign. */
export const SURROUNDING_BITS: Readonly<Record<Surroundings, number>> = {
  text: OUTSIDE_CODE,
  code: 0,
  'stray line': STRAY_LINE,
}

/** The signs in a text, as bits. */
export function signsOf(text: string): number {
  let bits = 0
  for (const [index, { expression }] of SIGNS.entries()) if (expression.test(text)) bits |= 1 << index
  return bits
}

/** The signs, of those given as bits, that speak for a class. */
export const signsFor = (className: string): number => MASKS.get(className) ?? 0

const MASKS = new Map<string, number>()
for (const [index, { classes }] of SIGNS.entries())
  for (const name of classes) MASKS.set(name, (MASKS.get(name) ?? 0) | (1 << index))

/** Names of those signs that speak for a class. */
export const signNamesOf = (className: string, signs: number): string[] =>
  SIGNS.flatMap(({ name, classes }, index) =>
    (signs & (1 << index)) !== 0 && classes.includes(className) ? [name] : [],
  )

/** The reverse. */
export const signsNamed = (names: readonly string[]): number =>
  SIGNS.reduce((bits, { name }, index) => (names.includes(name) ? bits | (1 << index) : bits), 0)
