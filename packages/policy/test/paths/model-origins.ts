/**
 * Models of origins: sequences of the steps by which servers, frameworks and file systems arrive at a path. Written on
 * the platform's own parsers and on plain loops, apart from the steps that the policy package tries.
 */
import { posix } from 'node:path'

type Step = (text: string) => string

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')
const isLatin1 = (text: string): boolean => /^[\0-\xff]*$/.test(text)

/** Percent-decodes by hand, leaving what `keep` says. */
function decode(text: string, keep: (byte: number) => boolean): string {
  let out = ''
  for (let index = 0; index < text.length; index += 1) {
    const byte = text[index] === '%' ? Number.parseInt(text.slice(index + 1, index + 3), 16) : Number.NaN
    const whole = /^%[0-9a-fA-F]{2}/.test(text.slice(index, index + 3))
    if (!whole || keep(byte)) out += text[index]
    else {
      out += String.fromCharCode(byte)
      index += 2
    }
  }
  return out
}

const decodeUri: Step = (text) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const whatwg: Step = (text) => {
  try {
    return new URL(text, 'http://origin.example/').pathname
  } catch {
    return text
  }
}

const upTo =
  (mark: string): Step =>
  (text) =>
    text.split(mark, 1)[0] ?? ''

/** The overlong forms of the characters that matter, spelled out. */
const OVERLONG: readonly (readonly [string, string])[] = [
  ['\xc0\xaf', '/'],
  ['\xe0\x80\xaf', '/'],
  ['\xf0\x80\x80\xaf', '/'],
  ['\xc0\xae', '.'],
  ['\xe0\x80\xae', '.'],
  ['\xc1\x9c', '\\'],
  ['\xc1\xa1', 'a'],
]
const overlong: Step = (text) => OVERLONG.reduce((result, [from, to]) => result.replaceAll(from, to), text)

/** Whether a text is letters with something in parentheses each, all in parentheses: `(S(x))`, `(A(x)F(y))`. */
function isCookieless(text: string): boolean {
  if (!text.startsWith('(') || !text.endsWith('))')) return false
  return text
    .slice(1, -2)
    .split(')')
    .every((part) => part[1] === '(' && /[a-z]/i.test(part[0] ?? ''))
}

/** Segments that hold a session of ASP.NET dropped; what follows one in its segment is joined to the segment before. */
const cookieless: Step = (text) =>
  text.split('/').reduce((path, segment, index) => {
    const end = segment.indexOf('))') + 2
    if (index > 0 && isCookieless(segment.slice(0, end))) return path + segment.slice(end)
    return index === 0 ? segment : `${path}/${segment}`
  }, '')

const streamsCut: Step = (text) =>
  text
    .split('/')
    .map((segment) =>
      segment.includes(':$') ? (segment.split(':$', 1)[0] ?? '').replace(/:$/, '') : segment,
    )
    .join('/')

export const STEPS: Readonly<Record<string, Step>> = {
  decode: (text) => decode(text, () => false),
  'decode but slashes': (text) => decode(text, (byte) => byte === 0x2f),
  'decode unreserved': (text) => decode(text, (byte) => !/[\w.~-]/.test(String.fromCharCode(byte))),
  decodeURIComponent: decodeUri,
  'new URL': whatwg,
  normalize: (text) => posix.normalize(text),
  // Varnish and HAProxy, before anything else.
  'absolute form': (text) => text.replace(/^https?:\/\/[^/]*/, ''),
  'query cut': upTo('?'),
  'fragment cut': upTo('#'),
  'NUL cut': upTo('\0'),
  'semicolon cut': upTo(';'),
  'parameters cut': (text) => text.split('/').map(upTo(';')).join('/'),
  'slashes merged': (text) => text.split(/\/+/).join('/'),
  backslashes: (text) => text.split('\\').join('/'),
  'UTF-8': (text) => (isLatin1(text) ? bytesOf(text).toString('utf8') : text),
  overlong,
  NFKC: (text) => text.normalize('NFKC'),
  '%u': (text) =>
    text.replace(/%u([0-9a-fA-F]{4})/g, (_, digits) => String.fromCodePoint(Number.parseInt(digits, 16))),
  'lower case': (text) => text.toLowerCase(),
  'upper case': (text) => text.toUpperCase(),
  'cookieless dropped': cookieless,
  'streams cut': streamsCut,
  'ends trimmed': (text) =>
    text
      .split('/')
      .map((segment) => (/^\.+$/.test(segment) ? segment : segment.replace(/[. ]+$/, '')))
      .join('/'),
}

/** Steps that undo a layer of escapes: a plausible origin takes two of them. */
const DECODING: ReadonlySet<string> = new Set([
  'decode',
  'decode but slashes',
  'decode unreserved',
  'decodeURIComponent',
  '%u',
])
const DECODINGS_MAX = 2
const STEPS_MAX = 7

export interface ModelOrigin {
  readonly steps: readonly string[]
  /** The segments that it arrives at, in lower case. */
  resolve(target: string): string[]
}

function modelOrigin(steps: readonly string[]): ModelOrigin {
  return {
    steps,
    resolve(target) {
      const text = steps.reduce((result, step) => STEPS[step]?.(result) ?? result, target)
      // In the end there is a file system or a router, which resolves what is left of dots and ignores case.
      return posix
        .normalize(`/${text}`)
        .toLowerCase()
        .split('/')
        .filter((segment) => segment !== '')
    },
  }
}

/** An origin of random steps in random order. */
export function randomOrigin(random: () => number): ModelOrigin {
  const names = Object.keys(STEPS)
  const steps: string[] = []
  let decodings = 0
  for (let left = 1 + Math.floor(random() * STEPS_MAX); left > 0; left -= 1) {
    const name = names[Math.floor(random() * names.length)] ?? ''
    if (DECODING.has(name)) decodings += 1
    if (!DECODING.has(name) || decodings <= DECODINGS_MAX) steps.push(name)
  }
  return modelOrigin(steps)
}

/** What common stacks do. */
export const KNOWN_ORIGINS: readonly ModelOrigin[] = [
  ['query cut', 'decode', 'slashes merged', 'normalize'],
  ['query cut', 'decodeURIComponent', 'normalize'],
  ['new URL', 'decodeURIComponent'],
  ['new URL', 'decodeURIComponent', 'backslashes', 'normalize'],
  ['query cut', 'parameters cut', 'decode', 'normalize'],
  ['query cut', 'decode', 'parameters cut', 'normalize'],
  ['query cut', 'decode', 'decode', 'backslashes', 'normalize', 'ends trimmed'],
  ['query cut', 'decode', '%u', 'overlong', 'backslashes', 'normalize', 'ends trimmed'],
  ['query cut', 'decode', 'UTF-8', 'NFKC', 'normalize'],
  ['query cut', 'decode', 'NUL cut', 'normalize'],
  ['normalize', 'query cut', 'decode'],
  ['query cut', 'cookieless dropped', 'decode', 'backslashes', 'normalize', 'streams cut', 'ends trimmed'],
  ['query cut', 'decode', 'cookieless dropped', 'backslashes', 'streams cut', 'normalize'],
  ['query cut', 'decode but slashes', 'normalize', 'decode'],
  ['absolute form', 'query cut', 'decode', 'normalize'],
].map(modelOrigin)
