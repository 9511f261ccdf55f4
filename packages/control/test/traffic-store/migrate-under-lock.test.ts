/** Several processes that migrate one traffic store: under the ledger's lock, in a real PostgreSQL. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { Client } from 'pg'
import { eventually } from '../../../../test/support/installation.ts'
import { createEmptyDatabase, type TestDatabase } from '../../../../test/support/postgres.ts'
import { createTrafficLedger } from '../../src/database/ledger/traffic-ledger.ts'
import { openTrafficStore, type TrafficStore } from '../../src/traffic-store/connection.ts'
import { migrateTrafficStore, readMigrations, readStoreId } from '../../src/traffic-store/migrate.ts'
import { migrateUnderLock, type TrafficLedger } from '../../src/traffic-store/migrate-under-lock.ts'

const ALL = readMigrations().map(({ number }) => number)
const LAST = ALL.length
/** The table that the last migration makes. */
const LAST_TABLE = 'scanners_hours'

let folder: string
let store: TrafficStore
let database: TestDatabase
let client: Client
let ledger: TrafficLedger

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-lock-'))
  store = await openTrafficStore({ dataDir: folder })
})
beforeEach(async () => {
  await forget()
  const tables = await store.query<{ name: string }>(
    'SELECT name FROM system.tables WHERE database = currentDatabase()',
  )
  for (const { name } of tables) await store.command(`DROP TABLE ${name} SYNC`)
  database = await createEmptyDatabase()
  client = new Client({ connectionString: database.ownerUrl })
  await client.connect()
  ledger = createTrafficLedger(database.ownerUrl)
})
after(async () => {
  await forget()
  await store?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function forget(): Promise<void> {
  await client?.end()
  await database?.drop()
}

/** The same store, of which `seen` hears each statement before it is run. */
const watched = (seen: (sql: string) => unknown): TrafficStore => ({
  ...store,
  command: async (sql, parameters) => {
    await seen(sql)
    await store.command(sql, parameters)
  },
})
const isMigration = (sql: string): boolean => !/ migrations \(/.test(sql)

const kept = async (): Promise<number[]> => {
  const storeId = await readStoreId(store)
  const { rows } = await client.query<{ number: number }>(
    'SELECT number FROM traffic_migration WHERE store_id = $1 ORDER BY number',
    [storeId],
  )
  return rows.map(({ number }) => number)
}
const OF_THE_LOCK =
  "pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
const endWhoHoldsTheLock = (): Promise<unknown> =>
  client.query(`SELECT pg_terminate_backend(pid) FROM ${OF_THE_LOCK}`)

test('of four that start at once, one migrates, and the others wait for it', async () => {
  const statements: string[] = []
  let waited = 0
  const once = watched((sql) => isMigration(sql) && statements.push(sql))
  const start = () =>
    migrateUnderLock(once, createTrafficLedger(database.ownerUrl), { waiting: () => waited++ })
  await Promise.all([start(), start(), start(), start()])
  assert.deepEqual(
    statements,
    readMigrations()
      .flatMap((migration) => migration.statements)
      .filter((statement) => !statement.includes('{day}')),
  )
  assert.equal(waited, 3)
  assert.deepEqual(await kept(), ALL)
})

test('a store that has all migrations, which the ledger knows, is opened without the lock and without a statement', async () => {
  await migrateUnderLock(store, ledger)
  const statements: string[] = []
  const seen = watched((sql) => statements.push(sql))
  const waiting = () => assert.fail('it waited for the lock')
  const storeId = await readStoreId(store)
  await ledger.locked(async () => {
    await migrateUnderLock(seen, createTrafficLedger(database.ownerUrl), { waiting })
    return { storeId, applied: [] }
  })
  assert.deepEqual(statements, [])
  // One that the ledger does not know whole is taken over again.
  await client.query('DELETE FROM traffic_migration WHERE number = 1')
  await migrateUnderLock(seen, ledger)
  assert.ok(statements.length > 0)
  assert.deepEqual(statements.filter(isMigration), [])
  assert.deepEqual(await kept(), ALL)
})

test('a process that loses the lock stops, and the next one goes on', async () => {
  const statements: string[] = []
  const cut = watched(async (sql) => {
    if (isMigration(sql)) statements.push(sql)
    if (statements.length === 5) await endWhoHoldsTheLock()
  })
  await assert.rejects(migrateUnderLock(cut, ledger), /the lock of the traffic store was lost/)
  assert.equal(statements.length, 5)
  await migrateUnderLock(store, ledger)
  assert.deepEqual(await kept(), ALL)
})

test('what an earlier version has migrated is taken over, and not migrated again', async () => {
  await migrateTrafficStore(store, readMigrations().slice(0, -1))
  const started: number[] = []
  await migrateUnderLock(store, ledger, { onStart: ({ number }) => started.push(number) })
  assert.deepEqual(started, [LAST])
  assert.deepEqual(await kept(), ALL)
})

test('an older copy of the store is brought up to date, and a store that is new beside the old one, too', async () => {
  await migrateUnderLock(store, ledger)
  await store.command(`ALTER TABLE migrations DELETE WHERE number = ${LAST} SETTINGS mutations_sync = 2`)
  await store.command(`DROP TABLE ${LAST_TABLE} SYNC`)
  let older = 0
  const onOlderCopy = () => older++
  await migrateUnderLock(store, ledger, { onOlderCopy })
  assert.equal(older, 1)
  assert.deepEqual(await store.query(`SELECT count() AS rows FROM ${LAST_TABLE}`), [{ rows: 0 }])

  for (const name of ['migrations', LAST_TABLE]) await store.command(`DROP TABLE ${name} SYNC`)
  await migrateUnderLock(store, ledger, { onOlderCopy })
  assert.equal(older, 1, 'another store')
  const { rows } = await client.query('SELECT DISTINCT store_id FROM traffic_migration')
  assert.equal(rows.length, 2)
})

test('a store that is new beside another one is told of once; the first one, and an older copy, are not', async () => {
  let others = 0
  const onOtherStore = () => others++
  await migrateUnderLock(store, ledger, { onOtherStore })
  await store.command(`ALTER TABLE migrations DELETE WHERE number = ${LAST} SETTINGS mutations_sync = 2`)
  await migrateUnderLock(store, ledger, { onOtherStore })
  assert.equal(others, 0)
  for (const name of ['migrations', LAST_TABLE]) await store.command(`DROP TABLE ${name} SYNC`)
  await migrateUnderLock(store, ledger, { onOtherStore })
  assert.equal(others, 1)
  await migrateUnderLock(store, ledger, { onOtherStore })
  assert.equal(others, 1)
})

test('a store of which the ledger alone knows that a later version has migrated it is refused', async () => {
  await migrateUnderLock(store, ledger)
  await client.query("INSERT INTO traffic_migration (store_id, number, name) VALUES ($1, 9999, 'later')", [
    await readStoreId(store),
  ])
  const statements: string[] = []
  const seen = watched((sql) => isMigration(sql) && statements.push(sql))
  await assert.rejects(migrateUnderLock(seen, ledger), { code: 'LATER_VERSION' })
  assert.deepEqual(statements, [])
})

test('who waits for the lock can be stopped', async () => {
  const stopped = new AbortController()
  const isWaiting = Promise.withResolvers<void>()
  const holding = ledger.locked(async () => {
    const waiting = migrateUnderLock(store, createTrafficLedger(database.ownerUrl), {
      signal: stopped.signal,
      waiting: isWaiting.resolve,
    })
    await isWaiting.promise
    stopped.abort()
    await assert.rejects(waiting, { name: 'AbortError' })
    return { storeId: '019a0000-0000-7000-8000-000000000001', applied: [] }
  })
  await holding
  await eventually(async () => {
    const { rows } = await client.query(`SELECT FROM ${OF_THE_LOCK}`)
    return rows.length === 0 || undefined
  })
})
