/** A control plane goes on while a later version has migrated both stores under it: versions one apart run side by side. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client } from 'pg'
import { type ClickHouseServer, startClickHouse } from '../../../../test/support/clickhouse/server.ts'
import { startControl } from '../../src/index.ts'
import { openTrafficStore } from '../../src/traffic-store/connection.ts'
import { startTestControl, type TestControl, untilTrafficStore } from '../support/control.ts'
import { createFixture } from '../support/fixtures.ts'

let server: ClickHouseServer
let control: TestControl

before(async () => {
  server = await startClickHouse()
  control = await startTestControl({ clickhouse: { url: server.url } })
  await untilTrafficStore(control)
})
after(async () => {
  await control?.close()
  await server?.remove()
})

/** What a migration may do beside the version before: a column more in every table that is there, and a table more. */
async function migrateDatabase(): Promise<void> {
  const owner = new Client({ connectionString: control.settings.migrationDatabaseUrl })
  await owner.connect()
  const { rows } = await owner.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'kysely%'`,
  )
  assert.ok(rows.length > 20)
  await owner.query('BEGIN')
  for (const { name } of rows)
    await owner.query(`ALTER TABLE ${name} ADD COLUMN later text NOT NULL DEFAULT 'later'`)
  await owner.query('CREATE TABLE later_things (name text PRIMARY KEY)')
  await owner.query(`INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-later', '2999-01-01')`)
  await owner.query('COMMIT')
  await owner.end()
}

async function migrateTraffic(): Promise<void> {
  const store = await openTrafficStore({ url: server.url })
  const tables = await store.query<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND endsWith(engine, 'MergeTree') AND name != 'migrations'",
  )
  assert.ok(tables.length > 8)
  for (const { name } of tables) await store.command(`ALTER TABLE ${name} ADD COLUMN later String`)
  await store.command("INSERT INTO migrations (number, name) SELECT 9999, 'later'")
  await store.close()
}

test('the earlier version that runs goes on beside the later one, and does not start again', async () => {
  const before = await createFixture(control, 'before')
  await migrateDatabase()
  await migrateTraffic()
  const key = before.keys.owner
  const sites = await control.call('GET', '/api/sites', { key })
  assert.equal(sites.json.length, 1)
  const change = { body: { isActive: false }, key }
  const changed = await control.call('PATCH', `/api/Sites/${before.ids.siteId}`, change)
  assert.equal(changed.status, 200, changed.text)

  const after = await createFixture(control, 'after')
  for (const { keys, ids } of [before, after]) {
    const requests = await control.call('GET', '/api/Analytics/requests', { key: keys.owner })
    assert.ok(requests.json.items.some(({ id }: { id: string }) => id === ids.requestId))
    const log = await control.call('GET', '/api/AuditLog/verify', { key: keys.owner })
    assert.equal(log.json.isIntact, true, log.text)
  }
  const ready = await control.call('GET', '/readyz')
  assert.deepEqual(ready.json, { status: 'ready', database: 'there', trafficStore: 'there' })
  await assert.rejects(startControl(control.settings), { code: 'LATER_VERSION' })
})
