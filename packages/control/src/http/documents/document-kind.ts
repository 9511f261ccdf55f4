/** What a document is, and how many operations it describes. */
import { isObject } from '@sallyport/api-definition'
import type { DocumentFormat } from '@sallyport/contract'

/** Members of a path that are operations (OpenAPI 3.2.0, section 4.8.9). */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/** By the version that it names; null for what is no definition that is known. */
export function formatOf(document: unknown): DocumentFormat | null {
  if (!isObject(document)) return null
  const { openapi, swagger } = document
  if (swagger !== undefined) return swagger === '2.0' && openapi === undefined ? 'swagger-2.0' : null
  const version = typeof openapi === 'string' ? /^3\.([012])\.\d/.exec(openapi)?.[1] : undefined
  return version === undefined ? null : (`openapi-3.${version}` as DocumentFormat)
}

/** The operations of an OpenAPI document of any version. */
export function operationCount(document: unknown): number {
  const paths = isObject(document) ? document.paths : undefined
  const items = isObject(paths) ? Object.values(paths) : []
  return items.reduce<number>(
    (sum, item) => sum + (isObject(item) ? METHODS.filter((method) => isObject(item[method])).length : 0),
    0,
  )
}
