/** Which documented operation a path belongs to, words before parameters. */
import type { ObservedRequest } from '@sallyport/api-learning'
import type { ApiDocument } from './documents.ts'

/** An honest answer of the operation that a path belongs to, if there is one: of a path that an API would take. */
export function matcherOf(document: ApiDocument, honest: readonly ObservedRequest[]) {
  const operations = document.operations.map(({ method, path, status }) => ({
    method,
    status,
    pattern: new RegExp(
      `^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`,
    ),
    words: path.split('/').filter((segment) => !segment.includes('{')).length,
  }))
  operations.sort((left, right) => right.words - left.words)
  const sample = honest.find(({ status }) => status < 300)
  const known = new Set(honest.map(({ target }) => target.split('?')[0]))
  return (method: string, target: string): ObservedRequest | undefined => {
    const [path = ''] = target.split('?')
    const operation = operations.find((one) => one.method === method && one.pattern.test(path))
    // A resource that is not there is not found, whatever its route.
    const isThere = known.has(path) || operation?.pattern.source.includes('[^/]+') === false
    return operation && sample && isThere ? { ...sample, status: operation.status } : undefined
  }
}
