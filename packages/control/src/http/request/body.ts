/** Reading request bodies: JSON in its three media types; documents, in JSON or YAML, are read elsewhere. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ProblemError } from '../../errors.ts'
import type { DocumentSyntax, ReadDocument } from '../documents/read-document.ts'

const JSON_TYPES = /^\s*(?:application\/json|text\/json|application\/[a-z0-9!#$&^_.-]+\+json)\s*(?:;|$)/i
const YAML_TYPES = /^\s*(?:application|text)\/(?:x-)?yaml\s*(?:;|$)/i

const GRAPHQL_TYPES = /^\s*application\/graphql\s*(?:;|$)/i

/** Deeper or larger values are accepted by no operation, and would only cost time to refuse one by one. */
const BODY_BOUNDS = { depthMax: 64, valuesMax: 60_000 }

/** Replaces Fastify's parsers by ours; any other media type is a 415. */
export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(JSON_TYPES, { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    body.length === 0 ? undefined : bounded(parseJson(decode(body)), BODY_BOUNDS),
  )
  // Some clients name a type with every request. Where there is no body it says nothing.
  app.addContentTypeParser('*', async ({ headers }: FastifyRequest) => {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = headers
    if (Number(length) > 0 || coding !== undefined) throw new ProblemError('unsupported_media_type')
  })
}

/** Refuses a body that is compressed, or otherwise encoded, before anything of it is read. */
export function refuseEncoded({ headers }: FastifyRequest): void {
  const { 'content-encoding': coding = 'identity' } = headers
  if (coding.trim().toLowerCase() === 'identity') return
  throw new ProblemError('unsupported_media_type', {
    detail: 'The body must not be compressed: leave Content-Encoding out.',
    headers: { 'accept-encoding': 'identity' },
  })
}

/** Adds the parsers of routes that accept a document. */
export function addDocumentParsers(
  app: FastifyInstance,
  read: (request: FastifyRequest, body: Buffer, syntax: DocumentSyntax) => Promise<ReadDocument>,
): void {
  app.removeAllContentTypeParsers()
  const parserOf = (syntax: DocumentSyntax) => (request: FastifyRequest, body: Buffer) =>
    read(request, body, syntax)
  app.addContentTypeParser(JSON_TYPES, { parseAs: 'buffer' }, parserOf('json'))
  app.addContentTypeParser(YAML_TYPES, { parseAs: 'buffer' }, parserOf('yaml'))
  app.addContentTypeParser(GRAPHQL_TYPES, { parseAs: 'buffer' }, parserOf('graphql'))
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw new ProblemError('malformed_body', { detail: 'The body is not UTF-8.', cause })
  }
}

/** The parsers' own errors quote what they could not read, which may be a secret: they go no further. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ProblemError('malformed_body')
  }
}

function bounded(body: unknown, { depthMax, valuesMax }: typeof BODY_BOUNDS): unknown {
  let values = 0
  const visit = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null) return
    const children = Object.values(value)
    values += children.length
    if (depth > depthMax || values > valuesMax)
      throw new ProblemError('validation_failed', {
        errors: [{ path: '', message: `must not hold more than ${valuesMax} values, ${depthMax} deep` }],
      })
    for (const child of children) visit(child, depth + 1)
  }
  visit(body, 1)
  return body
}
