/**
 * Upgrades from the state before each of the last migrations of both stores, and from that of each release, with data in the main tables:
 * what was there is there by content, the schema is that of a new installation, and the API says the same of it. And a gateway that is upgraded with a journal
 * that was not handed over.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Client } from 'pg'
import { openDump, openLoad } from '../../packages/control/src/backup/database-store.ts'
import {
  insertPiece,
  readTrafficColumns,
  readTrafficPieces,
} from '../../packages/control/src/backup/traffic-pieces-store.ts'
import { migrate, migrationNames } from '../../packages/control/src/database/migrate.ts'
import { startControl } from '../../packages/control/src/index.ts'
import { openTrafficStore, type TrafficStore } from '../../packages/control/src/traffic-store/connection.ts'
import { migrateTrafficStore, readMigrations } from '../../packages/control/src/traffic-store/migrate.ts'
import { startCollector } from '../../packages/control/test/collector/start-collector.ts'
import {
  call,
  GATEWAY_TOKEN,
  startTestControl,
  type TestControl,
} from '../../packages/control/test/support/control.ts'
import { createFixture, type Fixture } from '../../packages/control/test/support/fixtures.ts'
import { describeSchema } from '../../packages/control/test/support/schema.ts'
import { batchBody, event, hit } from '../../packages/control/test/support/traffic.ts'
import { ControlUrls } from '../../packages/gateway/src/control-plane/control-urls.ts'
import { GatewayCredential } from '../../packages/gateway/src/control-plane/credential.ts'
import { setUpRecord, until } from '../../packages/gateway/test/record/support.ts'
import { type ClickHouseServer, startClickHouse } from '../support/clickhouse/server.ts'
import { eventually } from '../support/installation.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/postgres.ts'
import { listReleases } from '../support/releases.ts'

/** So many migrations back. */
const STEPS_BACK = [1, 2, 3]

/** What an installation may be upgraded from: so many migrations of each store. */
interface State {
  readonly name: string
  readonly database: number
  readonly traffic: number
}
const STATES: readonly State[] = [
  ...STEPS_BACK.map((back) => ({
    name: `${back} migrations ago`,
    database: migrationNames().length - back,
    traffic: readMigrations().length - back,
  })),
  ...listReleases().map(({ tag, migrations: { database, traffic } }) => ({
    name: `release ${tag}`,
    database: database.length,
    traffic: traffic.length,
  })),
]
const REQUESTS = 300
/** What the fixture records by itself. */
const FIXTURE_REQUESTS = 2

const servers: ClickHouseServer[] = []
const databases: TestDatabase[] = []
let control: TestControl
let fixture: Fixture
let store: TrafficStore

