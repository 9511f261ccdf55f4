/** The versions of an API definition of a site: listed, compared, brought back. */
import { z } from 'zod'
import { idParams } from '../../fields.ts'
import { DOCUMENT_VERSIONS_MAX } from '../../limits.ts'
import { declareOperations } from '../operation.ts'
import { documentFields, documentName, exampleDocument, siteDocument, versionNumber } from './documents.ts'

/** Changes of one difference that are answered. */
export const DOCUMENT_CHANGES_MAX = 2_000

const documentVersion = z.object({
  ...documentFields,
  /** The version that was brought back as this one. */
  restoredFrom: z.number().nullable(),
})
export type DocumentVersion = z.infer<typeof documentVersion>

/** What can differ between two versions, as operations see it. */
export const DOCUMENT_CHANGES = [
  'operation-added',
  'operation-removed',
  'operation-deprecated',
  'operation-undeprecated',
  'parameter-added',
  'parameter-removed',
  'parameter-required',
  'parameter-optional',
  'parameter-type',
  'request-required',
  'request-optional',
  'request-type-added',
  'request-type-removed',
  'status-added',
  'status-removed',
  'response-type-added',
  'response-type-removed',
] as const

const documentChange = z.object({
  kind: z.enum(DOCUMENT_CHANGES),
  /** Method and path, as in `GET /orders/{id}`. */
  operation: z.string(),
  /** The parameter as `query limit`, the media type or the status; empty where it is of the operation. */
  subject: z.string(),
  /** A type before and after. */
  before: z.string(),
  after: z.string(),
  /** Whether what was right before may be wrong now. */
  isBreaking: z.boolean(),
})
export type DocumentChange = z.infer<typeof documentChange>

const documentDifference = z.object({
  name: z.string(),
  from: z.number(),
  to: z.number(),
  /** Of all changes, where not all of them are answered. */
  total: z.number(),
  breaking: z.number(),
  changes: z.array(documentChange),
})
export type DocumentDifference = z.infer<typeof documentDifference>

const exampleVersion = { ...exampleDocument, restoredFrom: null } satisfies DocumentVersion

export const documentVersionOperations = declareOperations({
  sitesListDocumentVersions: {
    path: '/api/Sites/{id}/document/versions',
    summary: 'List the versions of an API definition of a site',
    description: `The newest first, which is the one in force. At most ${DOCUMENT_VERSIONS_MAX} before it are kept, and fewer where the versions of the site are large; \`dropped\` says how many older ones there were.`,
    permission: 'sites:read',
    params: idParams,
    query: z.object({ name: documentName }),
    response: z.object({ items: z.array(documentVersion), dropped: z.number() }),
    examples: { query: { name: 'main' }, response: { items: [exampleVersion], dropped: 0 } },
  },
  sitesCompareDocument: {
    path: '/api/Sites/{id}/document/difference',
    summary: 'Compare two versions of an API definition of a site',
    description: `What differs as operations see it: operations, parameters, media types and statuses, breaking changes first, at most ${DOCUMENT_CHANGES_MAX}. Versions that are not OpenAPI are a 409.`,
    permission: 'sites:read',
    params: idParams,
    query: z.object({ name: documentName, from: versionNumber, to: versionNumber }),
    response: documentDifference,
    errors: ['conflict'],
    examples: {
      query: { name: 'main', from: '1', to: '2' },
      response: {
        name: 'main',
        from: 1,
        to: 2,
        total: 1,
        breaking: 1,
        changes: [
          {
            kind: 'parameter-type',
            operation: 'GET /orders',
            subject: 'query limit',
            before: 'string',
            after: 'integer',
            isBreaking: true,
          },
        ],
      },
    },
  },
  sitesRestoreDocument: {
    method: 'POST',
    path: '/api/Sites/{id}/document/restore',
    summary: 'Bring back an older version of an API definition of a site',
    description: 'It becomes the next version. Where it is what is in force already, nothing changes.',
    permission: 'sites:write',
    params: idParams,
    body: z.strictObject({ name: documentName, number: versionNumber }),
    response: siteDocument,
    errors: ['conflict'],
    versioned: true,
    examples: { body: { name: 'main', number: 1 }, response: exampleDocument },
  },
})
