/**
 * Every setting, in one table: its name in the environment and its form. The key is its name in the YAML file.
 * docs/settings.md says what each is for; a test holds the two together.
 */
import { GATEWAY_THREADS_MAX, JWT_ALGORITHMS } from '@sallyport/contract/words'
import { z } from 'zod'

/** A number in the environment is text. White space is none, though `Number` makes 0 of it. */
const numberFrom = (value: unknown): unknown =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : value
const whole = (min: number, max: number) =>
  z.preprocess(numberFrom, z.number(`a whole number from ${min} to ${max}`).int().min(min).max(max))
const port = whole(0, 65_535)
const text = z
  .string('text')
  .trim()
  .min(1, 'must not be white space alone')
  .regex(/^\P{Cc}*$/u, 'must be one line, without control characters')
/** `URL.parse` forgives `http:host`, of which no URL can be made by appending to it. */
const isUrlOf = (value: string, schemes: readonly string[]): boolean =>
  URL.canParse(value) && schemes.some((scheme) => value.toLowerCase().startsWith(`${scheme}://`))
const exactUrl = (...schemes: string[]) =>
  text.refine((value) => isUrlOf(value, schemes), {
    error: `must be a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  })
/** A user or password with a bare `%` would be read as something else, or not at all. */
const isDecodable = (value: string): boolean => {
  const { username = '', password = '' } = URL.parse(value) ?? {}
  try {
    decodeURIComponent(`${username}:${password}`)
    return true
  } catch {
    return false
  }
}
const url = (...schemes: string[]) =>
  exactUrl(...schemes)
    .refine(isDecodable, { error: 'must have the user and the password percent-encoded' })
    .transform((value) => value.replace(/\/+$/, ''))
/** One that paths are appended to. */
const baseUrl = url('http', 'https').refine((value) => !/[?#]|\/\/[^/]*@/.test(value), {
  error: 'must have no user, query or fragment',
})
/** The client takes its options from a query, of which some are ours to set, and throws for one that it does not know. */
const clickhouse = url('http', 'https').refine((value) => !/[?#]/.test(value), {
  error: 'must have no query or fragment',
})
const domain = text.toLowerCase().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'must be a host name')
const list = z
  .union([z.string().transform((value) => value.split(',')), z.array(text)])
  .transform((items) => items.map((item) => item.trim()).filter((item) => item !== ''))
const cidrs = list.pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], 'each must be a CIDR such as 10.0.0.0/8')))
/** Host names as URLs write them: lower case, an IPv6 address in brackets. */
const hosts = list.pipe(
  z.array(
    z
      .string()
      .toLowerCase()
      .regex(/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/, 'each must be a host name'),
  ),
)
/** The same, or `*.` and a name for all hosts below it. */
const hostPatterns = list.pipe(
  z.array(
    z
      .string()
      .toLowerCase()
      .regex(/^(?:(?:\*\.)?[a-z0-9._-]+|\[[0-9a-f:.]+\])$/, 'each must be a host name, or *. and one'),
  ),
)
/** `name=value`, several separated by commas. */
const pairs = list
  .pipe(z.array(z.string().regex(/^[^=]+=[^=]+$/, 'each must be name=value')))
  .transform((items) =>
    Object.fromEntries(items.map((item) => item.split('=', 2).map((part) => part.trim()))),
  )
  .pipe(z.record(z.string(), z.string()))
const algorithms = list.pipe(
  z
    .array(z.enum(JWT_ALGORITHMS, `each must be one of ${JWT_ALGORITHMS.join(', ')}`))
    .min(1, 'must name at least one'),
)
/** 32 bytes, as 64 hex digits or as base64. */
const key32 = text
  .transform((value) => Buffer.from(value, /^[0-9a-f]{64}$/i.test(value) ? 'hex' : 'base64'))
  .refine((bytes) => bytes.length === 32, { error: 'must be 32 bytes in base64 or hex' })
const secret = text.min(16, 'must have at least 16 characters')
const headerValue = text.regex(/^[\x20-\x7e]+$/, 'must be the value of a header')
const seconds = whole(0, 86_400)
const bytes = whole(1, Number.MAX_SAFE_INTEGER)
const count = whole(1, 1_000_000)
/** As many as anybody runs control planes. */
const CONTROL_URLS_MAX = 16
/** Two pings of the feed. */
const CONTROL_SILENCE_MS_MIN = 500

/** One setting. `secret` values, and URLs in which somebody may have put a password, never appear in an error line. */
export interface SettingDefinition {
  readonly variable: string
  readonly schema: z.ZodType
  readonly secret?: true
}

const setting = <const Schema extends z.ZodType>(variable: string, schema: Schema) => ({ variable, schema })
const secretSetting = <const Schema extends z.ZodType>(variable: string, schema: Schema) =>
  ({ variable, schema, secret: true }) as const

export const SETTINGS = {
  dataDir: setting('SALLYPORT_DATA_DIR', text.default('./data')),
  logLevel: setting(
    'SALLYPORT_LOG_LEVEL',
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('warn'),
  ),
  tracesUrl: secretSetting(
    'SALLYPORT_TRACES_URL',
    exactUrl('http', 'https')
      .refine((value) => !/\/\/[^/]*@/.test(value), {
        error: 'must name no user or password: SALLYPORT_TRACES_AUTHORIZATION is for these',
      })
      .optional(),
  ),
  tracesAuthorization: secretSetting('SALLYPORT_TRACES_AUTHORIZATION', headerValue.optional()),
  tracesPart: setting(
    'SALLYPORT_TRACES_PART',
    z.preprocess(numberFrom, z.number('a number from 0 to 1').min(0).max(1)).default(0.05),
  ),
  gateDomain: setting('SALLYPORT_GATE_DOMAIN', domain.default('gate.localhost')),
  gateHost: setting('SALLYPORT_GATE_HOST', domain.optional()),
  allowPrivateOrigins: setting('SALLYPORT_ALLOW_PRIVATE_ORIGINS', cidrs.default([])),
  originProof: setting('SALLYPORT_ORIGIN_PROOF', z.enum(['auto', 'always', 'never']).default('auto')),
  secretKey: secretSetting('SALLYPORT_SECRET_KEY', key32.optional()),
  earlierSecretKeys: secretSetting('SALLYPORT_EARLIER_SECRET_KEYS', list.pipe(z.array(key32)).default([])),
  gatewayToken: secretSetting('SALLYPORT_GATEWAY_TOKEN', secret.optional()),

  controlHost: setting('SALLYPORT_CONTROL_HOST', text.default('127.0.0.1')),
  controlPort: setting('SALLYPORT_CONTROL_PORT', port.default(7070)),
  controlAdminHost: setting('SALLYPORT_CONTROL_ADMIN_HOST', text.default('127.0.0.1')),
  controlAdminPort: setting('SALLYPORT_CONTROL_ADMIN_PORT', port.default(7071)),
  trustedProxies: setting('SALLYPORT_TRUSTED_PROXIES', cidrs.default([])),
  publicUrl: secretSetting('SALLYPORT_PUBLIC_URL', baseUrl.optional()),
  databaseUrl: secretSetting('DATABASE_URL', url('postgres', 'postgresql').optional()),
  databaseDirectUrl: secretSetting('DATABASE_DIRECT_URL', url('postgres', 'postgresql').optional()),
  databaseOwnerUrl: secretSetting('DATABASE_OWNER_URL', url('postgres', 'postgresql').optional()),
  clickhouseUrl: secretSetting('CLICKHOUSE_URL', clickhouse.optional()),
  clickhouseCluster: setting(
    'CLICKHOUSE_CLUSTER',
    text.regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be letters, digits, dots, underscores and hyphens').optional(),
  ),
  // An issuer is compared letter by letter, and some end with a slash.
  oidcIssuer: setting('OIDC_ISSUER', exactUrl('http', 'https').optional()),
  oidcAudience: setting('OIDC_AUDIENCE', text.optional()),
  oidcClientId: setting('OIDC_CLIENT_ID', text.default('sallyport-console')),
  oidcScope: setting('OIDC_SCOPE', text.optional()),
  oidcOrganizationClaim: setting('OIDC_ORG_CLAIM', text.default('org_id')),
  oidcOrganizations: setting('OIDC_ORGANIZATIONS', pairs.default({})),
  oidcEmailClaim: setting('OIDC_EMAIL_CLAIM', text.default('email')),
  oidcEmailVerified: setting('OIDC_EMAIL_VERIFIED', text.default('email_verified')),
  oidcRoleClaim: setting('OIDC_ROLE_CLAIM', text.default('role')),
  oidcAlgorithms: setting('OIDC_ALGORITHMS', algorithms.default(['RS256', 'ES256', 'PS256', 'EdDSA'])),

  webhookHosts: setting('SALLYPORT_WEBHOOK_HOSTS', hostPatterns.default([])),
  webhookPrivateAddresses: setting('SALLYPORT_WEBHOOK_PRIVATE_ADDRESSES', cidrs.default([])),
  webhookPlainHosts: setting('SALLYPORT_WEBHOOK_PLAIN_HOSTS', hosts.default([])),
  smtpUrl: secretSetting('SALLYPORT_SMTP_URL', url('smtp', 'smtps').optional()),
  smtpFrom: setting('SALLYPORT_SMTP_FROM', z.email('must be an e-mail address').optional()),

  gatewayThreads: setting('SALLYPORT_GATEWAY_THREADS', whole(1, GATEWAY_THREADS_MAX).optional()),
  gatewayHost: setting('SALLYPORT_GATEWAY_HOST', text.default('127.0.0.1')),
  gatewayPort: setting('SALLYPORT_GATEWAY_PORT', port.default(7080)),
  gatewayAdminHost: setting('SALLYPORT_GATEWAY_ADMIN_HOST', text.default('127.0.0.1')),
  gatewayAdminPort: setting('SALLYPORT_GATEWAY_ADMIN_PORT', port.default(7081)),
  gatewayAdminToken: secretSetting('SALLYPORT_GATEWAY_ADMIN_TOKEN', secret.optional()),
  gatewayId: setting(
    'SALLYPORT_GATEWAY_ID',
    text.regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be letters, digits, dots and hyphens').optional(),
  ),
  gatewayPublicUrl: secretSetting('SALLYPORT_GATEWAY_PUBLIC_URL', baseUrl.optional()),
  controlUrl: secretSetting(
    'SALLYPORT_CONTROL_URL',
    list.pipe(z.array(baseUrl).min(1).max(CONTROL_URLS_MAX)).optional(),
  ),
  controlSilenceMs: setting('SALLYPORT_CONTROL_SILENCE_MS', whole(CONTROL_SILENCE_MS_MIN, 60_000).optional()),
  allowPlainControlUrl: setting('SALLYPORT_ALLOW_PLAIN_CONTROL_URL', hosts.default([])),
  valkeyUrl: secretSetting('VALKEY_URL', url('redis', 'rediss', 'valkey', 'valkeys').optional()),
  tlsDir: setting('SALLYPORT_TLS_DIR', text.optional()),
  tlsPort: setting('SALLYPORT_TLS_PORT', port.default(7443)),
  proxyPort: setting('SALLYPORT_PROXY_PORT', port.optional()),
  proxyProtocolFrom: setting('SALLYPORT_PROXY_PROTOCOL_FROM', cidrs.default([])),
  gatewayTrustedProxies: setting('SALLYPORT_GATEWAY_TRUSTED_PROXIES', cidrs.default([])),
  gatewayForwardedHeader: setting(
    'SALLYPORT_GATEWAY_FORWARDED_HEADER',
    z.enum(['x-forwarded-for', 'forwarded']).default('x-forwarded-for'),
  ),
  originAuthoritiesFile: setting('SALLYPORT_ORIGIN_AUTHORITIES_FILE', text.optional()),
  journalBytesMax: setting('SALLYPORT_JOURNAL_BYTES_MAX', bytes.optional()),
  journalWhenFull: setting('SALLYPORT_JOURNAL_WHEN_FULL', z.enum(['stop', 'drop-oldest']).default('stop')),
  headBytesMax: setting('SALLYPORT_HEAD_BYTES_MAX', bytes.optional()),
  bodyBytesMax: setting('SALLYPORT_BODY_BYTES_MAX', bytes.optional()),
  connectionsMax: setting('SALLYPORT_CONNECTIONS_MAX', count.optional()),
  streamsPerResearcherMax: setting('SALLYPORT_STREAMS_PER_RESEARCHER_MAX', count.optional()),
  originConnectionsMax: setting('SALLYPORT_ORIGIN_CONNECTIONS_MAX', count.optional()),
  originConnectionsPerResearcherMax: setting(
    'SALLYPORT_ORIGIN_CONNECTIONS_PER_RESEARCHER_MAX',
    count.optional(),
  ),
  originConnectTimeoutSeconds: setting('SALLYPORT_ORIGIN_CONNECT_TIMEOUT_SECONDS', seconds.optional()),
  originHeadTimeoutSeconds: setting('SALLYPORT_ORIGIN_HEAD_TIMEOUT_SECONDS', seconds.optional()),
  originBodyIdleTimeoutSeconds: setting('SALLYPORT_ORIGIN_BODY_IDLE_TIMEOUT_SECONDS', seconds.optional()),
  websocketIdleTimeoutSeconds: setting('SALLYPORT_WEBSOCKET_IDLE_TIMEOUT_SECONDS', seconds.optional()),
  drainTimeoutSeconds: setting('SALLYPORT_DRAIN_TIMEOUT_SECONDS', seconds.optional()),
} satisfies Record<string, SettingDefinition>

/** The value of every setting, parsed. Those without a default may be undefined. */
export type Settings = {
  readonly [Key in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[Key]['schema']>
}