before(async () => {
  const server = await openServer()
  control = await startTestControl({ clickhouse: { url: server.url } })
  await eventually(
    async () => (await control.call('GET', '/readyz')).json.trafficStore === 'there' || undefined,
  )
  fixture = await createFixture(control, 'mine')
  const events = Array.from({ length: REQUESTS }, (_, number) =>
    event({
      id: randomUUID(),
      orgId: fixture.orgId,
      siteId: fixture.ids.siteId ?? '',
      time: Date.now() - number * 400_000,
      path: `/${'ä"\\\n'.repeat(number % 3)}${number}`,
      hits: number % 4 ? [] : [hit()],
    }),
  )
  const headers = { authorization: `Bearer ${GATEWAY_TOKEN}`, 'content-type': 'application/x-ndjson' }
  const body = batchBody([...events, '{"not": "an event"}'])
  const sentAt = Date.now()
  assert.equal((await fetch(`${control.url}/gateway/batches`, { method: 'POST', headers, body })).status, 204)
  // What a gateway reported is written a moment after its batch was taken; the fixture has sent one before this.
  const gateways = { gateways: ['seen_at'] }
  await eventually(async () => {
    const [row = ''] = (await rowsOf(control.settings.databaseUrl, gateways)).gateways ?? []
    return Date.parse(row.replaceAll(/[()"]/g, '')) >= sentAt || undefined
  })
  store = await openTrafficStore({ url: server.url })
})
after(async () => {
  await store?.close()
  await control?.close()
  for (const server of servers) await server.remove()
  for (const database of databases) await database.drop()
})

async function openServer(): Promise<ClickHouseServer> {
  const server = await startClickHouse()
  servers.push(server)
  return server
}

/** Tables with their columns, each after those that it refers to. */
type Columns = Readonly<Record<string, readonly string[]>>

async function columnsOf(ownerUrl: string, appUrl: string): Promise<Columns> {
  const dump = await openDump(appUrl, ownerUrl)
  await dump.close()
  return dump.columns
}

/** What a control plane that runs writes by itself meanwhile. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  'notifications',
  'notification_deliveries',
  'notification_sightings',
  'notification_states',
  'site_routes',
])

/** What a control plane writes once a minute of keys that were used, also of those that a test uses. */
const USED_COLUMN = 'last_used_at'

/** Every row as text, by table, of these columns alone. The revision, which filling raises, is left out. */
async function rowsOf(appUrl: string, columns: Columns): Promise<Record<string, string[]>> {
  const client = new Client({ connectionString: appUrl })
  await client.connect()
  const { rows: tables } = await client.query<{ name: string; secured: boolean }>(
    `SELECT relname AS name, relrowsecurity AS secured FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
  )
  const secured = new Set(tables.filter((table) => table.secured).map(({ name }) => name))
  const content: Record<string, string[]> = {}
  for (const [name, list] of Object.entries(columns)) {
    await client.query(secured.has(name) ? 'SET ROLE sallyport_installation' : 'RESET ROLE')
    const { rows } = await client.query<{ row: string }>(
      `SELECT r::text AS row FROM (SELECT ${list.map(selected).join(', ')} FROM ${name}) AS r ORDER BY 1`,
    )
    if (name !== 'installation') content[name] = rows.map(({ row }) => row)
  }
  await client.end()
  return content
}

const selected = (column: string): string =>
  column === USED_COLUMN ? `NULL::text AS "${column}"` : `"${column}"`

const compared = (content: Record<string, string[]>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(content).filter(([name]) => !NOT_COMPARED.has(name)))

async function schemaOf(ownerUrl: string): Promise<Record<string, string[]>> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  const described = await describeSchema(client)
  await client.end()
  return described
}

/** A database as an installation of before left it: what that knew of the rows of the one that runs. */
async function openEarlierDatabase(count: number): Promise<{ database: TestDatabase; columns: Columns }> {
  const database = await createEmptyDatabase()
  databases.push(database)
  const { appUrl, ownerUrl } = database
  await migrate(ownerUrl, count)
  const columns = await columnsOf(ownerUrl, appUrl)
  const load = await openLoad(ownerUrl, columns)
  const rows = await rowsOf(control.settings.databaseUrl, columns)
  for (const name of Object.keys(columns)) {
    const lines = (rows[name] ?? []).map((row) => `${JSON.stringify(row)}\n`).join('')
    if (lines !== '') await load.add(name, Buffer.from(lines))
  }
  await load.commit()
  await load.close()
  return { database, columns }
}

async function trafficOf(of: TrafficStore, columns: Columns): Promise<string[]> {
  const lines: string[] = []
  for await (const { table, data } of readTrafficPieces(of, columns))
    for (const line of data.toString('utf8').trimEnd().split('\n')) lines.push(`${table} ${line}`)
  return lines.toSorted()
}

/** The same of the traffic store. */
async function openEarlierTraffic(
  count: number,
): Promise<{ url: string; earlier: TrafficStore; columns: Columns }> {
  const { url } = await openServer()
  const earlier = await openTrafficStore({ url })
  await migrateTrafficStore(earlier, readMigrations().slice(0, count))
  const columns = await readTrafficColumns(earlier)
  let number = 0
  for await (const { table, data } of readTrafficPieces(store, columns)) {
    number += 1
    await insertPiece(earlier, table, columns[table] ?? [], data, `piece-${number}`)
  }
  return { url, earlier, columns }
}

const WINDOW = `gte=${new Date(Date.now() - 30 * 86_400_000).toISOString()}&lte=${new Date(Date.now() + 60_000).toISOString()}`
const QUESTIONS = [
  '/api/Hackers',
  '/api/Projects',
  '/api/ApiKeys',
  '/api/Members',
  '/api/AuditLog',
  '/api/AuditLog/verify',
  `/api/Analytics/getTotalRequest?${WINDOW}`,
  `/api/Analytics/getTrafficTimeline?interval=1d&${WINDOW}`,
  `/api/Analytics/getWAFSummaryRulesTimeline?interval=1d&${WINDOW}`,
  `/api/Analytics/facets?${WINDOW}`,
]

/** What the API says, by question. */
async function answersOf(url: string): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const question of QUESTIONS) {
    const { status, text } = await call(url, 'GET', question, { key: fixture.keys.owner })
    assert.equal(status, 200, `${question}: ${text}`)
    answers[question] = text.replaceAll(/"lastUsed":"[^"]*"/g, '"lastUsed":null')
  }
  return answers
}

for (const state of STATES)
  test(`from ${state.name}, of both stores`, async () => {
    const { database, columns } = await openEarlierDatabase(state.database)
    const traffic = await openEarlierTraffic(state.traffic)
    const { databaseUrl: appUrl, migrationDatabaseUrl: ownerUrl } = control.settings
    const before = await rowsOf(database.appUrl, columns)
    const trafficBefore = await trafficOf(traffic.earlier, traffic.columns)
    assert.equal(before.sites?.length, 1)
    assert.equal(
      trafficBefore.filter((line) => line.startsWith('requests ')).length,
      REQUESTS + FIXTURE_REQUESTS,
    )

    const settings = {
      ...control.settings,
      databaseUrl: database.appUrl,
      migrationDatabaseUrl: database.ownerUrl,
    }
    const upgraded = await startControl({ ...settings, clickhouse: { url: traffic.url } })
    try {
      await eventually(
        async () => (await call(upgraded.url, 'GET', '/readyz')).json.trafficStore === 'there' || undefined,
      )
      assert.deepEqual(compared(await rowsOf(database.appUrl, columns)), compared(before))
      assert.deepEqual(compared(before), compared(await rowsOf(appUrl, columns)))
      assert.deepEqual(await trafficOf(traffic.earlier, traffic.columns), trafficBefore)
      assert.deepEqual(trafficBefore, await trafficOf(store, traffic.columns))
      assert.deepEqual(await schemaOf(database.ownerUrl), await schemaOf(ownerUrl))
      assert.deepEqual(await answersOf(upgraded.url), await answersOf(control.url))
      // Names of before there were groups are taken as they are.
      const names = await rowsOf(database.appUrl, { gated_names: ['name'], sites: ['gated_name'] })
      for (const name of names.sites ?? []) assert.ok(names.gated_names?.includes(name), name)
    } finally {
      await upgraded.close()
      await traffic.earlier.close()
    }
  })

/**
 * Written before migration 11 of the traffic store, and left by a killed process: 40 requests of which every fourth has a hit without
 * a score.
 */
const JOURNAL = join(import.meta.dirname, 'golden-journal')

test('a journal that an earlier gateway did not hand over is taken, each request once', async (context) => {
  const { directory, start } = await setUpRecord(context)
  cpSync(JOURNAL, directory, { recursive: true })
  const collector = await startCollector(store, { retentionDays: 20_000 })
  context.after(collector.close)
  const credential = new GatewayCredential(GATEWAY_TOKEN)
  const { recorder } = await start({ controlUrls: new ControlUrls([collector.url]), credential })
  await until(() => recorder.progress().pending === 0, 'the acknowledgement', 30_000)
  await recorder.close()
  const counted = await store.query(
    `SELECT count() AS stored, uniqExact(id) AS different, sum(length(hit_rules)) AS hits, sum(length(leads_to)) AS hosts,
       countIf(path = concat('/ä"\\\\', toString(toUInt32(right(toString(id), 12))))) AS paths
     FROM requests WHERE org_id = '019a0000-0000-7000-8000-00000000000a'`,
  )
  assert.deepEqual(counted, [{ stored: 40, different: 40, hits: 10, hosts: 8, paths: 40 }])
})
