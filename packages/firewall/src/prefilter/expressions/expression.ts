/**
 * Reads expressions of RE2 (https://github.com/google/re2/wiki/Syntax) into a tree that says what a text must hold to match.
 *
 * The tree describes at least the texts that the expression matches, never fewer: letters have no case,
 * every letter that is not ASCII is the same. What is not understood throws, and its rule is then never left out.
 */

/** A letter that is not ASCII; the others are their code, in lower case. */
export const NOT_ASCII = 128

/** Whether a code is that of U+017F or U+212A, which RE2 takes for `s` and `k` where case does not matter. */
export const isFoldedCode = (code: number): boolean => code === 0x17f || code === 0x212a

/** What an expression asks of a text. */
export type Expression =
  /** One letter of these, by code. */
  | { readonly kind: 'letter'; readonly codes: ReadonlySet<number> }
  /** One after the other, without anything between. */
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  | { readonly kind: 'choice'; readonly options: readonly Expression[] }
  | { readonly kind: 'repeat'; readonly of: Expression; readonly min: number; readonly max: number }
  /** The edge of a word of ASCII letters, digits and underscores. */
  | { readonly kind: 'boundary' }
  /** Where the text begins, and where it ends. */
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }

/** Raised for what is not understood. */
export class UnknownSyntaxError extends Error {
  override readonly name = 'UnknownSyntaxError'
}

export const NOTHING: Expression = { kind: 'sequence', parts: [] }

/** Reads an expression; `UnknownSyntaxError` where it is not understood. */
export function parseExpression(source: string): Expression {
  const reader: Reader = { source, at: 0, hasLines: LINES.test(source) }
  const expression = choice(reader)
  if (reader.at < source.length) throw new UnknownSyntaxError(`unexpected ${source[reader.at]}`)
  return expression
}

interface Reader {
  readonly source: string
  at: number
  /** Whether anchors may stand where lines begin and end. */
  readonly hasLines: boolean
}

/** The flag for lines; of an expression that has it somewhere, no anchor is asked for. */
const LINES = /\(\?[a-zA-Z]*m/

/** Takes what `pattern`, which is sticky, finds here. */
function take(reader: Reader, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reader.at
  const found = pattern.exec(reader.source)
  if (found) reader.at += found[0].length
  return found
}

function choice(reader: Reader): Expression {
  const options: Expression[] = []
  do options.push(sequence(reader))
  while (take(reader, /\|/y))
  return options.length === 1 && options[0] ? options[0] : { kind: 'choice', options }
}

function sequence(reader: Reader): Expression {
  const parts: Expression[] = []
  while (reader.at < reader.source.length && !/[|)]/.test(reader.source[reader.at] ?? ''))
    parts.push(repeated(reader, item(reader)))
  return { kind: 'sequence', parts }
}

function repeated(reader: Reader, of: Expression): Expression {
  let expression = of
  for (;;) {
    const found = take(reader, /([*+?]|\{(\d+)(,?)(\d*)\})\??/y)
    if (!found) return expression
    const [, sign = '', from = '', comma = '', to = ''] = found
    const min = sign === '+' ? 1 : Number(from)
    const max = sign === '?' ? 1 : comma === '' && from !== '' ? min : Number(to || Number.POSITIVE_INFINITY)
    expression = { kind: 'repeat', of: expression, min, max }
  }
}

