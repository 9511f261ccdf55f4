/** How the routes of an API begin, so that what lies elsewhere need not be told apart when it is counted. */
import { percentDecodeStrictly } from '@sallyport/policy'
import type { RouteBeginnings } from '../../traffic-store/rows/recorded-coverage.ts'
import type { DefinedOperation } from './defined-operation.ts'

const SEGMENTS_MAX = 2
/** Altogether, so that they fit into a question. */
const CHARS_MAX = 50_000

/** Undefined where a template begins with a parameter, or there are too many. */
export function beginningsOf(operations: readonly DefinedOperation[]): RouteBeginnings | undefined {
  const templates = operations.flatMap(({ template }) => writtenAndDecoded(template)).map(segmentsOf)
  const segments = Math.min(SEGMENTS_MAX, ...templates.map(literalsOf))
  if (segments < 1 || templates.length === 0) return undefined
  const beginnings = [...new Set(templates.map((template) => `/${template.slice(0, segments).join('/')}`))]
  const chars = beginnings.reduce((sum, beginning) => sum + beginning.length, 0)
  return chars <= CHARS_MAX ? { segments, beginnings } : undefined
}

/** A gateway records a template as it is written, and a path without its escapes. */
const writtenAndDecoded = (template: string): string[] =>
  template.includes('%') ? [template, percentDecodeStrictly(template) ?? template] : [template]

/** A slash at the end makes no difference between routes. */
const segmentsOf = (template: string): string[] =>
  (template.length > 1 && template.endsWith('/') ? template.slice(0, -1) : template).split('/').slice(1)

/** How many segments stand before the first parameter. */
function literalsOf(segments: readonly string[]): number {
  const parameter = segments.findIndex((segment) => segment.includes('{'))
  return parameter === -1 ? segments.length : parameter
}
