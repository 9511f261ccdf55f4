/**
 * What the members of an OpenAPI document of any version are: parts that the specification knows, names that the API gives, or values of the
 * API. So a property that is called `default`, or a header `X-Total`, is not taken for the keyword or the extension of that name.
 */

/**
 * `document` is the outermost object, `components` the maps of shared parts, `patterned` a part whose names stand beside extensions
 * (`responses` of an operation), `names` a map whose keys are all names, `value` what is nobody's part.
 */
export type PartKind =
  | 'document'
  | 'components'
  | 'part'
  | 'patterned'
  | 'names'
  | 'value'
  | 'requirements'
  | 'examples'
  | 'extension'

/** Maps whose keys are names that the API gives, and not members that OpenAPI knows. */
const NAME_MAPS: ReadonlySet<string> = new Set(
  'properties patternProperties dependentSchemas dependentRequired dependencies $defs definitions schemas parameters requestBodies headers securitySchemes securityDefinitions links callbacks pathItems mediaTypes variables mapping encoding content scopes webhooks'.split(
    ' ',
  ),
)
/** Values of the API, whose members are nobody's extensions. */
const VALUES: ReadonlySet<string> = new Set(['example', 'default', 'enum', 'const', 'value'])

/** What the member `key` of an object of a kind is. */
export function memberKind(key: string, kind: PartKind): PartKind {
  if (kind === 'value' || kind === 'extension') return kind
  if (kind === 'names') return 'part'
  // In Swagger 2.0 the examples of an answer are values, by media type.
  if (kind === 'examples') return key.includes('/') ? 'value' : 'part'
  // Paths and their like are told from extensions by how they begin.
  if (key.startsWith('x-') && kind !== 'components') return 'extension'
  if (kind === 'patterned') return 'part'
  if (key === 'responses') return kind === 'part' ? 'patterned' : 'names'
  if (kind === 'components') return 'names'
  if (kind === 'document' && key === 'components') return 'components'
  if (key === 'security') return 'requirements'
  if (key === 'examples') return 'examples'
  if (VALUES.has(key)) return 'value'
  return NAME_MAPS.has(key) ? 'names' : 'part'
}

/** What the items of a list of a kind are. */
export function itemKind(kind: PartKind): PartKind {
  if (kind === 'requirements') return 'names'
  if (kind === 'examples') return 'value'
  return kind === 'value' || kind === 'extension' ? kind : 'part'
}
