/** The API definitions of a site: several documents, each with a name and with its versions. */
import { z } from 'zod'
import { idParams } from '../../fields.ts'
import {
  DOCUMENT_BYTES_MAX,
  DOCUMENT_NAME_CHARS_MAX,
  DOCUMENT_VERSIONS_MAX,
  SITE_DOCUMENTS_BYTES_MAX,
  SITE_DOCUMENTS_MAX,
} from '../../limits.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'
import { apiDefinition } from '../sites.ts'

/** What a document is written in. */
export const DOCUMENT_FORMATS = [
  'openapi-3.2',
  'openapi-3.1',
  'openapi-3.0',
  'swagger-2.0',
  'graphql',
] as const
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number]

/** The document that the operations on one definition of a site mean. */
export const MAIN_DOCUMENT = 'main'

const MIB = 1024 * 1024

/** Letters and digits of any script, and what stands between words: no name looks like another because of marks that nobody sees. */
export const documentName = z
  .string()
  .max(DOCUMENT_NAME_CHARS_MAX)
  .normalize('NFC')
  .regex(
    /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M} ._-]*[\p{L}\p{N}\p{M}])?$/u,
    'must be letters and digits, with spaces, dots, hyphens and underscores between them',
  )

export const versionNumber = z.coerce.number<number | string>().int().min(1).max(2_147_483_647)

export const documentFields = {
  name: z.string(),
  format: z.enum(DOCUMENT_FORMATS),
  /** The version in force. Versions are numbered from 1. */
  version: z.number(),
  /** Of the text as it is stored. */
  sizeBytes: z.number(),
  /** Null where they were not counted. */
  operations: z.number().nullable(),
  time: z.iso.datetime(),
  /** E-mail address of who uploaded it, or their id; empty where that is not known. */
  by: z.string(),
}

/** A document of a site, without its text. */
export const siteDocument = z.object(documentFields)
export type SiteDocument = z.infer<typeof siteDocument>

export const exampleDocument = {
  name: 'orders',
  format: 'openapi-3.1',
  version: 3,
  sizeBytes: 81_234,
  operations: 42,
  time: EXAMPLE.time,
  by: EXAMPLE.ownerEmail,
} satisfies SiteDocument

/** An API definition, or a GraphQL schema, of which the reader of documents is the judge. */
const givenDocument = z.looseObject({}).superRefine((document, { addIssue }) => {
  const isSchema = ['graphql', '__schema', 'data'].some((member) => member in document)
  for (const { path, message } of (!isSchema && apiDefinition.safeParse(document).error?.issues) || [])
    addIssue({ code: 'custom', path: [...path], message })
})

const named = z.object({ name: documentName })
const NAME = 'name=main is what `PUT /api/Sites/{id}/definition` uploads.'

export const siteDocumentOperations = declareOperations({
  sitesListDocuments: {
    path: '/api/Sites/{id}/documents',
    summary: 'List the API definitions of a site',
    description: 'Without their texts: the one named `main` first, the others by name.',
    permission: 'sites:read',
    params: idParams,
    response: z.object({ items: z.array(siteDocument) }),
    examples: { response: { items: [exampleDocument] } },
  },
  sitesSetDocument: {
    method: 'PUT',
    path: '/api/Sites/{id}/document',
    summary: 'Upload an API definition of a site by name',
    description: `Makes the document \`name\`, or a new version of it. ${NAME} It is checked as that operation says, and may have ${DOCUMENT_BYTES_MAX / MIB} MiB. It may also be a GraphQL schema: its definition as application/graphql, or what the introspection query was answered with, as JSON; then it cannot be named main. A site has at most ${SITE_DOCUMENTS_MAX} documents of ${SITE_DOCUMENTS_BYTES_MAX / MIB} MiB altogether: 409 otherwise. Uploading what is in force already changes nothing.`,
    permission: 'sites:write',
    params: idParams,
    query: named,
    body: givenDocument,
    consumes: 'document',
    bodyBytesMax: DOCUMENT_BYTES_MAX,
    response: siteDocument,
    errors: ['conflict'],
    versioned: true,
    examples: {
      query: { name: 'orders' },
      body: { openapi: '3.1.0', info: { title: 'Orders', version: '1' }, paths: {} },
      response: exampleDocument,
    },
  },
  sitesGetDocument: {
    path: '/api/Sites/{id}/document',
    summary: 'Read an API definition of a site by name',
    description: `\`text\` is the document as it may be handed out: its servers are the gated name, and extensions, other servers and what looks like a secret are left out. \`number\` asks for an older version; at most ${DOCUMENT_VERSIONS_MAX} are kept.`,
    permission: 'sites:read',
    params: idParams,
    query: z.object({ name: documentName, number: versionNumber.optional() }),
    response: z.object({ ...documentFields, text: z.string() }),
    examples: {
      query: { name: 'main' },
      response: { ...exampleDocument, text: '{"openapi":"3.1.0"}' },
    },
  },
  sitesDeleteDocument: {
    method: 'DELETE',
    path: '/api/Sites/{id}/document',
    summary: 'Remove an API definition of a site by name',
    description: 'With all its versions. Removing one that is not there changes nothing.',
    permission: 'sites:write',
    params: idParams,
    query: named,
    status: 204,
    versioned: true,
    examples: { query: { name: 'orders' } },
  },
})
