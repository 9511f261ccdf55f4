/** The OpenAPI 3.1 document of the admin API, made from the operations of the contract. */
import { ERRORS, EXAMPLE, exampleNameOf, OPERATIONS, type Operation } from '@sallyport/contract'
import type { z } from 'zod'
import { API_DESCRIPTION } from './openapi-description.ts'
import { problemSchema, SchemaCollector } from './openapi-schemas.ts'

const RESPONSE_TYPES = ['text/plain', 'application/json', 'text/json']
const BODY_TYPES = ['application/json', 'text/json', 'application/*+json']
const DOCUMENT_TYPES = ['application/json', 'application/yaml']
const FORM_TYPES = ['multipart/form-data']

type Json = Record<string, unknown>

/** Makes the document. `publicUrl` is where the API is reached. */
export function createOpenApi(publicUrl: string): Json {
  const schemas = new SchemaCollector()
  const paths: Record<string, Json> = {}
  for (const operation of OPERATIONS) {
    paths[operation.path] ??= {}
    Object.assign(paths[operation.path] ?? {}, {
      [operation.method.toLowerCase()]: describeOperation(operation, schemas),
    })
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Sallyport admin API', version: 'v2', description: API_DESCRIPTION },
    servers: [{ url: publicUrl }],
    security: [{ bearer: [] }],
    tags: [...new Set(OPERATIONS.map(areaOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...schemas.components, Problem: problemSchema },
      responses: Object.fromEntries(
        Object.entries(RESPONSE_NAMES).map(([status, name]) => [name, errorResponse(Number(status))]),
      ),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT or API key' } },
    },
  }
}

function describeOperation(operation: Operation, schemas: SchemaCollector): Json {
  const { id, summary, description, permission, extension, body, consumes, examples, status } = operation
  const isOptional = body?.safeParse(undefined).success ?? false
  return {
    operationId: id,
    tags: [areaOf(operation)],
    summary,
    description: `${description}\n\nPermission: \`${permission}\`.${extension ? ' An extension.' : ''}`,
    ...(extension && { 'x-sallyport-extension': true }),
    'x-sallyport-permission': permission,
    parameters: parametersOf(operation, schemas),
    ...(body && {
      requestBody: {
        required: !isOptional,
        content: contentOf(
          consumes ? { json: BODY_TYPES, document: DOCUMENT_TYPES, form: FORM_TYPES }[consumes] : BODY_TYPES,
          schemas.input(body),
          examples.body,
        ),
      },
    }),
    responses: { [status]: successOf(operation, schemas), ...failuresOf(operation) },
  }
}

const areaOf = ({ path }: Operation): string => {
  const area = path.split('/')[2] ?? ''
  return area.charAt(0).toUpperCase() + area.slice(1)
}

const contentOf = (types: readonly string[], schema: unknown, example: unknown): Json =>
  Object.fromEntries(types.map((type) => [type, { schema, ...(example !== undefined && { example }) }]))

/** Whether it changes what has a version already. Two GETs of the specification's interface do. */
const changesVersioned = ({ method, permission, status, versioned }: Operation): boolean =>
  versioned === true && status !== 201 && (method !== 'GET' || permission.endsWith(':write'))

function parametersOf(operation: Operation, schemas: SchemaCollector) {
  const { path, params, query, idempotent, examples } = operation
  return [
    ...fieldsOf(params, schemas).map((field) => ({
      ...field,
      in: 'path',
      required: true,
      example: EXAMPLE[exampleNameOf(path, field.name) ?? 'requestId'],
    })),
    ...fieldsOf(query, schemas).map((field) => ({
      ...field,
      in: 'query',
      ...(examples.query?.[field.name] !== undefined && { example: examples.query[field.name] }),
    })),
    ...(changesVersioned(operation)
      ? [header('If-Match', 'The `ETag` that the thing must still have; 412 otherwise.')]
      : []),
    ...(idempotent
      ? [
          header(
            'Idempotency-Key',
            'A request that is repeated under the same key within 24 hours happens once.',
          ),
        ]
      : []),
  ]
}

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', maxLength: 255 },
})

function fieldsOf(schema: z.ZodObject | undefined, schemas: SchemaCollector) {
  if (!schema) return []
  return Object.entries(schema.shape).map(([name, field]) => ({
    name,
    schema: schemas.input(field as z.ZodType),
    required: !(field as z.ZodType).safeParse(undefined).success,
  }))
}

function successOf(operation: Operation, schemas: SchemaCollector): Json {
  const { status, format, response, versioned, examples } = operation
  const headers = {
    'X-Request-Id': { description: 'Names the request in the log.', schema: { type: 'string' } },
    ...(versioned && status !== 204 && { ETag: { description: 'The version.', schema: { type: 'string' } } }),
  }
  if (status === 204) return { description: 'Done.', headers }
  if (format === 'stream')
    return {
      description: 'The stream.',
      headers,
      content: streamsOf(examples.response),
    }
  const schema = response ? schemas.output(response) : {}
  if (format === 'json')
    return { description: 'Done.', headers, content: contentOf(RESPONSE_TYPES, schema, examples.response) }
  const document = JSON.stringify(examples.response)
  const inString = { type: 'string', contentMediaType: 'application/json', contentSchema: schema }
  return {
    description: 'A JSON string that holds a JSON document; bare with `Accept: text/plain`.',
    headers,
    content: {
      ...contentOf(['application/json', 'text/json'], inString, document),
      ...contentOf(['text/plain'], schema, examples.response),
    },
  }
}

/** What a stream may be, by the media types of its examples. */
const streamsOf = (examples: unknown): Json =>
  Object.fromEntries(
    Object.entries(examples ?? {}).map(([type, example]) => [type, { schema: { type: 'string' }, example }]),
  )

/** The error responses under `components/responses`, by the status of the codes that each may hold. */
const RESPONSE_NAMES: Readonly<Record<number, string>> = {
  400: 'Invalid',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  406: 'NotAcceptable',
  409: 'Conflict',
  412: 'Stale',
  413: 'TooLarge',
  415: 'UnsupportedType',
  429: 'TooMany',
  503: 'Unavailable',
}

function errorResponse(status: number): Json {
  const sentences = Object.entries(ERRORS)
    .filter(([, error]) => error.status === status)
    .map(([code, { sentence }]) => `\`${code}\`: ${sentence}`)
  return {
    description: sentences.join(' '),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
}

function failuresOf(operation: Operation): Json {
  const { params, body, versioned, idempotent, method, errors = [] } = operation
  const statuses: number[] = [400, 401, 403, 406, 503, ...errors.map((code) => ERRORS[code].status)]
  if (params || body) statuses.push(404)
  if (body) statuses.push(413, 415)
  if (idempotent || (method !== 'GET' && versioned)) statuses.push(409)
  if (changesVersioned(operation)) statuses.push(412)
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${RESPONSE_NAMES[status]}` }]),
  )
}
