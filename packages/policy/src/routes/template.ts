/** Path templates of operations, such as `/orders/{id}/lines`, read into their segments. */
import { percentDecodeStrictly } from '../paths/percent-decoding.ts'

/** A segment that is a parameter, whatever it is called. */
export const PARAMETER = Symbol('parameter')

/**
 * A segment with parameters and other characters in it, such as `{name}.json`: what stands before the first parameter, between them and
 * behind the last one. Each parameter takes a character at least.
 */
export interface PartialSegment {
  readonly texts: readonly string[]
  /** The same for the same segment under other names. */
  readonly key: string
}

/** A segment: a word, a whole parameter, or a word with parameters in it. */
export type TemplateSegment = string | typeof PARAMETER | PartialSegment

export const TEMPLATE_CHARS_MAX = 1_024
export const TEMPLATE_SEGMENTS_MAX = 64

/** What no path of a template may contain: controls, and what would begin a query or fragment or be a backslash. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NOT_IN_TEMPLATES = /[\u0000-\u001f\u007f-\u009f?#\\\u2028\u2029]/

/** What two templates share that differ in the names of their parameters alone. */
export const templateShape = (template: string): string => template.replaceAll(/\{[^{}]*\}/g, '{}')

/** The segments of a template; undefined where it is none. Escapes in words are undone, as they are in the paths that are matched. */
export function readTemplate(template: string): readonly TemplateSegment[] | undefined {
  if (!template.startsWith('/') || template.length > TEMPLATE_CHARS_MAX) return undefined
  if (NOT_IN_TEMPLATES.test(template)) return undefined
  const texts = template.slice(1).split('/')
  if (texts.length > TEMPLATE_SEGMENTS_MAX) return undefined
  const segments: TemplateSegment[] = []
  for (const text of texts) {
    const segment = readSegment(text)
    if (segment === undefined) return undefined
    segments.push(segment)
  }
  return segments
}

function readSegment(text: string): TemplateSegment | undefined {
  const texts: string[] = []
  let start = 0
  for (;;) {
    const open = text.indexOf('{', start)
    const before = text.slice(start, open === -1 ? text.length : open)
    if (before.includes('}')) return undefined
    const decoded = percentDecodeStrictly(before) ?? before
    // An escaped slash is part of no segment of a path that was decoded.
    if (decoded.includes('/')) return undefined
    texts.push(decoded)
    if (open === -1) break
    const close = text.indexOf('}', open)
    if (close <= open + 1 || text.slice(open + 1, close).includes('{')) return undefined
    start = close + 1
  }
  if (texts.length === 1) return texts[0]
  return texts.length === 2 && texts.every((part) => part === '')
    ? PARAMETER
    : { texts, key: JSON.stringify(texts) }
}

/** Whether a segment of a path is one of these. Linear: what stands between parameters is looked for from the left, and never again. */
export function isPartOf(segment: string, { texts }: PartialSegment): boolean {
  const first = texts[0] ?? ''
  const last = texts[texts.length - 1] ?? ''
  if (!segment.startsWith(first) || !segment.endsWith(last)) return false
  let at = first.length
  for (let index = 1; index < texts.length - 1; index++) {
    const text = texts[index] ?? ''
    const found = segment.indexOf(text, at + 1)
    if (found === -1) return false
    at = found + text.length
  }
  return at + 1 <= segment.length - last.length
}

/** The order in which they are tried: what gives more of the segment first, and where as much is given always the same one. */
export const byExactness = (left: PartialSegment, right: PartialSegment): number =>
  givenChars(right) - givenChars(left) || (left.key < right.key ? -1 : 1)

const givenChars = ({ texts }: PartialSegment): number => texts.reduce((sum, text) => sum + text.length, 0)
