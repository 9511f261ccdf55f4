/** The shapes of ordinary targets, in one pass over their letters: most of what is asked for is words and numbers. */
import { NAMES_VERSIONS, type SegmentType, typeOfSegment } from './segments.ts'
import { DEPTH_MAX, PATH_CHARS_MAX } from './shape-limits.ts'

/** Of more letters than this, a word is looked at more closely. */
const WORD_CHARS_MAX = 40
const INTEGER_CHARS_MAX = 15
const DIGITS_CHARS_MAX = 32
/** Segments of more than this are rarely the same twice. */
const REMEMBERED_CHARS_MAX = 12
const REMEMBERED_MAX = 512

const SLASH = 0x2f
const END = -1

/** No such path is odd, whatever its segments are. */
const NEVER_ODD = /^(?:\/[\w-]{1,40}){1,15}\/?(?:[?#]|$)/

/** Whether the path of a target is certainly none that no API has; where this is false, it may still be one of an API. */
export const isPlainPath = (target: string): boolean => NEVER_ODD.test(target)

/**
 * The shape of a target of lower-case words, numbers and what is made of both, as `readShape` finds it. Undefined where it takes a closer look,
 * which says nothing of the target.
 */
export function plainShape(target: string): string | undefined {
  if (target.charCodeAt(0) !== SLASH) return undefined
  let shape = ''
  /** Up to where the shape has the target. */
  let copied = 0
  let start = 1
  let previous = 1
  let depth = 1
  let hasLetters = false
  let hasDigits = false
  for (let at = 1; at <= PATH_CHARS_MAX; at += 1) {
    const code = at < target.length ? target.charCodeAt(at) : END
    if (isLetter(code)) hasLetters = true
    else if (code >= 0x30 && code <= 0x39) hasDigits = true
    else if (code === SLASH || isEnd(code)) {
      if (at === start && code === SLASH) return undefined
      const type =
        hasDigits && at > start ? typeBetween(target, { previous, start, at, hasLetters }) : undefined
      if (type === 'odd' || (!hasDigits && at - start > WORD_CHARS_MAX)) return undefined
      if (type !== undefined) {
        shape += `${target.slice(copied, start)}{${type}}`
        copied = at
      }
      if (code !== SLASH) return copied === 0 ? target.slice(0, at) : shape + target.slice(copied, at)
      depth += 1
      if (depth > DEPTH_MAX) return undefined
      previous = start
      start = at + 1
      hasLetters = false
      hasDigits = false
    } else return undefined
  }
  return undefined
}

/** `a` to `z`, and what stands between words. */
const isLetter = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || code === 0x5f || code === 0x2d

/** The target's end, or that of its path. */
const isEnd = (code: number): boolean => code === END || code === 0x3f || code === 0x23

/** Where a segment with digits stands in a target, and where the one before it begins. */
interface Place {
  readonly previous: number
  readonly start: number
  readonly at: number
  readonly hasLetters: boolean
}

/** What a segment with digits stands for; undefined for a word, `odd` where it takes a closer look. */
function typeBetween(
  target: string,
  { previous, start, at, hasLetters }: Place,
): SegmentType | 'odd' | undefined {
  if (!hasLetters) {
    if (at - start > DIGITS_CHARS_MAX) return 'odd'
    if (at - start > INTEGER_CHARS_MAX) return 'digits'
    return at - start < 3 && NAMES_VERSIONS.test(target.slice(previous, start - 1)) ? undefined : 'integer'
  }
  const segment = target.slice(start, at)
  // Whether it is a negative number depends on what stands before it.
  if (segment.startsWith('-')) return 'odd'
  return segment.length > REMEMBERED_CHARS_MAX ? typeOfSegment(segment, '') : remembered(segment)
}

const types = new Map<string, SegmentType | 'odd' | undefined>()

function remembered(segment: string): SegmentType | 'odd' | undefined {
  const known = types.get(segment)
  if (known !== undefined || types.has(segment)) return known
  if (types.size >= REMEMBERED_MAX) types.clear()
  const type = typeOfSegment(segment, '')
  types.set(segment, type)
  return type
}
