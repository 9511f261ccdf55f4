/** Operations of a site's API: given, learned or confirmed, each with its evidence, and how they compare with what was given. */
import { z } from 'zod'
import { filledText, idParams, pageOf, pageQuery, text } from '../../fields.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'

const METHOD_CHARS_MAX = 16
/** Of a template such as `/orders/{orderId}`. */
const TEMPLATE_CHARS_MAX = 1_024

/** Where an operation comes from: an uploaded document, a person, several researchers, or too few of them. */
export const OPERATION_STATES = ['given', 'confirmed', 'learned', 'candidate'] as const
export type ApiOperationState = (typeof OPERATION_STATES)[number]

const evidence = z.object({
  /** Requests of the last 30 days without a hit of the firewall, and with one. */
  requests: z.number(),
  covered: z.number(),
  /** Counted up to eight. */
  researchers: z.number(),
  firstSeen: z.iso.datetime(),
  lastSeen: z.iso.datetime(),
  /** From 0 to 1. */
  confidence: z.number(),
})

export const apiOperation = z.object({
  method: z.string(),
  template: z.string(),
  state: z.enum(OPERATION_STATES),
  deprecated: z.boolean(),
  parameters: z.array(
    z.object({
      name: z.string(),
      place: z.enum(['path', 'query', 'header', 'cookie']),
      type: z.string(),
      required: z.boolean(),
    }),
  ),
  bodyTypes: z.array(z.string()),
  mediaTypes: z.array(z.string()),
  statuses: z.array(z.string()),
  /** Null where nobody asked for it in the last 30 days. */
  evidence: evidence.nullable(),
})
export type ApiOperation = z.infer<typeof apiOperation>

/** What a comparison finds: used and not given, given and never seen, deprecated and still used, used otherwise than given. */
export const FINDING_KINDS = ['shadow', 'orphan', 'zombie', 'drift'] as const
export type FindingKind = (typeof FINDING_KINDS)[number]

const difference = z.object({
  what: z.enum(['parameter', 'type', 'status', 'mediaType', 'bodyType']),
  name: z.string(),
  /** Empty where it was not given, or not seen. */
  given: z.string(),
  seen: z.string(),
})

const finding = z.object({
  kind: z.enum(FINDING_KINDS),
  operation: apiOperation,
  /** Of a drift. */
  differences: z.array(difference),
})
export type ApiFinding = z.infer<typeof finding>

const comparison = z.object({
  /** Whether there is a document to compare with; without one there are no findings. */
  hasDocument: z.boolean(),
  /** Since when traffic counts. */
  from: z.iso.datetime(),
  /** How many there are of each kind, shown or not. */
  counts: z.object({
    shadow: z.number(),
    orphan: z.number(),
    zombie: z.number(),
    drift: z.number(),
  }),
  items: z.array(finding),
})

/** Operations of one site that are confirmed: as many as a gateway takes templates. */
export const CONFIRMED_OPERATIONS_MAX = 5_000

/** Findings that one answer holds. */
export const FINDINGS_MAX = 2_000

const operationName = z.object({
  method: filledText(METHOD_CHARS_MAX).toUpperCase(),
  template: filledText(TEMPLATE_CHARS_MAX),
})

const least = (ordinary: number, max: number) =>
  z.coerce.number<number | string>().int().min(1).max(max).default(ordinary)

const exampleOperation = {
  method: 'GET',
  template: '/orders/{orderId}',
  state: 'learned',
  deprecated: false,
  parameters: [{ name: 'orderId', place: 'path', type: 'integer', required: true }],
  bodyTypes: [],
  mediaTypes: [],
  statuses: ['200', '403'],
  evidence: {
    requests: 48,
    covered: 1,
    researchers: 4,
    firstSeen: EXAMPLE.time,
    lastSeen: EXAMPLE.time,
    confidence: 0.98,
  },
} as const
const exampleName = { method: 'GET', template: '/orders/{orderId}' }

export const apiOperationOperations = declareOperations({
  sitesListOperations: {
    params: idParams,
    path: '/api/Sites/{id}/operations',
    summary: 'List the operations of the API of a site',
    description:
      'What uploaded documents give, what was confirmed, and what the traffic of the last 30 days teaches, each once: given wins over confirmed over learned, also where a template differs in the names of its parameters alone. Sorted by template and method. `search` finds a part of the template.',
    permission: 'sites:read',
    query: z.object({
      ...pageQuery,
      state: z.enum(OPERATION_STATES).optional(),
      search: text(TEMPLATE_CHARS_MAX).optional(),
    }),
    response: pageOf(apiOperation),
    errors: ['unavailable'],
    examples: { query: { state: 'learned' }, response: { items: [exampleOperation], next: null } },
  },
  sitesConfirmOperation: {
    params: idParams,
    method: 'POST',
    path: '/api/Sites/{id}/operations/confirm',
    summary: 'Take an operation into the API definition of a site',
    description:
      'An operation that is learned, or a candidate, becomes confirmed: it stays whether it is used or not, and is a part of the definition that is handed out. Confirming one that is confirmed changes nothing. One that is given is a 409, and one that nobody was served is a 404. A site has at most 5,000.',
    permission: 'sites:write',
    body: operationName,
    response: apiOperation,
    versioned: true,
    errors: ['conflict', 'unavailable'],
    examples: { body: exampleName, response: { ...exampleOperation, state: 'confirmed' } },
  },
  sitesUnconfirmOperation: {
    params: idParams,
    method: 'POST',
    path: '/api/Sites/{id}/operations/unconfirm',
    summary: 'Take a confirmed operation out of the API definition of a site',
    description:
      'It is learned, or a candidate, again, as its traffic has it. One that is not confirmed stays as it is.',
    permission: 'sites:write',
    body: operationName,
    status: 204,
    versioned: true,
    examples: { body: exampleName },
  },
  sitesCompareDefinition: {
    params: idParams,
    path: '/api/Sites/{id}/definition/comparison',
    summary: 'Compare the API definition of a site with its traffic',
    description:
      'By the traffic of the last 30 days. `shadow`: used, and not given; `orphan`: given, and never seen; `zombie`: deprecated, and still used; `drift`: parameters, types, statuses or media types that differ from what was given. Below `minRequests` and `minResearchers` what was seen is noise; `kind` leaves out the others. At most 2,000 findings, orphans last.',
    permission: 'sites:read',
    query: z.object({
      kind: z.enum(FINDING_KINDS).optional(),
      minRequests: least(1, 1_000_000),
      minResearchers: least(3, 8),
    }),
    response: comparison,
    errors: ['unavailable'],
    examples: {
      query: { kind: 'shadow' },
      response: {
        hasDocument: true,
        from: EXAMPLE.time,
        counts: { shadow: 1, orphan: 0, zombie: 0, drift: 0 },
        items: [{ kind: 'shadow', operation: exampleOperation, differences: [] }],
      },
    },
  },
})
