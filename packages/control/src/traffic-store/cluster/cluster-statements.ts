/**
 * Statements of one server, as a cluster needs them, so that each is written once.
 *
 * Of a table `t`, each shard has a replicated table `t_local` with its part of the rows, and each node a table `t` of ClickHouse's
 * `Distributed` engine, which everything is read from and inserted into. What changes tables goes to all nodes by `ON CLUSTER`;
 * views feed the local tables from local ones, so that a rollup lies where its requests lie.
 */

export interface ClusterPlace {
  /** The cluster's name in the configuration of its nodes. */
  readonly cluster: string
  readonly database: string
}

const LOCAL = '_local'
/** Inserts that Keeper remembers of a table and shard, and for how long, in seconds: a gateway repeats a batch within minutes. */
const REMEMBERED = 100_000
const REMEMBERED_SECONDS = 7 * 86_400

/** What decides on which shard a row lies; what is of no organization lies by its gateway, and the list of migrations on one shard. */
const SHARDING_KEYS: Readonly<Record<string, string>> = {
  migrations: '0',
  set_aside: 'cityHash64(gateway_id)',
  stored_batches: 'cityHash64(gateway_id)',
  batch_parts: 'cityHash64(gateway_id)',
}
const BY_ORGANIZATION = 'cityHash64(org_id)'

const CREATE_TABLE =
  /^CREATE TABLE IF NOT EXISTS (\w+)\s*(\([\s\S]*\))\s*ENGINE = (\w*MergeTree)(?:\(([^)]*)\))?([\s\S]*)$/
const CREATE_VIEW = /^CREATE MATERIALIZED VIEW IF NOT EXISTS (\w+) TO (\w+) AS\b([\s\S]*)$/
const ALTER = /^ALTER TABLE (\w+) ([\s\S]*)$/
const ADD_COLUMN = /^ADD COLUMN\b/
const DROP = /^DROP (TABLE|VIEW) IF EXISTS (\w+)$/
const TRUNCATE = /^TRUNCATE TABLE (\w+)$/
const ROWS_ALONE = /^INSERT INTO\b/

/** The statements that do in a cluster what this one does on a server. Throws where there is no form for it. */
export function clusterStatements(statement: string, place: ClusterPlace): string[] {
  const text = statement.trim()
  const table = CREATE_TABLE.exec(text)
  if (table) return createTable(table, place)
  const view = CREATE_VIEW.exec(text)
  if (view) return [createView(view, place)]
  const [, altered = '', change = ''] = ALTER.exec(text) ?? []
  if (altered)
    return [localOf(altered), ...(ADD_COLUMN.test(change) ? [altered] : [])].map(
      (name) => `ALTER TABLE ${everywhere(name, place)} ${change}`,
    )
  const [, kind = '', dropped = ''] = DROP.exec(text) ?? []
  if (kind === 'VIEW') return [`DROP VIEW IF EXISTS ${everywhere(dropped, place)}`]
  if (kind)
    return [
      `DROP TABLE IF EXISTS ${everywhere(dropped, place)}`,
      `DROP TABLE IF EXISTS ${everywhere(localOf(dropped), place)} SYNC`,
    ]
  const [, truncated = ''] = TRUNCATE.exec(text) ?? []
  if (truncated) return [`TRUNCATE TABLE ${everywhere(localOf(truncated), place)}`]
  if (ROWS_ALONE.test(text)) return [text]
  throw new Error(`there is no form for a cluster of: ${text.slice(0, 80)}`)
}

/** The table of which each shard has a part. */
const localOf = (name: string): string => (name.endsWith(LOCAL) ? name : `${name}${LOCAL}`)
const quoted = (name: string): string => `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``
const literal = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`
const qualified = (name: string, { database }: ClusterPlace): string => `${quoted(database)}.${name}`
const everywhere = (name: string, place: ClusterPlace): string =>
  `${qualified(name, place)} ON CLUSTER ${quoted(place.cluster)}`

function createTable(
  [, name = '', columns = '', engine = '', engineArguments = '', rest = '']: RegExpExecArray,
  place: ClusterPlace,
): string[] {
  const local = localOf(name)
  const path = `/clickhouse/tables/${place.cluster}/{shard}/${place.database}/${local}`
  const given = engineArguments.trim()
  const replicated = `Replicated${engine}(${[literal(path), "'{replica}'", ...(given ? [given] : [])].join(', ')})`
  const [order = '', settings = ''] = rest.split(/\bSETTINGS\b/)
  const kept = settings
    .split(',')
    .map((setting) => setting.trim())
    .filter((setting) => setting !== '' && !setting.startsWith('non_replicated_deduplication_window'))
  const all = [
    ...kept,
    `replicated_deduplication_window = ${REMEMBERED}`,
    `replicated_deduplication_window_seconds = ${REMEMBERED_SECONDS}`,
  ]
  const key = SHARDING_KEYS[name] ?? BY_ORGANIZATION
  return [
    `CREATE TABLE IF NOT EXISTS ${everywhere(local, place)}\n${columns}\nENGINE = ${replicated}${order.trimEnd()}\nSETTINGS ${all.join(', ')}`,
    `CREATE TABLE IF NOT EXISTS ${everywhere(name, place)}\nAS ${qualified(local, place)}
ENGINE = Distributed(${literal(place.cluster)}, ${literal(place.database)}, ${literal(local)}, ${key})`,
  ]
}

function createView([, name = '', to = '', select = '']: RegExpExecArray, place: ClusterPlace): string {
  const fromLocal = select.replaceAll(
    /\bFROM (\w+)\b/g,
    (_, table: string) => `FROM ${qualified(localOf(table), place)}`,
  )
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS ${everywhere(name, place)} TO ${qualified(localOf(to), place)} AS${fromLocal}`
}
