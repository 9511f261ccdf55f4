/**
 * What libddwaf's transformations do to a text, as far as it says what cannot match in the result. A text that holds
 * nothing which a transformation changes stays as it is, but for the case of its letters. Of some transformations it is also
 * known what they make of a text, up to letters that may be there or not; of the others every change is unknown.
 */

/** What transformations, one after the other, do to a text. */
export interface Transformation {
  /** Matches in every text that they may change. */
  readonly changes: RegExp
  /** The result, but for case and for `blurred`; undefined where it is not known. */
  readonly apply: ((text: string) => string) | undefined
  /** Letters of which the result may hold more, fewer or others of these. */
  readonly blurred: string
}

/** Matches in no text. */
export const UNCHANGED = /(?!)/

const known = (changes: RegExp, apply: (text: string) => string, blurred = ''): Transformation => ({
  changes,
  apply,
  blurred,
})
const unknown = (changes: RegExp): Transformation => ({ changes, apply: undefined, blurred: '' })

/** What comes out of one escape may be the beginning of another. */
const urlDecode = unknown(/[%+]/)

/** Letters of scripts that are no ASCII however they are normalized. */
const OTHER_SCRIPTS = String.raw`\u0391-\u03a9\u03b1-\u03c9\u0410-\u044f\u05d0-\u05ea\u0621-\u064a\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3`

const SEPARATORS = ' ,;\t\n\r\v\f'
const PATH = /\/\/|\.\/|\/\.|^\.\.?$/

const TRANSFORMATIONS: Readonly<Record<string, Transformation>> = {
  lowercase: known(UNCHANGED, (text) => text),
  removeNulls: known(/\0/, (text) => text.replaceAll('\0', '')),
  urlDecode,
  urlDecodeUni: urlDecode,
  // Quotes, carets and backslashes go; what separates words becomes a blank, or nothing before slash and parenthesis.
  cmdLine: known(
    /["'^\\,;]|\s[\s/(]|[^\S ]/,
    (text) => text.replace(/["'^\\]/g, '').replace(/[ ,;\t\n\r\v\f]+(?=[/(])/g, ''),
    SEPARATORS,
  ),
  compressWhiteSpace: known(/\s\s|[^\S ]/, (text) => text, SEPARATORS),
  htmlEntityDecode: unknown(/&/),
  jsDecode: unknown(/\\/),
  cssDecode: unknown(/\\/),
  normalizePath: unknown(PATH),
  normalizePathWin: unknown(new RegExp(`${PATH.source}|\\\\`)),
  removeComments: unknown(/[#*]|--|<!/),
  unicode_normalize: unknown(new RegExp(`[^\\x00-\\x7f${OTHER_SCRIPTS}]`)),
}

const chains = new Map<string, Transformation | undefined>()

/** What transformations do one after the other; undefined where one of them is not known. */
export function transformationOf(names: readonly string[]): Transformation | undefined {
  // What changes only case, twice over, or nothing, makes no other text.
  const key = names.filter((name) => name !== 'lowercase').join()
  if (!chains.has(key)) chains.set(key, chained(key === '' ? [] : key.split(',')))
  return chains.get(key)
}

function chained(names: readonly string[]): Transformation | undefined {
  const all: Transformation[] = []
  for (const name of names) {
    const one = TRANSFORMATIONS[name]
    if (!one) return undefined
    all.push(one)
  }
  const applied = all.map(({ apply }) => apply)
  return {
    changes: all.length === 0 ? UNCHANGED : new RegExp(all.map(({ changes }) => changes.source).join('|')),
    apply: applied.includes(undefined)
      ? undefined
      : (text) => applied.reduce((before, apply) => apply?.(before) ?? before, text),
    blurred: all.map(({ blurred }) => blurred).join(''),
  }
}
