/**
 * Sites: what is behind the gate, when it is open, to whom, and under which rules.
 *
 * Longer than other files, because the operations of the specification stand together, each with its example.
 */
import { z } from 'zod'
import {
  dateTime,
  filledText,
  identifier,
  identifiers,
  idParams,
  pageQuery,
  repeated,
  text,
} from '../fields.ts'
import { keysOf } from '../keys-of.ts'
import { DOCUMENT_BYTES_MAX, HOST_CHARS_MAX, ID_CHARS_MAX, TEXT_CHARS_MAX } from '../limits.ts'
import { BLOCK_LIST_CHARS_MAX } from '../rules/block-rules.ts'
import { POLICY_NAME_CHARS_MAX } from '../rules/rate-limit-policies.ts'
import { EXAMPLE } from './examples.ts'
import { declareOperations } from './operation.ts'
import { siteHealth } from './site-settings.ts'

const ORIGIN_CHARS_MAX = HOST_CHARS_MAX + 32
/** Researchers on the list of one site. */
export const SITE_HACKERS_MAX = 10_000

/** What is asked of an API definition; the rest of it is kept as it is. */
export const apiDefinition = z
  .looseObject({
    openapi: z
      .string('must be a string such as "3.1.0"')
      .regex(
        /^3\.[012]\.\d{1,3}(?:-[\w.-]{1,40})?$/,
        'must be a version of OpenAPI that is known, from 3.0.0 to 3.2, such as "3.1.0"',
      )
      .optional(),
    swagger: z.literal('2.0', 'must be the string "2.0"').optional(),
    info: z.looseObject({}),
  })
  .superRefine(({ openapi, swagger }, { addIssue }) => {
    if (openapi === undefined && swagger === undefined)
      addIssue({ code: 'custom', path: ['openapi'], message: 'is required, or swagger for OpenAPI 2.0' })
    if (openapi !== undefined && swagger !== undefined)
      addIssue({ code: 'custom', path: ['swagger'], message: 'must not stand beside openapi' })
  })

/** A site as every site operation answers it. Field names are those of the specification, spelling included. */
export const site = z.object({
  id: z.string(),
  originName: z.string(),
  gatedName: z.string(),
  isActive: z.boolean(),
  orgId: z.string(),
  cretedByUserId: z.string(),
  creationdDate: z.iso.datetime(),
  hasCustomList: z.boolean(),
  isDeploymentProgress: z.boolean(),
  startDate: z.iso.datetime(),
  stopDate: z.iso.datetime(),
  credentials: z.string(),
  instructions: z.string(),
  rateLimit: z.string(),
  blockList: z.string(),
})
export type Site = z.infer<typeof site>

/** A site with what `include` asked for. */
export const siteWithHealth = site.extend({ health: siteHealth.optional() })

const siteFields = {
  originName: filledText(ORIGIN_CHARS_MAX),
  gatedName: text(HOST_CHARS_MAX),
  isActive: z.boolean(),
  startDate: dateTime,
  stopDate: dateTime,
  credentials: text(TEXT_CHARS_MAX),
  instructions: text(TEXT_CHARS_MAX),
  rateLimit: text(POLICY_NAME_CHARS_MAX),
  blockList: text(BLOCK_LIST_CHARS_MAX),
}

const siteCreation = z.object({
  ...z.object(siteFields).partial().shape,
  originName: siteFields.originName,
  /** Whether only those on its list may enter, instead of every active researcher. */
  hasCustomList: z.boolean().default(false),
})
const siteChange = z.object(siteFields).partial()

/** The request shape of operation 2: a Site without `orgId` and `hasCustomList`, with two fields of its own. */
export const allowedHackerType = z.object({
  id: identifier,
  tenantId: identifier.optional(),
  allowedHackerType: z.boolean(),
  originName: text(ORIGIN_CHARS_MAX).optional(),
  gatedName: siteFields.gatedName.optional(),
  isActive: z.boolean().optional(),
  cretedByUserId: text(ID_CHARS_MAX).optional(),
  creationdDate: dateTime.optional(),
  isDeploymentProgress: z.boolean().optional(),
  startDate: dateTime.optional(),
  stopDate: dateTime.optional(),
  credentials: siteFields.credentials.optional(),
  instructions: siteFields.instructions.optional(),
  rateLimit: siteFields.rateLimit.optional(),
  blockList: siteFields.blockList.optional(),
})

