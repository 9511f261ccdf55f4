/** The shape of a request target: its path with types in the place of identifiers. */
import { plainShape } from './plain-shape.ts'
import { SEGMENT_TYPES, type SegmentType, typeOfSegment } from './segments.ts'
import { DEPTH_MAX, PATH_CHARS_MAX } from './shape-limits.ts'

export type RequestShape =
  | { readonly kind: 'route'; readonly shape: string }
  /** Asked for what no API has: a control. `directory` is what stands before that, as a shape. */
  | { readonly kind: 'odd'; readonly directory: string }

const CONTROL_DEPTH_MAX = 3

/** The shape of a request target as it was sent: origin form or absolute form, with or without a query. */
export function shapeOf(target: string): RequestShape {
  const shape = plainShape(target)
  return shape === undefined ? readShape(target) : { kind: 'route', shape }
}

/** The same by a closer look. */
export function readShape(target: string): RequestShape {
  const path = pathOf(target)
  if (!path.startsWith('/') || path.length > PATH_CHARS_MAX) return { kind: 'odd', directory: '' }
  const raw = path.slice(1).split('/')
  const shape: string[] = []
  let before = ''
  for (const [index, encoded] of raw.entries()) {
    const segment = decode(encoded)
    const isEmptyInside = segment === '' && index < raw.length - 1
    const type =
      segment === undefined || isEmptyInside || index >= DEPTH_MAX ? 'odd' : typeOfSegment(segment, before)
    if (type === 'odd') return { kind: 'odd', directory: joined(shape.slice(0, CONTROL_DEPTH_MAX)) }
    before = segment ?? ''
    shape.push(type ? `{${type}}` : before)
  }
  return { kind: 'route', shape: joined(shape) }
}

/** The segments of a shape; those of `/` are none. */
export const segmentsOf = (shape: string): string[] => (shape.length < 2 ? [] : shape.slice(1).split('/'))

const TYPE_OF = new Map<string, SegmentType>(SEGMENT_TYPES.map((type) => [`{${type}}`, type]))

/** The type that a segment of a shape stands for; nothing for a word. */
export const typeInShape = (segment: string): SegmentType | undefined => TYPE_OF.get(segment)

const joined = (segments: readonly string[]): string =>
  segments.length === 0 ? '' : `/${segments.join('/')}`

function pathOf(target: string): string {
  const end = target.search(/[?#]/)
  const path = end === -1 ? target : target.slice(0, end)
  if (path.startsWith('/')) return path
  return /^https?:\/\/[^/]*(\/.*)?$/i.exec(path)?.[1] ?? ''
}

/** Decoded once. What is not UTF-8, or still has an escape in it, is nothing that an API names. */
function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
