/** Disguises of single characters: escapes, foreign letters, what decoders drop. Each takes a text and answers the disguised one. */

const each = (text: string, change: (character: string, code: number, index: number) => string): string =>
  Array.from(text, (character, index) => change(character, character.codePointAt(0) ?? 0, index)).join('')
const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0')
const bytesOf = (text: string): number[] => [...Buffer.from(text)]

export const percent = (text: string): string =>
  bytesOf(text)
    .map((byte) => `%${hex(byte, 2)}`)
    .join('')
/** The percent sign of each escape escaped again, which is how it is done by hand. */
const again = (text: string): string => text.replaceAll('%', '%25')

const utf16Percent = (text: string): string =>
  text.replace(/[\s\S]/g, (unit) => `%u${hex(unit.charCodeAt(0), 4)}`)

/** Two bytes, or three, where one is enough; text that is not ASCII stays as it is. */
const overlong = (text: string, bytes: 2 | 3): string =>
  each(text, (character, code) => {
    if (code > 0x7f) return percent(character)
    const tail = `%${hex(0x80 | (code & 0x3f), 2)}`
    return bytes === 2 ? `%${hex(0xc0 | (code >> 6), 2)}${tail}` : `%e0%${hex(0x80 | (code >> 6), 2)}${tail}`
  })

const inWords = (text: string, piece: string): string => text.replace(/(?<=[A-Za-z])(?=[A-Za-z])/g, piece)
const atSigns = (text: string, piece: string): string => text.replace(/(?=[^\w\s])/g, piece)

/** Characters that a conversion to a smaller character set turns into the ASCII one (best-fit mapping of code pages). */
const BEST_FIT: Readonly<Record<string, string>> = {
  "'": '\u02bc',
  '"': '\u02ba',
  '<': '\u3008',
  '>': '\u3009',
  '/': '\u2215',
  '\\': '\u2216',
  '|': '\u2223',
  '-': '\u2010',
  ';': '\u037e',
  ':': '\u2236',
  '*': '\u2217',
  '`': '\u2035',
  '^': '\u02c4',
  _: '\u02cd',
  '~': '\u223c',
}
const ACCENTED: Readonly<Record<string, string>> = {
  a: '\u0101',
  c: '\u0107',
  e: '\u0113',
  i: '\u012b',
  n: '\u0144',
  o: '\u014d',
  s: '\u015b',
  u: '\u016b',
  l: '\u013a',
  r: '\u0155',
}
const LOOK_ALIKE: Readonly<Record<string, string>> = {
  a: '\u0430',
  c: '\u0441',
  e: '\u0435',
  i: '\u0456',
  o: '\u043e',
  p: '\u0440',
  s: '\u0455',
  x: '\u0445',
  y: '\u0443',
}
const mapped = (text: string, table: Readonly<Record<string, string>>): string =>
  each(text, (character) => table[character] ?? character)

const ENTITIES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '(': '&lpar;',
  ')': '&rpar;',
  ':': '&colon;',
  '/': '&sol;',
  '=': '&equals;',
  ';': '&semi;',
  '.': '&period;',
  '*': '&ast;',
  '|': '&vert;',
  '\\': '&bsol;',
  $: '&dollar;',
  '{': '&lbrace;',
  '}': '&rbrace;',
  ',': '&comma;',
}

const fullWidth = (text: string): string =>
  each(text, (character, code) =>
    code > 0x20 && code < 0x7f ? String.fromCodePoint(code + 0xfee0) : character,
  )

