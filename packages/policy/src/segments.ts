/** How a reading, or an operator's prefix, is cut into the segments that are compared. */
import {
  compatibilityFold,
  foldBackslashes,
  looseUtf8Decode,
  mergeSlashes,
  percentDecode,
  resolveDotSegments,
} from './transforms.ts'

/**
 * A segment without what file systems ignore (dots and spaces at its end, the stream name of NTFS), with its case
 * folded. Upper case first, because some letters only meet there: U+017F and s, U+0131 and i.
 */
function foldSegment(segment: string): string {
  const bare = segment.replace(/::\$.*$/, '')
  const cut = /^\.+$/.test(bare) ? bare : bare.replace(/[. ]+$/, '')
  return cut.toUpperCase().toLowerCase()
}

/** The segments of a path, folded, without empty ones. */
export const segmentsOf = (path: string): string[] =>
  path.split('/').flatMap((segment) => (segment === '' ? [] : [foldSegment(segment)]))

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
  percentDecode,
  foldBackslashes,
  mergeSlashes,
  resolveDotSegments,
  looseUtf8Decode,
  compatibilityFold,
]
