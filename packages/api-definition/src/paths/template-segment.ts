/** One segment of a path template: names of parameters between texts, as in `{id}.json`. */

export interface PathSegment {
  /** What is before the first parameter, between them, and behind the last; one alone where there is no parameter. */
  readonly texts: readonly string[]
  readonly names: readonly string[]
}

const PARAMETER = /\{([^{}]*)\}/g

export function parseSegment(segment: string): PathSegment {
  const names = Array.from(segment.matchAll(PARAMETER), ([, name = '']) => name)
  return { texts: segment.replace(PARAMETER, '\0').split('\0').map(plainText), names }
}

/** As text that was not escaped, which is what paths are compared as. */
function plainText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The values of the parameters in a segment; undefined where it is not of the template. Each parameter ends where the text behind it
 * comes first, so that no segment is looked at twice; none is empty.
 */
export function valuesIn({ texts, names }: PathSegment, segment: string): string[] | undefined {
  const [first = '', ...rest] = texts
  if (!segment.startsWith(first)) return undefined
  const values: string[] = []
  let at = first.length
  for (const [index, text] of rest.entries()) {
    const isLast = index === rest.length - 1
    const end = isLast ? lastEnd(segment, text) : text === '' ? at + 1 : segment.indexOf(text, at + 1)
    if (end <= at) return undefined
    values.push(segment.slice(at, end))
    at = end + text.length
  }
  return names.length > 0 || at === segment.length ? values : undefined
}

const lastEnd = (segment: string, text: string): number =>
  segment.endsWith(text) ? segment.length - text.length : -1
