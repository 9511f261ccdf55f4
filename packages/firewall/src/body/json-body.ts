/**
 * Reads the values of a JSON body. A scanner and not `JSON.parse`, because what is judged must be what any origin could
 * read: every one of repeated keys, everything before a syntax error, text of a body that was cut, at any depth,
 * without recursion and without building the tree.
 */
import { isBlank } from '../decoding/signs.ts'
import type { Steps } from '../slices.ts'
import type { BodySink } from './body-sink.ts'

const STEP_CHARS_MAX = 64
const PREFIX_CHARS_MAX = 192
/** Brackets, commas and values together. */
const TOKENS_PER_STEP = 256

/** One level of nesting: the name of the current member, or the index of the current element. */
interface Level {
  readonly isArray: boolean
  /** Path of the object or array. */
  readonly prefix: string
  name: string
  index: number
}

/** Shows every string, number and name to `sink`. False where the text is not well-formed JSON to its end. */
export function* readJson(text: string, sink: BodySink): Steps<boolean> {
  const levels: Level[] = []
  let wellFormed = true
  let expectsName = false
  let tokens = 0
  for (let at = 0; at < text.length; ) {
    if (++tokens % TOKENS_PER_STEP === 0) yield
    const code = text.charCodeAt(at)
    const level = levels.at(-1)
    if (code === QUOTE) {
      const end = stringEnd(text, at)
      const value = unescaped(text.slice(at + 1, end))
      if (end >= text.length) wellFormed = false
      if (expectsName && level) {
        level.name = value
        expectsName = false
        sink.name(pathOf(level), value)
      } else sink.value(pathOf(level), value)
      at = end + 1
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      levels.push({ isArray: code === OPEN_ARRAY, prefix: pathOf(level), name: '', index: 0 })
      expectsName = code === OPEN_OBJECT
      at++
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      if (!level || level.isArray !== (code === CLOSE_ARRAY)) wellFormed = false
      levels.pop()
      expectsName = false
      at++
    } else if (code === COMMA) {
      if (level?.isArray) level.index++
      expectsName = level !== undefined && !level.isArray
      at++
    } else if (code === COLON || isBlank(code)) at++
    else {
      const end = literalEnd(text, at)
      const literal = text.slice(at, end)
      if (!LITERAL.test(literal)) wellFormed = false
      if (!WORDS.has(literal)) sink.value(pathOf(level), literal)
      at = end
    }
  }
  return wellFormed && levels.length === 0
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const BACKSLASH = 0x5c
const LITERAL_END = /[\s,:{}[\]"]/g
const LITERAL = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
const WORDS = new Set(['true', 'false', 'null'])

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  return text.length
}

function literalEnd(text: string, start: number): number {
  LITERAL_END.lastIndex = start + 1
  return LITERAL_END.exec(text)?.index ?? text.length
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g
const SINGLE: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }
/** A string without the escapes of JSON. */
export const unescaped = (text: string): string =>
  text.includes('\\')
    ? text.replace(ESCAPE, (_, unit?: string, single?: string) =>
        unit === undefined
          ? (SINGLE[single ?? ''] ?? single ?? '')
          : String.fromCharCode(Number.parseInt(unit, 16)),
      )
    : text

/** `user.name[0]`; of very deep nesting the outermost levels. */
function pathOf(level: Level | undefined): string {
  if (!level) return ''
  if (level.prefix.length > PREFIX_CHARS_MAX) return level.prefix
  if (level.isArray) return `${level.prefix}[${level.index}]`
  return `${level.prefix}${level.prefix === '' ? '' : '.'}${level.name.slice(0, STEP_CHARS_MAX)}`
}
