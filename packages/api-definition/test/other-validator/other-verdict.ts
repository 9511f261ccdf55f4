/** What another library says of a request: `openapi-backend`, which compiles schemas with Ajv. */
import addFormats from 'ajv-formats'
import { OpenAPIBackend, type Request } from 'openapi-backend'
import { type DocumentedOperation, FORM_BODY, type MadeUpRequest } from './made-up-requests.ts'
import type { Json } from './sample.ts'

const FORMATS = ['date', 'time', 'date-time', 'uuid', 'ipv4', 'ipv6', 'int32', 'int64'] as const

export interface OtherVerdict {
  /** Undefined where it cannot judge by that operation. */
  isValid(request: MadeUpRequest): { readonly isValid: boolean; readonly why: string } | undefined
  isListed(method: string, path: string): boolean
}

async function open(document: Json, isForm: boolean): Promise<OpenAPIBackend> {
  const backend = new OpenAPIBackend({
    // It changes what it is given. The types want a document of its own declarations.
    definition: structuredClone(withIds(document)) as never,
    quick: true,
    validate: true,
    ajvOpts: { strict: false, logger: false },
    customizeAjv: (ajv, _, context) => {
      // Fields of forms are texts, and a list of one looks like none.
      if (isForm && context === 'requestBodyValidator') ajv.opts.coerceTypes = 'array'
      return addFormats.default(ajv, { mode: 'full', formats: [...FORMATS] })
    },
  })
  return backend.init()
}

export async function createOtherVerdict(document: Json): Promise<OtherVerdict> {
  const [ofJson, ofForms] = [await open(document, false), await open(document, true)]
  const { router } = ofJson
  const unusable = new Set<string>()
  return {
    isValid({ operation, path, query, headers, body }) {
      const id = idOf(operation)
      const isForm = operation.body?.mediaType === FORM_BODY
      if (unusable.has(id)) return undefined
      const request: Request = {
        method: operation.method.toLowerCase(),
        path,
        query,
        headers: Object.fromEntries(headers),
        body: isForm ? formBody(body) : body,
      }
      const { validator } = isForm ? ofForms : ofJson
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

/** The library takes a form as it was read by whoever runs it: names that come again are lists. */
function formBody(text: string | undefined): Readonly<Record<string, string | string[]>> | undefined {
  if (text === undefined || text === '') return undefined
  const fields = new URLSearchParams(text)
  return Object.fromEntries(
    [...new Set(fields.keys())].map((name) => {
      const [first = '', ...others] = fields.getAll(name)
      return [name, others.length > 0 ? [first, ...others] : first]
    }),
  )
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
