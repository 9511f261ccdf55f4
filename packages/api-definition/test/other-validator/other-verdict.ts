/** What another library says of a request: `openapi-backend`, which compiles schemas with Ajv. */
import addFormats from 'ajv-formats'
import { OpenAPIBackend, type Request } from 'openapi-backend'
import type { DocumentedOperation, MadeUpRequest } from './made-up-requests.ts'
import type { Json } from './sample.ts'

const FORMATS = ['date', 'time', 'date-time', 'uuid', 'ipv4', 'ipv6', 'int32', 'int64'] as const

export interface OtherVerdict {
  /** Undefined where it cannot judge by that operation. */
  isValid(request: MadeUpRequest): { readonly isValid: boolean; readonly why: string } | undefined
  isListed(method: string, path: string): boolean
}

export async function createOtherVerdict(document: Json): Promise<OtherVerdict> {
  const backend = new OpenAPIBackend({
    // It changes what it is given. The types want a document of its own declarations.
    definition: structuredClone(withIds(document)) as never,
    quick: true,
    validate: true,
    ajvOpts: { strict: false, logger: false },
    customizeAjv: (ajv) => addFormats.default(ajv, { mode: 'full', formats: [...FORMATS] }),
  })
  await backend.init()
  const { router, validator } = backend
  const unusable = new Set<string>()
  return {
    isValid({ operation, path, query, headers, body }) {
      const id = idOf(operation)
      if (unusable.has(id)) return undefined
      const request: Request = {
        method: operation.method.toLowerCase(),
        path,
        query,
        headers: Object.fromEntries(headers),
        body,
      }
      try {
        const found = router.getOperation(id)
        if (!found) return undefined
        const { valid, errors } = validator.validateRequest(request, found)
        // A body of which nothing is sent is none to the library where the operation has no need of it.
        return { isValid: valid, why: JSON.stringify(errors?.slice(0, 2) ?? '').slice(0, 300) }
      } catch (error) {
        unusable.add(id)
        void error
        return undefined
      }
    },
    isListed: (method, path) => router.matchOperation({ method, path, headers: {} }) !== undefined,
  }
}

const idOf = ({ method, path }: Pick<DocumentedOperation, 'method' | 'path'>): string => `${method} ${path}`

/** The library knows operations by their ids alone. */
function withIds(document: Json): Json {
  const paths = Object.entries(document.paths as Record<string, Json>).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([key, value]) => [
        key,
        ['get', 'put', 'post', 'delete', 'patch'].includes(key)
          ? { ...(value as Json), operationId: idOf({ method: key.toUpperCase(), path }) }
          : value,
      ]),
    ),
  ])
  return { ...document, paths: Object.fromEntries(paths) }
}
