/** How an interpretation, or an operator's prefix, is cut into the segments that are compared. */
import { percentDecodeToBytes } from './percent-decoding.ts'
import {
  compatibilityFold,
  cutAtStream,
  foldBackslashes,
  looseUtf8Decode,
  mergeSlashes,
  resolveDotSegments,
} from './transforms.ts'

/**
 * The case of a text, folded so that letters are alike that are alike to some origin. By upper case, because some only meet there:
 * U+017F and s, U+0131 and i; and by lower case before, as U+1E9E has an upper case only then. Java's `Character.toLowerCase` and
 * Go's `strings.ToLower` make of U+0130 an i without the dot that JavaScript leaves.
 */
export const foldCase = (text: string): string =>
  text.toLowerCase().toUpperCase().toLowerCase().replaceAll('i\u0307', 'i')

/** A segment without what file systems ignore (dots and spaces at its end, the stream name of NTFS), with its case folded. */
const foldSegment = (segment: string): string => foldCase(withoutDotsAndSpaces(cutAtStream(segment)))

/** Without the dots and spaces at the end, but for a segment that is nothing but dots. Walks back once: linear. */
function withoutDotsAndSpaces(segment: string): string {
  let end = segment.length
  let onlyDots = true
  for (; end > 0; end -= 1) {
    const last = segment.charCodeAt(end - 1)
    if (last === SPACE) onlyDots = false
    else if (last !== DOT) return segment.slice(0, end)
  }
  return onlyDots ? segment : ''
}
const SPACE = 32
const DOT = 46

/** Walks the segments of a path, folded, without empty ones. Stops where `visit` returns false. */
export function eachSegment(path: string, visit: (segment: string) => boolean): void {
  for (let start = 0; start < path.length; ) {
    const slash = path.indexOf('/', start)
    const end = slash === -1 ? path.length : slash
    if (end > start && !visit(foldSegment(path.slice(start, end)))) return
    start = end + 1
  }
}

/** The segments of a path, folded, without empty ones. */
export function segmentsOf(path: string): string[] {
  const segments: string[] = []
  eachSegment(path, (segment) => segments.push(segment) > 0)
  return segments
}

/**
 * Walks the segments of a clean path, in lower case (which folds the case of ASCII), without making a list of them.
 * Stops where `visit` returns false.
 */
export function eachCleanSegment(path: string, visit: (segment: string) => boolean): void {
  const folded = path.toLowerCase()
  let start = 1
  while (start < folded.length) {
    const slash = folded.indexOf('/', start)
    const end = slash === -1 ? folded.length : slash
    if (!visit(folded.slice(start, end))) return
    start = end + 1
  }
}

/**
 * The segments of a prefix that an operator wrote (of a block rule, an exclusion, an override): decoded and resolved
 * once, as its author meant it.
 */
export function prefixSegments(prefix: string): string[] {
  const bytes = prefix.toWellFormed().replace(/[^\0-\x7f]+/g, encodeURIComponent)
  return segmentsOf(PREFIX_STEPS.reduce((text, apply) => apply(text), bytes))
}

const PREFIX_STEPS = [
  percentDecodeToBytes,
  foldBackslashes,
  mergeSlashes,
  resolveDotSegments,
  looseUtf8Decode,
  compatibilityFold,
]
