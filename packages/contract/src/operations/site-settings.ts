/** What a site has beyond the fields of the specification: firewall, redaction, strictness, health of its origin. */
import { z } from 'zod'
import { idParams, pageOf, pageQuery } from '../fields.ts'
import { DEFAULT_FIREWALL_SETTINGS, firewallSettings } from '../rules/firewall.ts'
import { FIREWALL_MODES } from '../rules/firewall-modes.ts'
import { ORIGIN_PROTOCOLS } from '../rules/origin-protocols.ts'
import { PATH_CONVENTIONS } from '../rules/path-conventions.ts'
import { PREFLIGHT_RULES } from '../rules/preflights.ts'
import { EXAMPLE } from './examples.ts'
import { declareOperations } from './operation.ts'

/** How much of a request the record of a site keeps, and how strict its gate is. */
export const recordSettings = z.object({
  queryValues: z.enum(['keep', 'mask']),
  clientAddress: z.enum(['keep', 'hash', 'drop']),
  userAgent: z.enum(['keep', 'drop']),
  /** Refuse every target that reads differently to different parsers, not only those under a block rule. */
  refuseAmbiguousTargets: z.boolean(),
})
export type RecordSettings = z.infer<typeof recordSettings>
const DEFAULT_RECORD_SETTINGS: RecordSettings = {
  queryValues: 'keep',
  clientAddress: 'keep',
  userAgent: 'keep',
  refuseAmbiguousTargets: false,
}

/** What the origin of a site makes of requests, by which its gate judges them, what of them is forwarded, and how keys come. */
export const forwardingSettings = z.object({
  /** Readings that a target has at this origin, beyond those that it may have at any. */
  pathConventions: z
    .array(z.enum(PATH_CONVENTIONS))
    .max(PATH_CONVENTIONS.length)
    .refine((conventions) => new Set(conventions).size === conventions.length, 'names one twice'),
  /** Forward the headers of the standards and those that browsers send, and no others. */
  passesKnownHeadersOnly: z.boolean(),
  /** Tell the origin the gated name as `Host`, for origins that make their addresses from it. */
  keepsGatedHost: z.boolean().default(false),
  /** Rewrite the host names of the site, and of its group, in pages, style sheets, scripts and JSON. */
  rewritesBodies: z.boolean().default(false),
  /** What becomes of CORS preflights that pages of the organization's other sites cause. */
  preflights: z.enum(PREFLIGHT_RULES).default('refuse'),
  /** Take a researcher's key as the password of HTTP Basic, too, for clients that cannot send a header of their own. */
  acceptsKeyAsPassword: z.boolean().default(false),
  /** Take answers whose heads have bare line feeds or folded lines, or none at all (HTTP/0.9), as browsers do. */
  takesLenientAnswers: z.boolean().default(false),
  /** What is spoken with the origin. */
  originProtocol: z.enum(ORIGIN_PROTOCOLS).default('http1'),
})
export type ForwardingSettings = z.infer<typeof forwardingSettings>
const DEFAULT_FORWARDING_SETTINGS: ForwardingSettings = forwardingSettings.parse({
  pathConventions: [],
  passesKnownHeadersOnly: false,
})

/** What does not count as an attack at one site. */
const siteExclusions = z.object({
  siteId: z.string(),
  gatedName: z.string(),
  exclusions: firewallSettings.shape.exclusions,
})

/** How the gateways last found the origin of a site, and whether they run its last change. */
export const siteHealth = z.object({
  siteId: z.string(),
  /** The worst of what the gateways say; `unknown` while none has tried. */
  state: z.enum(['unknown', 'healthy', 'failing', 'open']),
  gateways: z.array(
    z.object({
      gatewayId: z.string(),
      state: z.enum(['healthy', 'failing', 'open']),
      reason: z.string(),
      since: z.iso.datetime(),
      /** Whether this gateway runs the last change of the site. */
      isUpToDate: z.boolean(),
    }),
  ),
})
export type SiteHealth = z.infer<typeof siteHealth>