/** By kind, the disguised text, which is put into a value as it is. */
export const OF_TEXT: Readonly<Record<string, (text: string) => string>> = {
  'entities, decimal': (text) => each(text, (_, code) => `&#${code};`),
  'entities, hexadecimal': (text) => each(text, (_, code) => `&#x${hex(code, 1)};`),
  'entities, padded and without semicolon': (text) =>
    each(text, (_, code) => `&#${String(code).padStart(7, '0')}`),
  'entities, named': (text) => mapped(text, ENTITIES),
  'entities, twice': (text) => each(text, (_, code) => `&amp;#${code};`),
  'escapes, \\x': (text) =>
    each(text, (character, code) => (code < 0x100 ? `\\x${hex(code, 2)}` : character)),
  'escapes, \\u': (text) => text.replace(/[\s\S]/g, (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`),
  'escapes, \\u{}': (text) => each(text, (_, code) => `\\u{${hex(code, 1)}}`),
  'escapes, octal': (text) =>
    each(text, (character, code) => (code < 0x80 ? `\\${code.toString(8).padStart(3, '0')}` : character)),
  'full-width': fullWidth,
  'best-fit signs': (text) => mapped(text, BEST_FIT),
  'best-fit letters': (text) => mapped(text, ACCENTED),
  'look-alike letters': (text) => mapped(text, LOOK_ALIKE),
  'zero-width space in words': (text) => inWords(text, '\u200b'),
  'zero-width joiner at signs': (text) => atSigns(text, '\u200d'),
  'soft hyphen in words': (text) => inWords(text, '\u00ad'),
  'byte order mark in words': (text) => inWords(text, '\ufeff'),
  'percent within the value': percent,
  'plus as blank within the value': (text) => text.replaceAll(' ', '+'),
}

/** By kind, the disguised text as it stands in a query or a form, where it is not escaped again. */
export const OF_WIRE: Readonly<Record<string, (text: string) => string>> = {
  'percent once': percent,
  'percent twice': (text) => again(percent(text)),
  'percent thrice': (text) => again(again(percent(text))),
  'percent twice, all': (text) => percent(percent(text)),
  '%u': utf16Percent,
  '%u, full-width': (text) => utf16Percent(fullWidth(text)),
  'overlong UTF-8, two bytes': (text) => overlong(text, 2),
  'overlong UTF-8, three bytes': (text) => overlong(text, 3),
  'overlong UTF-8, escaped twice': (text) => again(overlong(text, 2)),
  'broken UTF-8 in words': (text) => splitBy(text, '%80', inWords),
  'broken UTF-8 at signs': (text) => splitBy(text, '%ff', atSigns),
  'plus as blank, escaped': (text) => percent(text).replaceAll('%20', '%2b'),
  'NUL in words': (text) => splitBy(text, '%00', inWords),
  'NUL at signs': (text) => splitBy(text, '%00', atSigns),
  'NUL before': (text) => `x%00${percent(text)}`,
}

const MARK = '\u{10ffff}'
/** Puts an escape that is no text between the characters of a text that is escaped. */
const splitBy = (text: string, piece: string, where: (text: string, piece: string) => string): string =>
  percent(where(text, MARK)).replaceAll(percent(MARK), piece)

/** By kind, what only some languages read in the same way. */
export const OF_LANGUAGE: Readonly<
  Record<string, { readonly languages: readonly string[]; disguise(text: string): string }>
> = {
  'comments as blanks': { languages: ['sql'], disguise: (text) => text.replaceAll(' ', '/**/') },
  'comments with text as blanks': { languages: ['sql'], disguise: (text) => text.replaceAll(' ', '/*a b*/') },
  'version comments': {
    languages: ['sql'],
    disguise: (text) => text.replace(/\b(?:union|select|from|or|and|order|drop)\b/g, '/*!50000$&*/'),
  },
  'comments to the line end as blanks': {
    languages: ['sql'],
    disguise: (text) => text.replace(/ (?!-|$)/g, '--a\n'),
  },
  'other blanks': {
    languages: ['sql', 'shell', 'markup'],
    disguise: (text) => text.replaceAll(' ', '\t').replace(/\t(?=select|onerror)/g, '\v'),
  },
  'mixed case': {
    languages: ['sql', 'markup'],
    disguise: (text) =>
      each(text, (character, _, index) => (index % 2 ? character.toUpperCase() : character)),
  },
}
