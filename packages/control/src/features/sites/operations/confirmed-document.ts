/** A given document with the operations that a person took into it. What was given stays as it is. */
import { type Json, objectOf } from '@sallyport/api-definition'
import { basePathOf } from '../definition/gated-document.ts'
import { operationOf } from '../definition/learned-document.ts'
import { givenOperations } from './given-operations.ts'
import { type ConfirmedOperation, canonical, type SiteOperation, siteOperations } from './site-api.ts'

/**
 * The document as `publish` makes it, with the confirmed operations that it does not give. One that lies outside of the base path of the
 * document's server is served at the gated name itself; Swagger 2.0 has no words for that, and leaves it out.
 */
export function withConfirmed(
  document: Json,
  publish: (document: Json) => Record<string, unknown>,
  confirmed: readonly ConfirmedOperation[],
  gatedOrigin: string,
): Record<string, unknown> {
  const published = publish(document)
  if (confirmed.length === 0) return published
  const known = canonical({ given: givenOperations(document), confirmed })
  const added = siteOperations({ given: [], confirmed: known.confirmed }, [])
  const isSwagger = 'swagger' in document
  const base = basePathOf(document)
  const paths: Record<string, unknown> = { ...objectOf(published.paths) }
  for (const operation of added) {
    const isBelow = operation.template.startsWith(`${base}/`)
    if (!isBelow && isSwagger) continue
    const path = isBelow ? operation.template.slice(base.length) : operation.template
    const item = Object.hasOwn(paths, path) ? objectOf(paths[path]) : {}
    const method = operation.method.toLowerCase()
    // A path of that name which means another place, or has the method already, is left alone.
    if (Object.hasOwn(item, method) || (!isBelow && Object.keys(item).length > 0 && !('servers' in item)))
      continue
    paths[path] = {
      ...item,
      ...(!isBelow && { servers: [{ url: gatedOrigin }] }),
      [method]: isSwagger ? swaggerOperation(operation) : operationOf(operation),
    }
  }
  return { ...published, paths }
}

function swaggerOperation({ parameters, bodyTypes, mediaTypes, statuses, state }: SiteOperation): Json {
  return {
    ...(bodyTypes.length > 0 && { consumes: bodyTypes }),
    ...(mediaTypes.length > 0 && { produces: mediaTypes }),
    parameters: parameters.map(({ name, place, type, required }) => ({
      name,
      in: place,
      ...(required && { required }),
      ...swaggerType(type),
    })),
    responses: Object.fromEntries(statuses.map((status) => [status, { description: 'Seen in traffic.' }])),
    'x-sallyport-state': state,
  }
}

const PLAIN: ReadonlySet<string> = new Set(['integer', 'number', 'boolean'])
const FORMATS: ReadonlySet<string> = new Set(['uuid', 'date', 'date-time', 'email'])

const swaggerType = (type: string): Json =>
  PLAIN.has(type) ? { type } : { type: 'string', ...(FORMATS.has(type) && { format: type }) }