/** What a list of sites shows of each beyond its fields. */
export const siteStatus = z.object({
  siteId: z.string(),
  /** The mode of its firewall. */
  firewall: z.enum(FIREWALL_MODES),
  health: siteHealth.shape.state,
  /** Why gateways do not reach its origin, each reason once. */
  reasons: z.array(z.string()),
})
export type SiteStatus = z.infer<typeof siteStatus>

/** What the definition of a site is as a rule. */
export const definitionRuleState = z.object({
  mode: z.enum(FIREWALL_MODES),
  /** Why the definition cannot be a rule; empty where it can. */
  fault: z.string(),
  operations: z.number().int(),
  /** Of what gateways are sent. */
  bytes: z.number().int(),
  /** What of the definition is not judged by, in words, each with how often. */
  leftOut: z.array(z.string()),
  /** Recorded requests that reached the origin, and those that the definition does not list; with the paths that most are of. */
  preview: z.object({
    since: z.iso.datetime(),
    requests: z.number().int(),
    unlisted: z.number().int(),
    operations: z.array(z.object({ method: z.string(), path: z.string(), requests: z.number().int() })),
  }),
})
export type DefinitionRuleState = z.infer<typeof definitionRuleState>

export const siteSettingsOperations = declareOperations({
  sitesGetFirewall: {
    params: idParams,
    path: '/api/Sites/{id}/firewall',
    summary: 'Read the firewall settings of a site',
    description: 'Mode, overrides by rule or path, and exclusions.',
    permission: 'sites:read',
    response: firewallSettings,
    versioned: true,
    examples: { response: DEFAULT_FIREWALL_SETTINGS },
  },
  sitesListExclusions: {
    path: '/api/Sites/exclusions',
    summary: 'List the exclusions of all sites',
    description: 'Sites whose firewall has exclusions, newest first, each with all of them.',
    permission: 'sites:read',
    query: z.object(pageQuery),
    response: pageOf(siteExclusions),
    examples: {
      response: {
        items: [
          {
            siteId: EXAMPLE.siteId,
            gatedName: 'shop.gate.localhost',
            exclusions: [
              { id: 'search', rule: 'crs-942-100', pathPrefix: '/search', parameter: 'q', note: '' },
            ],
          },
        ],
        next: null,
      },
    },
  },
  sitesListStatus: {
    path: '/api/Sites/status',
    summary: 'Read firewall mode and health of all sites',
    description:
      'Of every site of the organization, newest first: the mode of its firewall, and how the gateways find its origin, as `health` of the site says it.',
    permission: 'sites:read',
    query: z.object(pageQuery),
    response: pageOf(siteStatus),
    examples: {
      response: {
        items: [{ siteId: EXAMPLE.siteId, firewall: 'observe', health: 'healthy', reasons: [] }],
        next: null,
      },
    },
  },
  sitesSetFirewall: {
    params: idParams,
    method: 'PUT',
    path: '/api/Sites/{id}/firewall',
    summary: 'Replace the firewall settings of a site',
    description:
      'What is absent takes its default: `observe`, no overrides, no exclusions, the API definition no rule. Hits that fall under an exclusion are recorded as excluded and never refuse a request.',
    permission: 'firewall:write',
    body: firewallSettings,
    response: firewallSettings,
    versioned: true,
    examples: {
      body: {
        mode: 'enforce',
        exclusions: [{ id: 'search', rule: 'crs-942-100', pathPrefix: '/search', parameter: 'q' }],
      },
      response: {
        mode: 'enforce',
        overrides: [],
        exclusions: [{ id: 'search', rule: 'crs-942-100', pathPrefix: '/search', parameter: 'q', note: '' }],
      },
    },
  },
  sitesGetRecordSettings: {
    params: idParams,
    path: '/api/Sites/{id}/record',
    summary: 'Read what the record of a site keeps',
    description: 'Redaction of query values, client addresses and user agents, and strictness about targets.',
    permission: 'sites:read',
    response: recordSettings,
    versioned: true,
    examples: { response: DEFAULT_RECORD_SETTINGS },
  },
  sitesSetRecordSettings: {
    params: idParams,
    method: 'PUT',
    path: '/api/Sites/{id}/record',
    summary: 'Say what the record of a site keeps',
    description: 'Holds for requests from now on; what is recorded already stays as it is.',
    permission: 'sites:write',
    body: recordSettings,
    response: recordSettings,
    versioned: true,
    examples: {
      body: { ...DEFAULT_RECORD_SETTINGS, queryValues: 'mask' },
      response: { ...DEFAULT_RECORD_SETTINGS, queryValues: 'mask' },
    },
  },
  sitesGetForwarding: {
    params: idParams,
    path: '/api/Sites/{id}/forwarding',
    summary: 'Read what the origin of a site makes of requests',
    description:
      'Conventions by which its paths are read, whether known headers alone are forwarded, which host the origin is told, whether names in bodies are rewritten, whether keys are taken as passwords, which answers are taken, which protocol is spoken with it, and what becomes of CORS preflights.',
    permission: 'sites:read',
    response: forwardingSettings,
    versioned: true,
    examples: { response: DEFAULT_FORWARDING_SETTINGS },
  },
  sitesSetForwarding: {
    params: idParams,
    method: 'PUT',
    path: '/api/Sites/{id}/forwarding',
    summary: 'Say what the origin of a site makes of requests',
    description:
      'Block rules and firewall settings then hold for these readings of a target, too. `frontController`: `/index.php/admin` is `/admin`; `formatSuffix`: `/admin.json` is; `plusAsSpace`: `/admin+` is; `nextJs`: `/_next/data/<build>/admin.json` is. With `keepsGatedHost` the origin is told the gated name as `Host`, and not its own; it is off where it is absent. With `rewritesBodies` the names of the origin, and of those of its group, become gated ones in the text of answers; so is that. With `acceptsKeyAsPassword` the gate takes a researcher key as the password of HTTP Basic, too; so is that. With `takesLenientAnswers` answers whose heads have bare line feeds or folded lines, or no head at all (HTTP/0.9), are taken as browsers take them, and not answered for with 502; it is off where it is absent. `originProtocol`: `http1` (where it is absent, too), `http2` (without TLS by prior knowledge, h2c), or `auto` (over TLS by ALPN); WebSockets are asked for in HTTP/1.1. `preflights`: CORS preflights from pages of the other sites of the organization are refused (where it is absent, too), answered by the gate, or forwarded.',
    permission: 'sites:write',
    body: forwardingSettings,
    response: forwardingSettings,
    versioned: true,
    examples: {
      body: { ...DEFAULT_FORWARDING_SETTINGS, pathConventions: ['frontController'] },
      response: { ...DEFAULT_FORWARDING_SETTINGS, pathConventions: ['frontController'] },
    },
  },
  sitesGetDefinitionRule: {
    params: idParams,
    path: '/api/Sites/{id}/definition-rule',
    summary: 'Read what the API definition of a site is as a rule',
    description:
      'What the uploaded definition judges by, or would where it is off, and which recorded requests of the last 7 days it does not list: at least these, because the record knows a path in one reading. A site without a definition, or with one that cannot be a rule, has a `fault`.',
    permission: 'traffic:read',
    response: definitionRuleState,
    examples: {
      response: {
        mode: 'off',
        fault: '',
        operations: 12,
        bytes: 5113,
        leftOut: ['patterns (2)'],
        preview: {
          since: EXAMPLE.time,
          requests: 2400,
          unlisted: 31,
          operations: [{ method: 'GET', path: '/debug', requests: 31 }],
        },
      },
    },
  },
  sitesGetHealth: {
    params: idParams,
    path: '/api/Sites/{id}/health',
    summary: 'Read how the gateways find the origin of a site',
    description:
      'As the live gateways last reported it; a gateway that has not tried the origin since it began, or since the site has this one, is not listed.',
    permission: 'sites:read',
    response: siteHealth,
    examples: {
      response: {
        siteId: EXAMPLE.siteId,
        state: 'healthy',
        gateways: [
          { gatewayId: 'gateway-1', state: 'healthy', reason: '', since: EXAMPLE.time, isUpToDate: true },
        ],
      },
    },
  },
})