const accessCheckFields = { siteId: identifier, email: text(254), id: identifier }
const accessCheck = z.object(accessCheckFields).partial()
/** Which rule admitted or refused a researcher. */
export const ACCESS_REASONS = [
  'admitted_all',
  'admitted_listed',
  'unknown_researcher',
  'researcher_paused',
  'researcher_expired',
  'researcher_not_listed',
  'site_closed',
  'organization_closed',
] as const
export const accessDecision = z.object({
  siteId: z.string(),
  email: z.string(),
  id: z.string(),
  allowed: z.boolean(),
  reason: z.enum(ACCESS_REASONS),
})

/** The site's own list of researchers, in force while `hasCustomList` is true. */
const siteHackers = z.object({
  siteId: z.string(),
  hasCustomList: z.boolean(),
  ids: z.array(z.string()),
})

/** Of whatever may open a site: its origin is looked for a proof, at a pace. */
export const OPENING_ERRORS = ['origin_unproved', 'too_many_requests'] as const

const SITE_STATES = ['active', 'inactive'] as const
const SITE_FIELDS = keysOf(site.shape)

/** A site as examples answer it. */
export const exampleSite = {
  id: EXAMPLE.siteId,
  originName: 'https://shop.example.com',
  gatedName: EXAMPLE.gatedName,
  isActive: true,
  orgId: EXAMPLE.orgId,
  cretedByUserId: EXAMPLE.userId,
  creationdDate: EXAMPLE.time,
  hasCustomList: false,
  isDeploymentProgress: false,
  startDate: EXAMPLE.time,
  stopDate: EXAMPLE.later,
  credentials: 'tester / correct horse',
  instructions: 'Please leave /checkout alone on weekdays.',
  rateLimit: 'fixed',
  blockList: '[{"id":"admin","pathPrefix":"/admin","methods":[],"status":403,"enabled":true}]',
}
const exampleBlockList = '[{"pathPrefix":"/admin","methods":["POST"],"status":403,"enabled":true}]'

