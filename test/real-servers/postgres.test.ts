/** A control plane on the oldest PostgreSQL, directly and behind a pooler that lends connections by transaction. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { FEED_PATH } from '@sallyport/contract'
import { Client } from 'pg'
import { newId, openDatabase } from '../../packages/control/src/database/database.ts'
import { migrate } from '../../packages/control/src/database/migrate.ts'
import { startControl } from '../../packages/control/src/index.ts'
import { createCipher } from '../../packages/control/src/secrets/cipher.ts'
import {
  GATEWAY_TOKEN,
  startTestControl,
  type TestControl,
} from '../../packages/control/test/support/control.ts'
import { createFixture } from '../../packages/control/test/support/fixtures.ts'
import { APP_ROLE, OWNER_ROLE } from '../../packages/sallyport/src/embedded/postgres-roles.ts'
import { startClickHouse } from '../support/clickhouse/server.ts'
import { eventually } from '../support/installation.ts'
import type { Ending } from '../support/temporary-folder.ts'
import {
  type DatabaseServer,
  startOldPostgres,
  startPgBouncer,
  withoutOldPostgres,
  withoutPgBouncer,
} from './support/databases.ts'

const ends: (() => void | Promise<void>)[] = []
/** For what all tests use, and what is ended after it. */
const ending: Ending = { after: (end) => ends.push(end) }
let postgres: DatabaseServer

before(async () => {
  if (!withoutOldPostgres) postgres = await startOldPostgres(ending)
})
after(async () => {
  while (ends.length > 0) await ends.pop()?.()
})

/** Two control planes of one installation, behind the pooler and on one ClickHouse. */
async function startTwo(): Promise<readonly TestControl[]> {
  const { port, urlOf } = postgres
  const pooler = await startPgBouncer(ending, port)
  const clickhouse = await startClickHouse()
  ending.after(() => clickhouse.remove())
  const settings = {
    databaseUrl: urlOf(APP_ROLE, pooler),
    directDatabaseUrl: urlOf(APP_ROLE),
    migrationDatabaseUrl: urlOf(OWNER_ROLE),
    clickhouse: { url: clickhouse.url },
    secretKey: Buffer.alloc(32, 7),
  }
  const controls = await Promise.all([startTestControl(settings), startTestControl(settings)])
  for (const control of controls) ending.after(() => control.close())
  for (const control of controls)
    await eventually(
      async () => (await control.call('GET', '/readyz')).json.trafficStore === 'there' || undefined,
    )
  return controls
}

test('a server that is too old is named', { skip: withoutOldPostgres }, async () => {
  const owner = new Client({ connectionString: postgres.urlOf(OWNER_ROLE) })
  await owner.connect()
  // What the server says of itself, for who looks there first.
  await owner.query(`CREATE SCHEMA older;
    CREATE FUNCTION older.current_setting(name text) RETURNS text LANGUAGE sql
      AS $$ SELECT CASE name WHEN 'server_version' THEN '14.20 (Debian)' ELSE '140020' END $$`)
  const url = new URL(postgres.urlOf(OWNER_ROLE))
  url.searchParams.set('options', '-c search_path=older,pg_catalog,public')
  await assert.rejects(migrate(url.href), {
    code: 'UNFIT_SERVER',
    message: 'the database is PostgreSQL 14.20 (Debian): run PostgreSQL 15 or later',
  })
  const { rows } = await owner.query("SELECT FROM pg_tables WHERE schemaname = 'public'")
  assert.equal(rows.length, 0)
  await owner.query('DROP SCHEMA older CASCADE')
  await owner.end()
})

