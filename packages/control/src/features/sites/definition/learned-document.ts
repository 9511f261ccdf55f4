/** An OpenAPI 3.1 document of what was learned, each operation marked with its state and the evidence for it. */
import type { GivenParameter } from '../operations/given-operations.ts'
import type { SiteOperation } from '../operations/site-api.ts'

/** Candidates that are served: the rest of what few researchers asked for says little. */
const CANDIDATES_MAX = 500

type Json = Readonly<Record<string, unknown>>

/** The document; `title` is the site's. */
export function learnedDocument(
  title: string,
  operations: readonly SiteOperation[],
): Record<string, unknown> {
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: 'learned',
      description:
        'Learned from the traffic of the last 30 days: what several researchers were served, which is not all that there is. An operation marked as a candidate was served to too few of them.',
    },
    paths: pathsOf(served(operations)),
  }
}

/** What was learned, and of the candidates those with the most requests. */
function served(operations: readonly SiteOperation[]): readonly SiteOperation[] {
  const candidates = operations
    .filter(({ state }) => state === 'candidate')
    .sort((left, right) => (right.evidence?.requests ?? 0) - (left.evidence?.requests ?? 0))
  const left = new Set(candidates.slice(CANDIDATES_MAX))
  return operations.filter((operation) => !left.has(operation))
}

function pathsOf(operations: readonly SiteOperation[]): Record<string, Json> {
  const paths = new Map<string, Record<string, unknown>>()
  for (const operation of operations) {
    const item = paths.get(operation.template) ?? {}
    item[operation.method.toLowerCase()] = operationOf(operation)
    paths.set(operation.template, item)
  }
  return Object.fromEntries(paths)
}

/** An operation of OpenAPI 3 with its evidence. */
export function operationOf(operation: SiteOperation): Json {
  const { parameters, bodyTypes, state, evidence, statuses } = operation
  return {
    ...(parameters.length > 0 && { parameters: parameters.map(parameterOf) }),
    ...(bodyTypes.length > 0 && { requestBody: { content: contentOf(bodyTypes) } }),
    responses: Object.fromEntries(
      statuses.map((status) => [status, responseOf(status, operation.mediaTypes)]),
    ),
    'x-sallyport-state': state,
    ...(evidence && {
      'x-sallyport-evidence': {
        ...evidence,
        firstSeen: new Date(evidence.firstSeen).toISOString(),
        lastSeen: new Date(evidence.lastSeen).toISOString(),
      },
    }),
  }
}

const parameterOf = ({ name, place, type }: GivenParameter): Json => ({
  name,
  in: place,
  ...(place === 'path' && { required: true }),
  schema: schemaOf(type),
})

const responseOf = (status: string, mediaTypes: readonly string[]): Json => ({
  description: 'Seen in traffic.',
  ...(status < '300' && status !== '204' && mediaTypes.length > 0 && { content: contentOf(mediaTypes) }),
})

const contentOf = (types: readonly string[]): Json => Object.fromEntries(types.map((type) => [type, {}]))

const PLAIN_TYPES: ReadonlySet<string> = new Set(['integer', 'number', 'boolean'])
const FORMATS: ReadonlySet<string> = new Set(['uuid', 'date', 'date-time', 'email'])

function schemaOf(type: string): Json {
  if (PLAIN_TYPES.has(type)) return { type }
  return FORMATS.has(type) ? { type: 'string', format: type } : { type: 'string' }
}
