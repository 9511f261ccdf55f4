/**
 * What OCSF 1.6.0 says of the class HTTP Activity (4002) with the profile Security Control, as far as an event of ours has
 * it: which attributes there are, of which type, which are required, which numbers their enumerations know, and of which
 * at least one must be there. From https://schema.ocsf.io/1.6.0/classes/http_activity, in our own words.
 */

type Type = 'string' | 'integer' | 'long' | 'port' | 'ip' | 'object' | 'strings'

interface Attribute {
  readonly type: Type
  readonly isRequired?: true
  readonly values?: readonly (number | string)[]
  readonly object?: ObjectRule
}

interface ObjectRule {
  readonly attributes: Readonly<Record<string, Attribute>>
  readonly atLeastOne?: readonly (readonly string[])[]
}

const string: Attribute = { type: 'string' }
const integer: Attribute = { type: 'integer' }
const long: Attribute = { type: 'long' }
const required = (attribute: Attribute): Attribute => ({ ...attribute, isRequired: true })
const oneOf = (...values: (number | string)[]): Attribute => ({
  type: typeof values[0] === 'number' ? 'integer' : 'string',
  values,
})
const object = (
  attributes: Readonly<Record<string, Attribute>>,
  atLeastOne: readonly (readonly string[])[] = [],
): Attribute => ({ type: 'object', object: { attributes, atLeastOne } })
const upTo = (last: number, ...more: number[]): Attribute =>
  oneOf(...Array.from({ length: last + 1 }, (_, value) => value), ...more)

const ENDPOINT_NAMES = ['ip', 'uid', 'name', 'hostname', 'instance_uid', 'interface_uid', 'interface_name']
const endpoint = object(
  {
    ip: { type: 'ip' },
    hostname: string,
    port: { type: 'port' },
    uid: string,
    owner: object({ uid: string, name: string, email_addr: string }, [['account', 'name', 'uid']]),
  },
  [ENDPOINT_NAMES],
)

const HTTP_ACTIVITY: ObjectRule = {
  attributes: {
    metadata: required(
      object({
        version: required(string),
        product: required(
          object({
            name: string,
            vendor_name: string,
            version: string,
            feature: object({ name: string, uid: string, version: string }),
          }),
        ),
        profiles: { type: 'strings' },
        uid: string,
        tenant_uid: string,
        event_code: string,
      }),
    ),
    category_uid: required(oneOf(4)),
    category_name: oneOf('Network Activity'),
    class_uid: required(oneOf(4002)),
    class_name: oneOf('HTTP Activity'),
    activity_id: required(upTo(9, 99)),
    activity_name: string,
    type_uid: required(oneOf(...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 99].map((activity) => 400_200 + activity))),
    type_name: string,
    time: required(long),
    duration: long,
    count: integer,
    severity_id: required(upTo(6, 99)),
    severity: string,
    status_id: upTo(2, 99),
    status: string,
    status_code: string,
    status_detail: string,
    action_id: upTo(4, 99),
    action: string,
    disposition_id: upTo(27, 99),
    disposition: string,
    firewall_rule: object({
      uid: string,
      name: string,
      type: string,
      condition: string,
      sensitivity: string,
      match_location: string,
      match_details: { type: 'strings' },
    }),
    src_endpoint: endpoint,
    dst_endpoint: endpoint,
    tls: object({ version: required(string) }),
    http_request: object({
      uid: string,
      http_method: oneOf('CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'TRACE', 'PATCH'),
      version: string,
      user_agent: string,
      length: integer,
      url: object(
        {
          scheme: string,
          hostname: string,
          port: { type: 'port' },
          path: string,
          query_string: string,
          url_string: string,
        },
        [['url_string', 'path']],
      ),
    }),
    http_response: object({ code: required(integer), length: integer, latency: integer }),
    traffic: object({ bytes_in: long, bytes_out: long }),
    // An object of the producer's own.
    unmapped: { type: 'object' },
  },
  atLeastOne: [
    ['src_endpoint', 'dst_endpoint'],
    ['http_request', 'http_response'],
  ],
}

const INTEGER_MAX = 2 ** 31 - 1
const IPV4_OR_6 = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:.]*:[0-9a-f:.]*)$/i

const FITS: Readonly<Record<Type, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string' && value !== '',
  integer: (value) => Number.isInteger(value) && Math.abs(Number(value)) <= INTEGER_MAX,
  long: (value) => Number.isSafeInteger(value),
  port: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
  ip: (value) => typeof value === 'string' && value.length <= 40 && IPV4_OR_6.test(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  strings: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
}

/** What is wrong with an event, in sentences; nothing where it is of the class. */
export function problemsOf(event: unknown, rule: ObjectRule = HTTP_ACTIVITY, path = 'event'): string[] {
  if (!FITS.object(event)) return [`${path} is not an object`]
  const given = event as Readonly<Record<string, unknown>>
  const problems = Object.keys(given)
    .filter((name) => !(name in rule.attributes))
    .map((name) => `${path}.${name} is not known`)
  for (const [name, attribute] of Object.entries(rule.attributes)) {
    const value = given[name]
    const where = `${path}.${name}`
    if (value === undefined) {
      if (attribute.isRequired) problems.push(`${where} is required`)
    } else if (!FITS[attribute.type](value)) problems.push(`${where} is not of type ${attribute.type}`)
    else if (attribute.values && !attribute.values.includes(value as number | string))
      problems.push(`${where} is not one of its values`)
    else if (attribute.object) problems.push(...problemsOf(value, attribute.object, where))
  }
  for (const names of rule.atLeastOne ?? [])
    if (!names.some((name) => given[name] !== undefined))
      problems.push(`${path} has none of ${names.join(', ')}`)
  return problems
}
