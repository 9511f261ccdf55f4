/**
 * Some frameworks let a request replace its own method or path. The replaced request must not get past a rule that the
 * plain one would fall under, so both are judged.
 */
import type { ReceivedRequest } from '../../exchange.ts'

/** Headers by which a POST asks to be taken for another method (Rails, Symfony, ASP.NET, Google's APIs). */
const METHOD_HEADERS: ReadonlySet<string> = new Set([
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
])
/** Headers by which a request asks for another path (IIS rewriting, Symfony and Zend before 2018). */
const TARGET_HEADERS: ReadonlySet<string> = new Set(['x-original-url', 'x-rewrite-url'])
const METHOD_PARAMETER = /[?&]_method=([A-Za-z-]{1,32})/g

/** Every method that the origin may take the request for. */
export function judgedMethods(request: ReceivedRequest): string[] {
  const methods = [request.method]
  for (const value of valuesOf(request, METHOD_HEADERS)) methods.push(value.trim())
  if (request.target.includes('_method='))
    for (const match of request.target.matchAll(METHOD_PARAMETER)) methods.push(match[1] ?? '')
  return methods
}

/** Every target that the origin may take the request for. */
export const judgedTargets = (request: ReceivedRequest): string[] => [
  request.target,
  ...valuesOf(request, TARGET_HEADERS),
]

function valuesOf(request: ReceivedRequest, names: ReadonlySet<string>): string[] {
  const values: string[] = []
  const { rawHeaders } = request
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    // All of these names begin with an x, so that most headers cost one comparison.
    if ((name.charCodeAt(0) | 0x20) !== 0x78) continue
    if (names.has(name.toLowerCase())) values.push(rawHeaders[index + 1] ?? '')
  }
  return values
}