test('two control planes behind a pooler do everything, and hear of each other', {
  skip: withoutPgBouncer,
}, async () => {
  const [first, second] = (await startTwo()) as [TestControl, TestControl]
  const fixtures = await Promise.all([createFixture(first, 'one'), createFixture(second, 'two')])
  for (const control of [first, second])
    for (const { keys, ids } of fixtures) {
      const requests = await control.call('GET', '/api/Analytics/requests', { key: keys.owner })
      assert.ok(requests.json.items.some(({ id }: { id: string }) => id === ids.requestId))
      const log = await control.call('GET', '/api/AuditLog/verify', { key: keys.owner })
      assert.equal(log.json.isIntact, true, log.text)
    }
  // The feed of one is told at once of what the other changes.
  const [{ keys }] = fixtures
  const feed = new AbortController()
  const headers = { authorization: `Bearer ${GATEWAY_TOKEN}` }
  const url = `${second.url}${FEED_PATH}?gateway=gateway-a&revision=0`
  const { body } = await fetch(url, { headers, signal: feed.signal })
  let heard = ''
  const hearing = (async () => {
    for await (const chunk of body ?? []) heard += Buffer.from(chunk).toString()
  })().catch(() => undefined)
  const gatedName = 'heard-of-it.gate.localhost'
  const change = { body: { originName: 'https://heard.example.com', gatedName }, key: keys.owner }
  const made = await first.call('POST', '/api/Sites', change)
  assert.equal(made.status, 201, made.text)
  await eventually(async () => heard.includes(gatedName) || undefined)
  feed.abort()
  await hearing

  // Many more requests at once than there are connections of the server: each organization reads and writes its own.
  const calls = Array.from({ length: 120 }, async (_, index) => {
    const mine = fixtures[index % 2] as (typeof fixtures)[number]
    const control = index % 3 === 0 ? first : second
    if (index % 5 === 0) {
      const body = { isActive: index % 2 === 0 }
      const changed = await control.call('PATCH', `/api/Sites/${mine.ids.siteId}`, {
        body,
        key: mine.keys.owner,
      })
      assert.equal(changed.status, 200, changed.text)
    }
    const other = fixtures[(index + 1) % 2] as (typeof fixtures)[number]
    const sites = await control.call('GET', '/api/sites', { key: mine.keys.viewer })
    const names = sites.json.map(({ id }: { id: string }) => id)
    assert.ok(names.includes(mine.ids.siteId) && !names.includes(other.ids.siteId), sites.text)
    const foreign = await control.call('GET', `/api/Sites/${other.ids.siteId}`, { key: mine.keys.owner })
    assert.equal(foreign.status, 404)
  })
  await Promise.all(calls)

  // Nothing of an organization stays on the connections that the pooler lends.
  const raw = new Client({ connectionString: first.settings.databaseUrl })
  await raw.connect()
  for (let look = 0; look < 10; look++) {
    const { rows } = await raw.query(
      "SELECT coalesce(current_setting('app.org_id', true), '') AS org, (SELECT count(*)::int FROM sites) AS sites",
    )
    assert.deepEqual(rows, [{ org: '', sites: 0 }])
  }
  await raw.end()
})

test('a role that sees every organization unasked is refused', { skip: withoutOldPostgres }, async () => {
  await migrate(postgres.urlOf(OWNER_ROLE))
  const owner = new Client({ connectionString: postgres.urlOf(OWNER_ROLE) })
  await owner.connect()
  await owner.query(`ALTER ROLE ${APP_ROLE} INHERIT`)
  await assert.rejects(migrate(postgres.urlOf(OWNER_ROLE)), { code: 'UNFIT_SERVER', message: /NOINHERIT/ })
  await owner.query(`ALTER ROLE ${APP_ROLE} NOINHERIT`)
  await owner.end()
  assert.deepEqual(await migrate(postgres.urlOf(OWNER_ROLE)), [])
})

test('behind a pooler a transaction has its own settings', { skip: withoutPgBouncer }, async () => {
  const { port, urlOf } = postgres
  await migrate(urlOf(OWNER_ROLE))
  const url = urlOf(APP_ROLE, await startPgBouncer(ending, port))
  const database = openDatabase({ url, isPooled: true, cipher: createCipher(Buffer.alloc(32)) })
  const show = `SELECT current_setting('TimeZone') || ' ' || current_setting('statement_timeout') || ' ' ||
    current_setting('transaction_read_only') || ' ' || current_setting('app.org_id') AS line`
  const orgId = newId()
  const lines = await Promise.all([
    ...Array.from({ length: 10 }, () => database.read(orgId, (tx) => tx.query<{ line: string }>(show))),
    database.write(orgId, (tx) => tx.query<{ line: string }>(show)),
  ])
  const distinct = new Set(lines.flat().map(({ line }) => line))
  assert.deepEqual([...distinct].toSorted(), [`UTC 15s off ${orgId}`, `UTC 15s on ${orgId}`])
  await assert.rejects(
    database.read(orgId, (tx) =>
      tx.query("INSERT INTO organizations (org_id, name) VALUES ($1, 'x')", [orgId]),
    ),
    { code: '25006' },
  )
  assert.equal((await database.read(orgId, (tx) => tx.query('SELECT 1'))).length, 1)
  await database.close()
})

test('a pooler that is not named as one is refused, whether it drops settings or refuses them', {
  skip: withoutPgBouncer,
}, async () => {
  const { port, urlOf } = postgres
  for (const ignoresOptions of [false, true]) {
    const pooler = await startPgBouncer(ending, port, { ignoresOptions })
    const settings = {
      databaseUrl: urlOf(APP_ROLE, pooler),
      migrationDatabaseUrl: urlOf(OWNER_ROLE),
      clickhouse: { url: 'http://127.0.0.1:1' },
      ...{ logLevel: 'silent', traces: null, version: '0.0.0' },
    }
    // The other settings are not reached.
    await assert.rejects(startControl(settings as Parameters<typeof startControl>[0]), {
      code: 'UNFIT_SERVER',
      message: /^DATABASE_URL: a pooler .*DATABASE_DIRECT_URL/,
    })
  }
})