export const siteOperations = declareOperations({
  sitesList: {
    path: '/api/sites',
    summary: 'List the sites of the organization',
    description:
      'Answers an array, newest first. Without `limit` it is the whole list; with `limit`, a page, and the `Link` header with `rel="next"` leads to the following one. `search` matches the origin and the gated name, and `state` whether it is open; `searchTerm` and `isActive` say the same in the names of the original interface, where ours are absent. `orderBy` is a field of a site, by which the whole list is sorted, in ascending order.',
    permission: 'sites:read',
    extension: false,
    query: z.object({
      limit: pageQuery.limit.unwrap().optional(),
      cursor: pageQuery.cursor,
      search: text(HOST_CHARS_MAX).optional(),
      state: z.enum(SITE_STATES).optional(),
      searchTerm: text(HOST_CHARS_MAX).optional(),
      isActive: z.enum(['true', 'false']).optional(),
      orderBy: z.enum(SITE_FIELDS).optional(),
    }),
    response: z.array(site),
    examples: { query: { state: 'active' }, response: [exampleSite] },
  },
  sitesSetRateLimiting: {
    method: 'POST',
    path: '/api/sites/setRateLimiting',
    summary: 'Set the rate-limiting policy of a site',
    description:
      'Changes exactly one site. `rateLimit` is a policy that the plan of the organization includes, or empty for none; any other name is a 400 that lists the names allowed.',
    permission: 'sites:write',
    extension: false,
    body: z.object({ id: identifier, rateLimit: siteFields.rateLimit }),
    response: site,
    versioned: true,
    examples: { body: { id: EXAMPLE.siteId, rateLimit: 'fixed' }, response: exampleSite },
  },
  sitesAllowedHackerType: {
    method: 'POST',
    path: '/api/Sites/allowedHackerType',
    summary: 'Say who may enter a site: its own list, or every active researcher',
    description:
      '`allowedHackerType: true` admits only the researchers on the list of the site (`hasCustomList` becomes true); `false` admits every active researcher of the organization. Acts on `id` and `allowedHackerType` alone. A `tenantId` other than the organization of the caller is a 404.',
    permission: 'sites:write',
    extension: false,
    body: allowedHackerType,
    response: site,
    versioned: true,
    examples: {
      body: { id: EXAMPLE.siteId, tenantId: EXAMPLE.orgId, allowedHackerType: true },
      response: { ...exampleSite, hasCustomList: true },
    },
  },
  sitesValidateHacker: {
    path: '/api/Sites/validateHacker',
    summary: 'Would this researcher be admitted to this site now, and why',
    description:
      'Takes the body that is sent with the GET and, for clients that cannot send one, the same fields as query parameters; the body wins. `siteId` is required, and `email` or `id` (of the researcher); an empty one counts as absent. `reason` names the rule that admitted or refused.',
    permission: 'researchers:read',
    extension: false,
    query: accessCheck,
    body: accessCheck.optional(),
    response: accessDecision,
    examples: {
      body: { siteId: EXAMPLE.siteId, email: EXAMPLE.email, id: EXAMPLE.hackerId },
      response: {
        siteId: EXAMPLE.siteId,
        email: EXAMPLE.email,
        id: EXAMPLE.hackerId,
        allowed: true,
        reason: 'admitted_all',
      },
    },
  },
  sitesDisable: {
    path: '/api/Sites/disable/{id}',
    summary: 'Close a site',
    description:
      'The site is not enabled any more, and the `stopDate` of a window that is open becomes now. Running requests and WebSockets are cut within a second. Disabling a disabled site changes nothing. (A GET that changes state is what the interface prescribes; answers carry `Cache-Control: no-store`.)',
    permission: 'sites:write',
    extension: false,
    params: idParams,
    response: site,
    versioned: true,
    examples: { response: { ...exampleSite, isActive: false, stopDate: EXAMPLE.time } },
  },
  sitesGetApiDefinition: {
    path: '/api/Sites/getAPIdefinition/{id}',
    summary: 'Read the API definition of a site',
    description:
      'A JSON string that holds the OpenAPI document of the site, its servers rewritten to the gated name; with `Accept: text/plain`, the document itself. The uploaded document if there is one, without extensions and without what looks like a secret, otherwise one learned from the recorded traffic: its operations say in `x-sallyport-state` whether enough researchers stand behind them.',
    permission: 'sites:read',
    extension: false,
    params: idParams,
    response: z.record(z.string(), z.unknown()),
    format: 'json-string',
    examples: {
      response: {
        openapi: '3.1.0',
        info: { title: 'Shop', version: '1' },
        servers: [{ url: 'https://shop-example-com.gate.localhost' }],
        paths: {},
      },
    },
  },
  sitesCreate: {
    method: 'POST',
    path: '/api/Sites',
    summary: 'Put a site behind the gate',
    description:
      '`originName` is a host, `host:port` or an http(s) URL (https unless it says otherwise). `gatedName` is derived from it when absent, and must be a free host under the gate domain: 409 `gated_name_taken` otherwise. `isActive` is false unless given, `startDate` now, `stopDate` the end of the year 9999, which means open-ended. With `hasCustomList` only researchers on its list may enter, nobody at first; without, every active researcher.',
    permission: 'sites:write',
    errors: ['gated_name_taken', ...OPENING_ERRORS],
    body: siteCreation,
    response: site,
    status: 201,
    versioned: true,
    idempotent: true,
    examples: {
      body: { originName: 'https://shop.example.com', isActive: true, rateLimit: 'fixed' },
      response: exampleSite,
    },
  },
  sitesGet: {
    path: '/api/Sites/{id}',
    summary: 'Read a site',
    description:
      'The `ETag` of the answer is what `If-Match` of a change takes. With `include=health`, how the gateways find its origin is in `health`, as `/health` answers it.',
    permission: 'sites:read',
    params: idParams,
    query: z.object({ include: repeated(z.enum(['health'])).optional() }),
    response: siteWithHealth,
    versioned: true,
    examples: { response: exampleSite },
  },
  sitesUpdate: {
    method: 'PATCH',
    path: '/api/Sites/{id}',
    summary: 'Change a site',
    description:
      'Only the fields that are given change, and what was read of the site changes nothing. `isActive: true` opens it within the dates that are given; without a `stopDate`, one that has passed becomes what `disable` replaced, or open-ended. `isActive: false` switches it off.',
    permission: 'sites:write',
    errors: ['gated_name_taken', ...OPENING_ERRORS],
    params: idParams,
    body: siteChange,
    response: site,
    versioned: true,
    examples: { body: { instructions: 'Please leave /checkout alone.' }, response: exampleSite },
  },
  sitesDelete: {
    method: 'DELETE',
    path: '/api/Sites/{id}',
    summary: 'Remove a site',
    description: 'It closes at once. Its recorded traffic stays until its retention ends.',
    permission: 'sites:write',
    params: idParams,
    status: 204,
    versioned: true,
  },
  sitesEnable: {
    method: 'POST',
    path: '/api/Sites/enable/{id}',
    summary: 'Open a site',
    description:
      'The mirror of disable: the site is enabled, a `startDate` in the future becomes now, and a `stopDate` in the past what it was to be before disable, or open-ended.',
    permission: 'sites:write',
    errors: OPENING_ERRORS,
    params: idParams,
    response: site,
    versioned: true,
    examples: { response: exampleSite },
  },
  sitesSetBlockList: {
    method: 'POST',
    path: '/api/Sites/setBlockList',
    summary: 'Replace the block rules of a site',
    description:
      '`blockList` is a JSON array in a string; each rule is `{pathPrefix, methods, status, enabled}` with optional `id`, `note` and `expires`. Text that is not valid is a 400 that says where. Rules without an `id` are given one.',
    permission: 'sites:write',
    body: z.object({ id: identifier, blockList: siteFields.blockList }),
    response: site,
    versioned: true,
    examples: { body: { id: EXAMPLE.siteId, blockList: exampleBlockList }, response: exampleSite },
  },
  sitesGetHackers: {
    path: '/api/Sites/{id}/hackers',
    summary: 'Read the researcher list of a site',
    description: 'The list is in force while `hasCustomList` is true.',
    permission: 'sites:read',
    params: idParams,
    response: siteHackers,
    versioned: true,
    examples: { response: { siteId: EXAMPLE.siteId, hasCustomList: true, ids: [EXAMPLE.hackerId] } },
  },
  sitesSetHackers: {
    method: 'PUT',
    path: '/api/Sites/{id}/hackers',
    summary: 'Replace the researcher list of a site',
    description:
      'An id that is not a researcher of the organization is a 400. Whether the list is in force is what `allowedHackerType` says.',
    permission: 'sites:write',
    params: idParams,
    body: z.object({ ids: identifiers(SITE_HACKERS_MAX) }),
    response: siteHackers,
    versioned: true,
    examples: {
      body: { ids: [EXAMPLE.hackerId] },
      response: { siteId: EXAMPLE.siteId, hasCustomList: true, ids: [EXAMPLE.hackerId] },
    },
  },
  sitesSetDefinition: {
    method: 'PUT',
    path: '/api/Sites/{id}/definition',
    summary: 'Upload the API definition of a site',
    description:
      'The document that is named `main` among those of the site: an OpenAPI document in JSON or YAML, of at most 16 MiB. Its version decides what it is taken for: `openapi` a string from `3.0.0` to `3.2`, or `swagger` the string `2.0`. It must be as the specification of its version says, with references within the document only; each error has a JSON Pointer and a line. One that is not read within 20 seconds is a 400; a 503 says that too many wait to be read.',
    permission: 'sites:write',
    params: idParams,
    body: apiDefinition,
    consumes: 'document',
    bodyBytesMax: DOCUMENT_BYTES_MAX,
    errors: ['conflict'],
    status: 204,
    versioned: true,
    examples: { body: { openapi: '3.1.0', info: { title: 'Shop', version: '1' }, paths: {} } },
  },
  sitesDeleteDefinition: {
    method: 'DELETE',
    path: '/api/Sites/{id}/definition',
    summary: 'Remove the uploaded API definition of a site',
    description: 'Removing one that is not there changes nothing.',
    permission: 'sites:write',
    params: idParams,
    status: 204,
    versioned: true,
  },
})
