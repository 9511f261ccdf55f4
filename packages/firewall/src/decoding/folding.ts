/**
 * Letters and signs that are not ASCII, as the ASCII that databases, code pages, file systems and browsers fold them to.
 */

/** By the ASCII character, what a conversion to a smaller character set puts it in the place of (best-fit mapping). */
const BEST_FIT: Readonly<Record<string, string>> = {
  "'": '\u00b4\u02b9\u02bb\u02bc\u02c8\u2018-\u201b\u2032',
  '"': '\u02ba\u02dd\u030e\u201c-\u201f\u2033\u301d\u301e\u00ab\u00bb',
  '`': '\u02cb\u0300\u2035',
  '/': '\u2044\u2215\u2571\u29f8',
  '\\': '\u2216\u29f5\u29f9',
  '<': '\u2039\u2329\u27e8\u3008\u276e\u276c\u2770',
  '>': '\u203a\u232a\u27e9\u3009\u276f\u276d\u2771',
  '[': '\u301a\u27e6',
  ']': '\u301b\u27e7',
  '(': '\u27ee\u2768',
  ')': '\u27ef\u2769',
  '|': '\u00a6\u01c0\u2223\u2758',
  '-': '\u00ad\u02d7\u2010-\u2015\u2212',
  _: '\u02cd\u0331\u0332\u2017',
  ';': '\u037e',
  ':': '\u02d0\u0589\u2236\ua789',
  '*': '\u2217\u2731\u066d',
  '^': '\u02c4\u02c6\u0302\u2303',
  '~': '\u02dc\u0303\u223c',
  '!': '\u01c3',
  '%': '\u066a',
  '#': '\u266f',
  ',': '\u201a\u060c',
  '.': '\u3002\uff61\u2024',
  '&': '\ufe60',
  ' ': '\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000',
}

/** Letters of other scripts by the Latin ones that they look like. */
const LOOK_ALIKE: Readonly<Record<string, string>> = {
  a: '\u0430\u03b1\u0251',
  A: '\u0410\u0391',
  B: '\u0412\u0392',
  c: '\u0441\u03f2',
  C: '\u0421\u03f9',
  d: '\u0501',
  e: '\u0435\u0451',
  E: '\u0415\u0395',
  g: '\u0261\u0581',
  h: '\u04bb\u0570',
  H: '\u041d\u0397',
  i: '\u0456\u03b9\u0131\u0269',
  I: '\u0406\u0399\u04c0',
  j: '\u0458\u03f3',
  J: '\u0408',
  K: '\u041a\u039a',
  l: '\u04cf\u01c0',
  M: '\u041c\u039c',
  n: '\u0578\u03b7',
  N: '\u039d',
  o: '\u043e\u03bf\u0585',
  O: '\u041e\u039f\u0555',
  p: '\u0440\u03c1',
  P: '\u0420\u03a1',
  q: '\u051b',
  r: '\u0433',
  s: '\u0455',
  S: '\u0405',
  t: '\u0442\u03c4',
  T: '\u0422\u03a4',
  u: '\u057d\u03c5',
  v: '\u0475\u03bd\u2228',
  w: '\u051d\u0461',
  x: '\u0445\u03c7',
  X: '\u0425\u03a7',
  y: '\u0443\u03b3',
  Y: '\u04ae\u03a5',
  z: '\u1d22',
  Z: '\u0396',
}

/** By character, what it becomes; of `a-c` each in between. */
function tableOf(source: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const table = new Map<string, string>()
  for (const [ascii, characters] of Object.entries(source))
    for (const [, first = '', last = first] of characters.matchAll(/([^-])(?:-([^-]))?/g))
      for (let code = first.charCodeAt(0); code <= last.charCodeAt(0); code++)
        table.set(String.fromCharCode(code), ascii)
  return table
}

const classOf = (table: ReadonlyMap<string, string>): string => [...table.keys()].join('')

const SIGNS = tableOf(BEST_FIT)
const SIGN = new RegExp(`[${classOf(SIGNS)}]`, 'g')
const ALIKE = tableOf(LOOK_ALIKE)
const ALIKE_LETTER = new RegExp(`[${classOf(ALIKE)}]`, 'g')
/** Nobody writes one word in two scripts, but for a disguise. */
const MIXED_WORD = /[A-Za-z][\u0370-\u058f]|[\u0370-\u058f][A-Za-z]/
const ACCENTED = /[\u00c0-\u024f\u1e00-\u1eff]/g
const MARK = /[\u0300-\u036f\u1ab0-\u1aff\u20d0-\u20ff]/g

/** A text that is not all ASCII, folded to it as far as anybody does. */
export function foldToAscii(text: string): string {
  const byUnits = foldedByUnits(text)
  const compatible = byUnits?.folded ?? foldedAtOnce(text)
  return (byUnits === undefined || byUnits.mayBeMixed) && MIXED_WORD.test(compatible)
    ? compatible.replace(ALIKE_LETTER, (letter) => ALIKE.get(letter) ?? letter)
    : compatible
}

const foldedAtOnce = (text: string): string =>
  text
    .replace(SIGN, (sign) => SIGNS.get(sign) ?? sign)
    .normalize('NFKC')
    .replace(ACCENTED, baseLetter)
    .replace(MARK, '')

/** What folding does to a unit: bits, of which each that was asked about has one. */
const UNIT = { same: 1, changed: 2, ofMixedWords: 4, dependsOnOthers: 8 } as const
const units = new Uint8Array(0x10000)
const changedUnits = new Map<number, string>()
/** What may become one letter with others: marks, the letters of Korean ones, halves of a letter. */
const DEPENDS_ON_OTHERS = /[\p{M}\p{Surrogate}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u
const OF_MIXED_WORDS = /[\u0370-\u058f]/

/** The same unit by unit, which takes a tenth of the time; undefined where one depends on others. */
function foldedByUnits(text: string): { folded: string; mayBeMixed: boolean } | undefined {
  let folded = ''
  let start = 0
  let all = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x80) continue
    const unit = units[code] || askedUnit(code)
    all |= unit
    if (unit === UNIT.same) continue
    if (unit === UNIT.dependsOnOthers) return undefined
    if ((unit & UNIT.changed) === 0) continue
    folded += text.slice(start, at) + (changedUnits.get(code) ?? '')
    start = at + 1
  }
  return { folded: folded + text.slice(start), mayBeMixed: (all & UNIT.ofMixedWords) !== 0 }
}

function askedUnit(code: number): number {
  const unit = String.fromCharCode(code)
  const folded = foldedAtOnce(unit)
  const isChanged = folded !== unit
  // Only with what stands before it may the first of several become another letter.
  const [first = ''] = unit.normalize('NFKC')
  const dependsOnOthers = DEPENDS_ON_OTHERS.test(unit) || DEPENDS_ON_OTHERS.test(first)
  if (isChanged && !dependsOnOthers) changedUnits.set(code, folded)
  const kind = isChanged ? UNIT.changed : UNIT.same
  const known = dependsOnOthers
    ? UNIT.dependsOnOthers
    : kind | (OF_MIXED_WORDS.test(folded) ? UNIT.ofMixedWords : 0)
  units[code] = known
  return known
}

const baseLetters = new Map<string, string>()

/** A letter without its accents. There are some hundreds that have one. */
function baseLetter(letter: string): string {
  const known = baseLetters.get(letter)
  if (known !== undefined) return known
  const base = letter.normalize('NFD').slice(0, 1)
  baseLetters.set(letter, base)
  return base
}