function item(reader: Reader): Expression {
  if (take(reader, /\[/y)) return { kind: 'letter', codes: letterClass(reader) }
  if (take(reader, /\((?!\?)|\(\?[imsU-]*:|\(\?P?<\w+>/y)) return group(reader)
  // Flags for what follows: case and lines make no difference here.
  if (take(reader, /\(\?[imsU-]+\)/y)) return NOTHING
  if (take(reader, /\\b/y)) return { kind: 'boundary' }
  if (take(reader, /\\B/y)) return NOTHING
  if (take(reader, /\^|\\A/y)) return reader.hasLines ? NOTHING : { kind: 'start' }
  if (take(reader, /\$|\\z/y)) return reader.hasLines ? NOTHING : { kind: 'end' }
  if (take(reader, /\./y)) return { kind: 'letter', codes: EVERY_LETTER }
  return { kind: 'letter', codes: letters(reader) }
}

function group(reader: Reader): Expression {
  const inside = choice(reader)
  if (!take(reader, /\)/y)) throw new UnknownSyntaxError('a group that is not closed')
  return inside
}

const codesWhere = (test: (code: number) => boolean): ReadonlySet<number> =>
  new Set(Array.from({ length: NOT_ASCII + 1 }, (_, code) => code).filter(test))

const EVERY_LETTER = codesWhere(() => true)

/** Letters by name, before case is folded; of Unicode's classes all that is known is that they are letters. */
const CLASSES: Readonly<Record<string, ReadonlySet<number>>> = {
  d: charactersOf(/\d/),
  w: charactersOf(/\w/),
  s: charactersOf(/[\t\n\f\r ]/),
  alpha: charactersOf(/[A-Za-z]/),
  digit: charactersOf(/\d/),
  alnum: charactersOf(/[A-Za-z0-9]/),
  upper: charactersOf(/[A-Z]/),
  lower: charactersOf(/[a-z]/),
  space: charactersOf(/[\t\n\v\f\r ]/),
  blank: charactersOf(/[\t ]/),
  punct: charactersOf(/[!-/:-@[-`{-~]/),
  xdigit: charactersOf(/[0-9A-Fa-f]/),
  word: charactersOf(/\w/),
}

function charactersOf(pattern: RegExp): ReadonlySet<number> {
  return codesWhere((code) => code < NOT_ASCII && pattern.test(String.fromCharCode(code)))
}

const except = (codes: ReadonlySet<number>): ReadonlySet<number> => codesWhere((code) => !codes.has(code))

const fold = (code: number): number => (code >= 0x41 && code <= 0x5a ? code + 32 : code)

const folded = (codes: ReadonlySet<number>): ReadonlySet<number> => {
  const all = Array.from(codes, fold)
  return all.length === 1 ? one(all[0] ?? 0) : new Set(all)
}

const named = (name: string, negated: boolean): ReadonlySet<number> => {
  const codes = CLASSES[name]
  if (!codes) throw new UnknownSyntaxError(`the class ${name}`)
  return negated ? except(codes) : codes
}

/** The letters that one item stands for, without their case. */
const letters = (reader: Reader): ReadonlySet<number> => folded(classMember(reader))

function letterClass(reader: Reader): ReadonlySet<number> {
  const negated = take(reader, /\^/y) !== null
  const codes = new Set<number>()
  let first = true
  while (first || !take(reader, /\]/y)) {
    if (reader.at >= reader.source.length) throw new UnknownSyntaxError('a class that is not closed')
    first = false
    const low = classMember(reader)
    const range = low.size === 1 && take(reader, /-(?!\])/y) !== null
    const high = range ? classMember(reader) : low
    for (const code of range ? rangeOf(low, high) : low) codes.add(code)
  }
  // What a class says of some letters that are not ASCII, it may not say of the others.
  if (negated) codes.delete(NOT_ASCII)
  return folded(negated ? except(codes) : codes)
}

function rangeOf(low: ReadonlySet<number>, high: ReadonlySet<number>): ReadonlySet<number> {
  const [from = 0] = low
  const [to = 0] = high
  if (high.size !== 1) throw new UnknownSyntaxError('a range that ends in a class')
  return codesWhere((code) => code >= from && code <= to)
}

/** One letter, escaped or not, or a class by name; before case is folded. */
function classMember(reader: Reader): ReadonlySet<number> {
  const posix = take(reader, /\[:(\^?)(\w+):\]/y)
  if (posix) return named(posix[2] ?? '', posix[1] === '^')
  const kind = take(reader, /\\([dwsDWS])/y)?.[1]
  if (kind !== undefined) return named(kind.toLowerCase(), kind !== kind.toLowerCase())
  if (take(reader, /\\[pP](?:\{\^?\w+\}|\w)/y)) return EVERY_LETTER
  const escaped = take(
    reader,
    /\\(?:x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})|(0[0-7]{0,2}|[1-7][0-7]{1,2})|([afnrtv])|([^A-Za-z0-9]))/uy,
  )
  if (escaped) {
    const [, long, short, octal, control, itself] = escaped
    if (control !== undefined) return one(CONTROLS[control] ?? 0)
    if (itself !== undefined) return one(itself.codePointAt(0) ?? 0)
    return one(octal === undefined ? Number.parseInt(long ?? short ?? '', 16) : Number.parseInt(octal, 8))
  }
  const letter = take(reader, /[^\\]/uy)
  if (!letter) throw new UnknownSyntaxError(`an escape: ${reader.source.slice(reader.at, reader.at + 2)}`)
  return one(letter[0].codePointAt(0) ?? 0)
}

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 }

/** Most letters stand for themselves: these are made once. */
const SINGLE = Array.from({ length: NOT_ASCII + 1 }, (_, code) => new Set([code]))
const one = (code: number): ReadonlySet<number> => SINGLE[Math.min(code, NOT_ASCII)] ?? EVERY_LETTER
const ITSELF = SINGLE.map((_, code): Expression => ({ kind: 'letter', codes: one(fold(code)) }))

/** A letter without its case. */
export const letterExpression = (letter: string): Expression =>
  ITSELF[Math.min(letter.codePointAt(0) ?? 0, NOT_ASCII)] ?? NOTHING

/** The same expression for texts in which some letters are not known: there may be others, more or fewer of them. */
export function blurred(expression: Expression, letters: string): Expression {
  switch (expression.kind) {
    case 'letter': {
      const isUnsure = Array.from(letters).some((letter) => expression.codes.has(letter.charCodeAt(0)))
      return isUnsure ? { kind: 'letter', codes: EVERY_LETTER } : expression
    }
    case 'boundary':
    case 'start':
    case 'end':
      return expression
    case 'repeat':
      return { ...expression, of: blurred(expression.of, letters) }
    case 'sequence':
      return { ...expression, parts: expression.parts.map((part) => blurred(part, letters)) }
    case 'choice':
      return { ...expression, options: expression.options.map((option) => blurred(option, letters)) }
  }
}
