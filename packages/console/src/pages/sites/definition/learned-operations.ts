/** The learned operations of an API definition, with the evidence for each. */

export interface ShownOperation {
  readonly method: string
  readonly path: string
  readonly isCandidate: boolean
  readonly requests: number
  readonly covered: number
  readonly researchers: number
  /** ISO 8601, or null where it is not known. */
  readonly lastSeen: string | null
}

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** In the order of the document, candidates last; none of a document that was uploaded. */
export function learnedOperations(document: unknown): ShownOperation[] {
  const paths = isObject(document) && isObject(document.paths) ? document.paths : {}
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {}).flatMap(([method, operation]) =>
      shownOperation(method, path, operation),
    ),
  )
  return operations.sort((left, right) => Number(left.isCandidate) - Number(right.isCandidate))
}

function shownOperation(method: string, path: string, operation: unknown): ShownOperation[] {
  if (!isObject(operation) || typeof operation['x-sallyport-state'] !== 'string') return []
  const evidence = isObject(operation['x-sallyport-evidence']) ? operation['x-sallyport-evidence'] : {}
  const number = (name: string): number => (typeof evidence[name] === 'number' ? evidence[name] : 0)
  return [
    {
      method: method.toUpperCase(),
      path,
      isCandidate: operation['x-sallyport-state'] === 'candidate',
      requests: number('requests'),
      covered: number('covered'),
      researchers: number('researchers'),
      lastSeen: typeof evidence.lastSeen === 'string' ? evidence.lastSeen : null,
    },
  ]
}
