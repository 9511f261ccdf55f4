/**
 * Reads the settings, once: from the environment, and from a YAML file for what the environment does not say. The
 * result is frozen and passed down; nothing else in the project reads the environment.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { OperatorError } from './operator-error.ts'
import { SETTINGS, type SettingDefinition, type Settings } from './settings.ts'

/** Read from the data directory when no other file is named. */
const CONFIG_FILE = 'sallyport.yaml'

const DEFINITIONS: readonly (readonly [string, SettingDefinition])[] = Object.entries(SETTINGS)

const PREFIX = 'SALLYPORT_'
/** Those of commands, which are no settings. */
const OF_COMMANDS = [
  'SALLYPORT_URL',
  'SALLYPORT_API_KEY',
  'SALLYPORT_ENROLMENT_TOKEN',
  'SALLYPORT_RESEARCHER_KEY',
]
const KNOWN_VARIABLES = new Set([...DEFINITIONS.map(([, { variable }]) => variable), ...OF_COMMANDS])

/**
 * Throws an `OperatorError` with one line for each setting that is wrong, by the name under which it was given.
 * @param file path of a YAML file; without one, `sallyport.yaml` in the data directory is read where it exists.
 */
export async function readConfig(environment: NodeJS.ProcessEnv, file?: string): Promise<Settings> {
  const path = file ?? join(environment[SETTINGS.dataDir.variable] || './data', CONFIG_FILE)
  const written = file !== undefined || existsSync(path) ? await readYaml(path) : {}
  const problems = Object.keys(written)
    .filter((key) => !(key in SETTINGS))
    .map((key) => `${path}: there is no setting named ${key}`)
  const values: Record<string, unknown> = {}
  for (const [key, { variable, schema, secret }] of DEFINITIONS) {
    // An empty variable counts as absent: that is how an environment file switches a setting off.
    const inEnvironment = environment[variable]
    const fromEnvironment = isLink(variable, inEnvironment) ? undefined : inEnvironment || undefined
    const given = fromEnvironment ?? written[key] ?? undefined
    const result = schema.safeParse(given)
    if (result.success) {
      values[key] = result.data
      continue
    }
    const name = fromEnvironment === undefined ? `${key} in ${path}` : variable
    const reason = result.error.issues[0]?.message ?? 'is not valid'
    problems.push(`${name}: ${reason}${secret ? '' : `, and ${JSON.stringify(given)} is not`}`)
  }
  if (problems.length === 0) problems.push(...findContradictions(values))
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
  values.dataDir = resolve(String(values.dataDir))
  // The table's own schemas made each value, key by key.
  return Object.freeze(values) as Settings
}

/**
 * The variables of this environment that look like settings and are none: a misspelt one would be ignored without a word.
 * Links to services that Kubernetes and Docker put there (`SALLYPORT_PORT_7070_TCP`) are nobody's spelling.
 */
export const findUnknownVariables = (environment: NodeJS.ProcessEnv): string[] =>
  Object.entries(environment)
    .filter(([name, value]) => name.startsWith(PREFIX) && !KNOWN_VARIABLES.has(name) && !isLink(name, value))
    .map(([name]) => name)
    .toSorted()

const isLink = (name: string, value = ''): boolean =>
  /_SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/.test(name) ||
  (/_PORT$/.test(name) && /^(?:tcp|udp|sctp):\/\//.test(value))

async function readYaml(path: string): Promise<Record<string, unknown>> {
  const { parse } = await import('yaml')
  try {
    const value: unknown = parse(readFileSync(path, 'utf8'), { maxAliasCount: 0 }) ?? {}
    if (typeof value === 'object' && !Array.isArray(value)) return { ...value }
    throw new Error('it must be a list of settings with their values')
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    throw new OperatorError(`the settings file ${path} cannot be read: ${reason}`)
  }
}

function findContradictions(values: Readonly<Record<string, unknown>>): string[] {
  const problems: string[] = []
  if (values.oidcIssuer && !values.oidcAudience)
    problems.push(
      'OIDC_AUDIENCE: must be set with OIDC_ISSUER, or tokens made for other services would be taken',
    )
  if (values.databaseOwnerUrl && !values.databaseUrl)
    problems.push('DATABASE_URL: must be set with DATABASE_OWNER_URL')
  if (values.databaseDirectUrl && !(values.databaseUrl && values.databaseOwnerUrl))
    problems.push(
      'DATABASE_OWNER_URL: must be set with DATABASE_DIRECT_URL, and DATABASE_URL to the pooler: roles are not made through one',
    )
  if (values.clickhouseCluster && !values.clickhouseUrl)
    problems.push('CLICKHOUSE_URL: must be set with CLICKHOUSE_CLUSTER, to a node of it')
  if (values.proxyPort !== undefined && !values.tlsDir)
    problems.push('SALLYPORT_TLS_DIR: must be set with SALLYPORT_PROXY_PORT, or keys would go in the clear')
  if (Boolean(values.smtpUrl) !== Boolean(values.smtpFrom))
    problems.push('SALLYPORT_SMTP_FROM: must be set with SALLYPORT_SMTP_URL, and with nothing else')
  const control = URL.parse(String(values.publicUrl ?? ''))?.hostname
  if (control === (values.gateHost ?? `sallyport.${values.gateDomain}`))
    problems.push(
      "SALLYPORT_GATE_HOST: must be set to another host than that of SALLYPORT_PUBLIC_URL, which is the control plane's",
    )
  return problems
}
