/** Schemas of the contract as JSON Schema, the well-known ones under their names. */
import {
  apiKey,
  apiOperation,
  auditEntry,
  billing,
  creditEntry,
  ERRORS,
  firewallSettings,
  forwardingSettings,
  hacker,
  member,
  organization,
  organizationDetails,
  outcomeCounts,
  profile,
  project,
  projectInput,
  projectItem,
  projectItemInput,
  rateLimitPolicy,
  recordedRequest,
  recordSettings,
  site,
  siteGroup,
  siteHealth,
} from '@sallyport/contract'
import { z } from 'zod'

/** Schemas that have a name of their own in the document. */
const NAMES = z
  .registry<{ id: string }>()
  .add(site, { id: 'Site' })
  .add(siteGroup, { id: 'SiteGroup' })
  .add(siteHealth, { id: 'SiteHealth' })
  .add(firewallSettings, { id: 'FirewallSettings' })
  .add(recordSettings, { id: 'RecordSettings' })
  .add(forwardingSettings, { id: 'ForwardingSettings' })
  .add(hacker, { id: 'Hacker' })
  .add(project, { id: 'Project' })
  .add(projectItem, { id: 'ProjectItem' })
  .add(projectInput, { id: 'ProjectInput' })
  .add(projectItemInput, { id: 'ProjectItemInput' })
  .add(profile, { id: 'Profile' })
  .add(organization, { id: 'Organization' })
  .add(organizationDetails, { id: 'OrganizationDetails' })
  .add(billing, { id: 'BillingDetails' })
  .add(creditEntry, { id: 'CreditEntry' })
  .add(rateLimitPolicy, { id: 'RateLimitPolicy' })
  .add(apiOperation, { id: 'ApiOperation' })
  .add(apiKey, { id: 'ApiKey' })
  .add(member, { id: 'Member' })
  .add(auditEntry, { id: 'AuditEntry' })
  .add(outcomeCounts, { id: 'OutcomeCounts' })
  .add(recordedRequest, { id: 'RecordedRequest' })

type JsonSchema = Record<string, unknown>

/** Turns schemas into JSON Schema and collects the named ones, for `components/schemas`. */
export class SchemaCollector {
  readonly components: Record<string, JsonSchema> = {}

  readonly input = (schema: z.ZodType): JsonSchema => this.#convert(schema, 'input')
  readonly output = (schema: z.ZodType): JsonSchema => this.#convert(schema, 'output')

  #convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const converted: JsonSchema = z.toJSONSchema(schema, { io, metadata: NAMES, unrepresentable: 'any' })
    const { $schema: _dialect, $defs, id, ...rest } = rewriteReferences(converted, io)
    for (const [name, definition] of Object.entries(
      (($defs as JsonSchema | undefined) ?? {}) as Record<string, JsonSchema>,
    )) {
      const { id: _name, ...content } = definition
      this.components[componentName(name, io)] ??= content
    }
    if (typeof id !== 'string') return rest
    this.components[componentName(id, io)] ??= rest
    return { $ref: `#/components/schemas/${componentName(id, io)}` }
  }
}

/** A schema that is sent and answered alike differs in what may be absent: defaults make fields optional when sent. */
const SENT_AND_ANSWERED = new Set(['FirewallSettings', 'RecordSettings', 'ForwardingSettings'])
const componentName = (name: string, io: 'input' | 'output'): string =>
  io === 'input' && SENT_AND_ANSWERED.has(name) ? `${name}Input` : name

/** `#/$defs/Site` becomes `#/components/schemas/Site`. */
function rewriteReferences(schema: JsonSchema, io: 'input' | 'output'): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema).replaceAll(
      /"#\/\$defs\/([^"]+)"/g,
      (_reference, name: string) => `"#/components/schemas/${componentName(name, io)}"`,
    ),
  )
}

/** RFC 9457, as every error is answered. */
export const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'message', 'instance', 'requestId', 'code'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    message: { type: 'string', description: 'The same as `detail`.' },
    instance: { type: 'string' },
    requestId: { type: 'string' },
    code: { type: 'string', enum: Object.keys(ERRORS) },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: {
            type: 'string',
            description: 'A JSON Pointer into the body, or `query/name`, `params/name`, `headers/name`.',
          },
          message: { type: 'string' },
        },
      },
    },
  },
}
