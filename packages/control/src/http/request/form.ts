/** Reading forms (multipart/form-data, RFC 7578) with one file, which is a document. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalid, ProblemError } from '../../errors.ts'
import type { DocumentSyntax, ReadDocument } from '../documents/read-document.ts'

/** A form that was read: its texts, and its `file`. */
export interface ReadForm {
  readonly texts: Readonly<Record<string, string>>
  readonly fileName: string
  readonly document: ReadDocument
}

const FORM_TYPE = /^\s*multipart\/form-data\s*;/i
/** Other parameters could hold another boundary, and hide it from the count of the parts. */
const BOUNDARY = /^\s*multipart\/form-data\s*;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*$/i
/** Far more than any form of the API has. */
const PARTS_MAX = 16
const FILE_NAME_CHARS_MAX = 255
const SYNTAXES: readonly (readonly [ending: RegExp, syntax: DocumentSyntax])[] = [
  [/\.json$/i, 'json'],
  [/\.ya?ml$/i, 'yaml'],
]

/** Adds the parser of routes that accept a form. */
export function addFormParser(
  app: FastifyInstance,
  read: (request: FastifyRequest, body: Buffer, syntax: DocumentSyntax) => Promise<ReadDocument>,
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    FORM_TYPE,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      const form = await parse(body, request.headers['content-type'] ?? '')
      const entries = [...form]
      const texts = Object.fromEntries(
        entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
      )
      const file = form.get('file')
      if (file === null || typeof file === 'string') throw invalid('/file', 'is required, as a file')
      const syntax = SYNTAXES.find(([ending]) => ending.test(file.name))?.[1]
      if (!syntax) throw invalid('/file', 'must be named .json, .yaml or .yml')
      const document = await read(request, Buffer.from(await file.arrayBuffer()), syntax)
      return { texts, fileName: file.name.slice(0, FILE_NAME_CHARS_MAX).toWellFormed(), document }
    },
  )
}

/** The platform's own parser, for a bounded number of parts: what it makes of each costs more than its bytes. */
async function parse(body: Buffer, contentType: string): Promise<FormData> {
  const boundary = BOUNDARY.exec(contentType)
  if (!boundary) throw new ProblemError('malformed_body', { detail: 'The body is not a form.' })
  const delimiter = `--${boundary[1] ?? boundary[2]}`
  let parts = 0
  for (let at = body.indexOf(delimiter); at >= 0 && parts <= PARTS_MAX; at = body.indexOf(delimiter, at + 1))
    parts += 1
  if (parts > PARTS_MAX) throw invalid('', `must not hold more than ${PARTS_MAX} parts`)
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
  } catch {
    throw new ProblemError('malformed_body', { detail: 'The body is not a form.' })
  }
}
