/**
 * A traffic store that is a cluster, of one node and without replicas: all goes through ClickHouse's own `Distributed` tables. That rows of
 * several shards come together, and that replicas follow, is not shown here.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ClickHouseServer, startClickHouse } from '../../../../../test/support/clickhouse/server.ts'
import { createEmptyDatabase, type TestDatabase } from '../../../../../test/support/postgres.ts'
import { copyTraffic } from '../../../src/backup/copy/copy-traffic.ts'
import { createBatchParts } from '../../../src/collector/batch-parts.ts'
import { createIngest } from '../../../src/collector/ingest.ts'
import { createTrafficLedger } from '../../../src/database/ledger/traffic-ledger.ts'
import { openTrafficStore, type TrafficStore } from '../../../src/traffic-store/connection.ts'
import { migrateUnderLock } from '../../../src/traffic-store/migrate-under-lock.ts'
import { rewriteRetention } from '../../../src/traffic-store/stored-retention.ts'
import { event, eventBatch, hit, REQUEST_ROLLUPS, storeBatch } from '../../support/traffic.ts'

const CLUSTER = 'fleet'
const servers: ClickHouseServer[] = []
const stores: TrafficStore[] = []
let database: TestDatabase
let clustered: ClickHouseServer
let plain: ClickHouseServer
let store: TrafficStore

before(async () => {
  database = await createEmptyDatabase()
  clustered = await startClickHouse({ cluster: CLUSTER })
  plain = await startClickHouse()
  servers.push(clustered, plain)
  store = await open(clustered, CLUSTER)
  await migrateUnderLock(store, ledger())
})
after(async () => {
  for (const store of stores) await store.close()
  for (const server of servers) await server.remove()
  await database.drop()
})

const ledger = () => createTrafficLedger(database.ownerUrl)
async function open({ url }: ClickHouseServer, cluster?: string): Promise<TrafficStore> {
  const opened = await openTrafficStore({ url, cluster })
  stores.push(opened)
  return opened
}
const ingestInto = (into: TrafficStore) =>
  createIngest({
    store: into,
    retentionDaysOf: () => 90,
    tail: { isFollowed: () => false, publish: () => undefined },
  })
const sumOf = async (into: TrafficStore, table: string, what: string, orgId: string): Promise<unknown> =>
  (
    await into.query<{ sum: number }>(`SELECT ${what} AS sum FROM ${table} WHERE org_id = {orgId:String}`, {
      orgId,
    })
  )[0]?.sum

test('a batch that comes again counts once, in requests and in every rollup', async () => {
  const events = Array.from({ length: 300 }, (_, number) =>
    event({
      orgId: 'org-once',
      siteId: `site-${number % 7}`,
      hits: [hit()],
      time: Date.now() - number * 60_000,
    }),
  )
  const batch = eventBatch(events)
  // Of other processes, which do not remember it either; the name alone is left to know it by.
  await storeBatch(ingestInto(store), batch)
  await store.command('TRUNCATE TABLE stored_batches')
  await storeBatch(ingestInto(store), batch)
  assert.equal(await sumOf(store, 'requests', 'count()', 'org-once'), 300)
  for (const rollup of REQUEST_ROLLUPS)
    assert.equal(await sumOf(store, rollup, 'sum(requests)', 'org-once'), 300, rollup)
  assert.equal(await sumOf(store, 'rules_hours', 'sum(hits)', 'org-once'), 300)
  assert.equal(
    await sumOf(store, 'requests_local', 'count()', 'org-once'),
    300,
    'they lie in the local table',
  )
  // That nothing waits in a queue of the Distributed table.
  assert.deepEqual(await store.query('SELECT sum(data_files) AS files FROM system.distribution_queue'), [
    { files: 0 },
  ])
})

test('what was stored last of a gateway is known, and parts of batches are joined', async () => {
  const batch = eventBatch([event({ orgId: 'org-known' })], { gatewayId: 'gate-known' })
  await storeBatch(ingestInto(store), batch)
  await storeBatch(ingestInto(store), { ...batch, events: [] })
  assert.equal(await sumOf(store, 'requests', 'count()', 'org-known'), 1)
  const { header } = eventBatch([event(), event()], { gatewayId: 'gate-parts' })
  const parts = createBatchParts(store)
  const part = (first: number) => ({
    header: { ...header, events: 1, part: { first, end: first + 1, of: 2 } },
    compressedLines: new Uint8Array([first + 1]),
  })
  assert.equal(await parts.keep(part(0)), 'more to come')
  const whole = await parts.keep(part(1))
  assert.notEqual(typeof whole, 'string')
})

test('each table has the columns of its local one', async () => {
  const rows = await store.query<{ relation: string; columns: string[] }>(
    `SELECT table AS relation, groupArray((name, type, default_kind)) AS columns FROM
       (SELECT * FROM system.columns WHERE database = currentDatabase() ORDER BY table, position) GROUP BY table`,
  )
  const columns = new Map(rows.map((row) => [row.relation, row.columns]))
  assert.ok(columns.has('requests'))
  for (const [name, own] of columns)
    if (columns.has(`${name}_local`)) assert.deepEqual(own, columns.get(`${name}_local`), name)
})

test('retention is rewritten in the local tables', async () => {
  await storeBatch(ingestInto(store), eventBatch([event({ orgId: 'org-kept' })]))
  await rewriteRetention(store, 'org-kept', 30)
  for (let tries = 0; (await sumOf(store, 'requests', 'min(retention_days)', 'org-kept')) !== 30; tries++) {
    assert.ok(tries < 100, 'it stays as it was')
    await new Promise((later) => setTimeout(later, 100))
  }
})

test('a record moves from a server into a cluster, and back', async () => {
  const server = await open(plain)
  await migrateUnderLock(server, ledger())
  const events = Array.from({ length: 200 }, (_, number) =>
    event({ orgId: `org-moved-${number % 2}`, time: Date.now() - number * 1_000_000, hits: [hit()] }),
  )
  await storeBatch(ingestInto(server), eventBatch(events, { gatewayId: 'gate-moved' }))
  const [target, back] = [await startClickHouse({ cluster: CLUSTER }), await startClickHouse()]
  servers.push(target, back)
  const options = { isBesideOthers: false, signal: new AbortController().signal, progress: () => undefined }
  const migrationDatabaseUrl = database.ownerUrl
  const moved = { url: target.url, cluster: CLUSTER }
  const there = await copyTraffic({ from: { url: plain.url }, to: moved, migrationDatabaseUrl }, options)
  assert.deepEqual([there.differences, there.tables.requests], [[], { rows: 200, copied: 200 }])
  const inCluster = await open(target, CLUSTER)
  for (const rollup of REQUEST_ROLLUPS)
    assert.equal(await sumOf(inCluster, rollup, 'sum(requests)', 'org-moved-1'), 100, rollup)
  // A day that is only half there is deleted from local tables, and made again.
  await inCluster.command(
    "ALTER TABLE requests DELETE WHERE org_id = 'org-moved-0' AND cityHash64(id) % 2 = 0 SETTINGS mutations_sync = 2",
  )
  const again = await copyTraffic({ from: { url: plain.url }, to: moved, migrationDatabaseUrl }, options)
  assert.deepEqual(again.differences, [])
  assert.equal(await sumOf(inCluster, 'urls_days', 'sum(requests)', 'org-moved-0'), 100)
  const home = await copyTraffic({ from: moved, to: { url: back.url }, migrationDatabaseUrl }, options)
  assert.deepEqual([home.differences, home.tables.requests], [[], { rows: 200, copied: 200 }])
})

test('a setting that does not fit the store is refused, and nothing is made', async () => {
  const refusal = async (server: ClickHouseServer, cluster?: string): Promise<string> => {
    const opened = await open(server, cluster)
    const error = await migrateUnderLock(opened, ledger()).then(
      () => undefined,
      (error: Error & { code?: string }) => error,
    )
    assert.equal(error?.code, 'UNFIT_SERVER')
    return error?.message ?? ''
  }
  assert.match(await refusal(clustered), /^CLICKHOUSE_CLUSTER: must be set to the cluster/)
  assert.match(await refusal(plain, CLUSTER), /holds the record of one server/)
  const fresh = await startClickHouse({ cluster: CLUSTER })
  const alone = await startClickHouse()
  servers.push(fresh, alone)
  assert.match(await refusal(fresh, 'another'), /knows no cluster another/)
  assert.match(await refusal(fresh, 'careless'), /must have internal_replication/)
  assert.match(await refusal(alone, CLUSTER), /knows no cluster/)
  assert.deepEqual(
    await (await open(fresh, CLUSTER)).query(
      'SELECT name FROM system.tables WHERE database = currentDatabase()',
    ),
    [],
  )
})
