/** The record from one ClickHouse into another: equal by content, whatever stops it on the way. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, mock, test } from 'node:test'
import { type ClickHouseServer, startClickHouse } from '../../../../../test/support/clickhouse/server.ts'
import { createEmptyDatabase, type TestDatabase } from '../../../../../test/support/postgres.ts'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { requireSomethingKept } from '../../../src/backup/copy/copy-clock.ts'
import { type CopyOptions, copyTraffic } from '../../../src/backup/copy/copy-traffic.ts'
import { DAY_TABLES } from '../../../src/backup/copy/days-store.ts'
import { createIngest } from '../../../src/collector/ingest.ts'
import { createTrafficLedger } from '../../../src/database/ledger/traffic-ledger.ts'
import { openTrafficStore, type TrafficStore } from '../../../src/traffic-store/connection.ts'
import { trafficTableNames } from '../../../src/traffic-store/migrate.ts'
import { migrateUnderLock } from '../../../src/traffic-store/migrate-under-lock.ts'
import { prepareTrafficStore } from '../../../src/traffic-store/prepared/prepared-store.ts'
import { event, eventBatch, hit, openTemporaryStore, storeBatch } from '../../support/traffic.ts'

const DAY_MS = 86_400_000
const RETENTION = new Map([
  ['org-a', 90],
  ['org-b', 365],
])
const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2
/**
 * Events of each of the last days. The first day of `MANY` has more rows than one piece; what neither pieces nor many days matter to is tested
 * with `FEW`: each day is compared by dozens of questions.
 */
const MANY = { 'org-a': [45_000, 300, 0, 20], 'org-b': [500, 0, 900, 10] }
const FEW = { 'org-a': [450, 300], 'org-b': [500, 900] }
let database: TestDatabase
const folder = temporaryFolder({ after })
/** A store in which nothing is recorded yet. */
let prepared: string
let source: ClickHouseServer
const servers: ClickHouseServer[] = []
const stores: TrafficStore[] = []

before(async () => {
  database = await createEmptyDatabase()
  await prepareTrafficStore(folder)
  prepared = join(folder, ...readdirSync(folder))
  source = await startServer()
  await fill(await openMigrated(source), FEW)
})
after(async () => {
  for (const store of stores) await store.close()
  for (const server of servers) await server.remove()
  await database.drop()
})

/** A server with all tables. */
const startServer = (): Promise<ClickHouseServer> => keep(startClickHouse({ copyOf: prepared }))
const startEmptyServer = (): Promise<ClickHouseServer> => keep(startClickHouse())
async function keep(starting: Promise<ClickHouseServer>): Promise<ClickHouseServer> {
  const server = await starting
  servers.push(server)
  return server
}

async function openMigrated({ url }: { readonly url: string }): Promise<TrafficStore> {
  const store = await openTrafficStore({ url })
  stores.push(store)
  await migrateUnderLock(store, createTrafficLedger(database.ownerUrl))
  return store
}

const ingestInto = (store: TrafficStore) =>
  createIngest({
    store,
    retentionDaysOf: (orgId) => RETENTION.get(orgId) ?? 30,
    tail: { isFollowed: () => false, publish: () => undefined },
  })

/** Days of two organizations, and lines that were set aside. */
async function fill(store: TrafficStore, sizes: Readonly<Record<string, readonly number[]>>): Promise<void> {
  const ingest = ingestInto(store)
  const eventsOf = (orgId: string, day: number, count: number) =>
    Array.from({ length: count }, (_, number) =>
      event({
        orgId,
        siteId: `site-${number % 3}`,
        id: randomUUID(),
        time: NOON - day * DAY_MS + number * 7,
        researcherId: `researcher-${number % 11}`,
        path: `/${'ä"\\\n\u0000'.repeat(number % 3)}${number}`,
        route: `/${number % 20}`,
        hits: number % 5 ? [] : [hit(), hit({ excluded: true, rule: 'crs-941-100' })],
        outcome: number % 7 ? 'origin' : 'block',
        rule: number % 7 ? '' : 'no-admin',
        kind: number % 13 ? 'request' : 'websocket_close',
      }),
    )
  for (const [orgId, counts] of Object.entries(sizes))
    for (const [day, count] of counts.entries())
      for (let first = 0; first < count; first += 15_000)
        await storeBatch(
          ingest,
          eventBatch(eventsOf(orgId, day, Math.min(15_000, count - first)), { gatewayId: `gate-${orgId}` }),
        )
  const badLines = [{ line: 3, reason: 'no event', content: "{'\u0001" }]
  await ingest.quarantine({ gatewayId: 'gate-a', batchId: 'bad' }, badLines)
}

/** Every row of every table, merged and in one order, as a number of rows and a checksum. */
async function contentOf(store: TrafficStore): Promise<Record<string, unknown>> {
  const tables = await store.query<{ name: string; engine: string; columns: string[] }>(
    `SELECT name, engine, (SELECT groupArray(name) FROM system.columns AS c WHERE c.database = currentDatabase() AND c.table = tables.name) AS columns
     FROM system.tables AS tables WHERE database = currentDatabase() AND endsWith(engine, 'MergeTree') AND name NOT IN ('migrations', 'batch_parts')`,
  )
  const content: Record<string, unknown> = {}
  for (const { name, engine, columns } of tables) {
    const final = engine === 'MergeTree' ? '' : 'FINAL'
    // A set has no order.
    const cells = columns.map((column) =>
      column === 'researchers' && name !== 'api_observations' ? 'arraySort(researchers)' : `\`${column}\``,
    )
    const [sum] = await store.query(
      `SELECT count() AS rows, toString(sum(cityHash64(${cells.join(', ')}))) AS checksum FROM ${name} ${final}`,
    )
    content[name] = sum
  }
  return content
}

const QUIET: CopyOptions = {
  isBesideOthers: false,
  signal: new AbortController().signal,
  progress: () => undefined,
}
const copyInto = (target: { readonly url: string }, options: Partial<CopyOptions> = {}, from = source.url) =>
  copyTraffic(
    { from: { url: from }, to: { url: target.url }, migrationDatabaseUrl: database.ownerUrl },
    { ...QUIET, ...options },
  )

const openSource = (): Promise<TrafficStore> => openMigrated(source)

/** A server with more rows of a day than one piece. */
let large: Promise<ClickHouseServer> | undefined
const startLarge = (): Promise<ClickHouseServer> => {
  large ??= startServer().then(async (server) => {
    await fill(await openMigrated(server), MANY)
    return server
  })
  return large
}

test('from a server to another: equal by content, and a second run copies nothing', async () => {
  const [from, server] = [await startLarge(), await startServer()]
  const lines: string[] = []
  const first = await copyInto(server, { progress: (line) => lines.push(line) }, from.url)
  assert.deepEqual(first.differences, [])
  assert.deepEqual(first.tables.requests, { rows: 46_730, copied: 46_730 })
  assert.deepEqual(first.tables.set_aside, { rows: 1, copied: 1 })
  assert.deepEqual(first.tables.stored_batches, { rows: 2, copied: 2 })
  const target = await openMigrated(server)
  const content = await contentOf(target)
  assert.deepEqual(content, await contentOf(await openMigrated(from)))
  assert.deepEqual(Object.keys(content).toSorted(), expectedTables())
  assert.match(lines.join('\n'), /^requests, \d{4}-\d\d-\d\d \(4 of 4 days\): 45500 rows copied$/m)
  const again = await copyInto(server, {}, from.url)
  assert.deepEqual(again.tables.requests, { rows: 46_730, copied: 0 })
  assert.deepEqual(await contentOf(target), content)
})

/** Those of the last migrations that are still there. */
function expectedTables(): string[] {
  const gone = ['routes_hours', 'routes_days', 'latency_hours', 'latency_days', 'urls_hours', 'batch_parts']
  return trafficTableNames()
    .filter((name) => !gone.includes(name))
    .toSorted()
}

test('from the engine on a folder to a server', async () => {
  const embedded = await openTemporaryStore()
  await fill(embedded.store, FEW)
  const content = await contentOf(embedded.store)
  const own = '019a0000-0000-7000-8000-0000000000aa'
  await embedded.store.command(`INSERT INTO migrations (number, name) SELECT 0, '${own}'`)
  await embedded.store.close()
  const server = await startEmptyServer()
  const { differences } = await copyTraffic(
    {
      from: { dataDir: embedded.folder },
      to: { url: server.url },
      migrationDatabaseUrl: database.ownerUrl,
    },
    QUIET,
  )
  assert.deepEqual(differences, [])
  assert.deepEqual(await contentOf(await openMigrated(server)), content)
  await embedded.remove()
})

test('stopped in the middle of a day, with the target killed on the way, and run again: nothing twice, nothing missing', async () => {
  const [from, server] = [await startLarge(), await startServer()]
  const target = await openMigrated(server)
  const rowsIn = async (): Promise<number> =>
    (await target.query<{ rows: number }>('SELECT count() AS rows FROM requests'))[0]?.rows ?? 0
  const stop = new AbortController()
  const copying = copyInto(server, { signal: stop.signal }, from.url)
  while ((await rowsIn()) < 5_000) await new Promise((later) => setTimeout(later, 20))
  await server.kill()
  await server.start()
  while ((await rowsIn().catch(() => 0)) < 21_000) await new Promise((later) => setTimeout(later, 20))
  stop.abort()
  await assert.rejects(copying, { name: 'AbortError' })
  const partial = await rowsIn()
  assert.ok(partial < 46_730, `${partial} rows`)
  const { differences, tables } = await copyInto(server, {}, from.url)
  assert.deepEqual(differences, [])
  assert.ok((tables.requests?.copied ?? 0) > 0)
  assert.deepEqual(await contentOf(target), await contentOf(await openMigrated(from)))
})

test('a day of which a rollup, or nothing but the rollups, was left is made again', async () => {
  const server = await startServer()
  await copyInto(server)
  const target = await openMigrated(server)
  for (const cutOff of ['urls_days', 'requests']) {
    await target.command(
      `ALTER TABLE ${cutOff} DELETE WHERE org_id = 'org-b' AND time >= toDateTime(${(NOON - 2.5 * DAY_MS) / 1000}) SETTINGS mutations_sync = 2`,
    )
    const { tables, differences } = await copyInto(server)
    assert.deepEqual(differences, [])
    assert.equal(tables.requests?.copied, 500 + 900, cutOff)
    assert.deepEqual(await contentOf(target), await contentOf(await openSource()), cutOff)
  }
})

test('a target that holds something else is refused, and beside it nothing of it is touched', async () => {
  const server = await startServer()
  const target = await openMigrated(server)
  const others = [0, 1].map((day) => event({ orgId: 'org-c', time: NOON - day * DAY_MS }))
  await storeBatch(ingestInto(target), eventBatch(others, { gatewayId: 'gate-c' }))
  const before = await contentOf(target)
  await assert.rejects(copyInto(server), {
    code: 'COPY_REFUSED',
    message: /holds other data: .* of organization org-c/,
  })
  assert.deepEqual(await contentOf(target), before)

  assert.deepEqual((await copyInto(server, { isBesideOthers: true })).differences, [])
  const ofOthers = await target.query(
    "SELECT toString(id) AS id FROM requests WHERE org_id = 'org-c' ORDER BY time DESC",
  )
  assert.deepEqual(
    ofOthers,
    others.map(({ id }) => ({ id })),
  )
  for (const rollup of ['traffic_minutes', 'urls_days'])
    assert.deepEqual(
      await target.query(`SELECT sum(requests) AS requests FROM ${rollup} WHERE org_id = 'org-c'`),
      [{ requests: 2 }],
    )

  // A row of an organization of the source that the source does not have.
  const foreign = event({ orgId: 'org-b', time: NOON })
  await storeBatch(ingestInto(target), eventBatch([foreign]))
  const filled = await contentOf(target)
  await assert.rejects(copyInto(server, { isBesideOthers: true }), {
    code: 'COPY_REFUSED',
    message: /of organization org-b that the source does not have/,
  })
  assert.deepEqual(await contentOf(target), filled)
})

test('what is written meanwhile is told, and copied by the next run', async () => {
  const [from, server] = [await startServer(), await startServer()]
  const store = await openMigrated(from)
  const ingest = ingestInto(store)
  await storeBatch(ingest, eventBatch([event({ time: NOON })]))
  const late = `INSERT INTO requests (org_id, time, id, retention_days) SELECT 'org-a', toDateTime64(${NOON / 1000 + 1}, 3), generateUUIDv4(), 90`
  const insertAtOnce = (): void => {
    const script = `const answer = await fetch(${JSON.stringify(from.url)}, { method: 'POST', body: ${JSON.stringify(late)} }); if (!answer.ok) throw new Error(await answer.text())`
    execFileSync(process.execPath, ['--input-type=module', '--eval', script])
  }
  // After the requests of the day were copied, and before they are compared.
  const progress = (line: string): void => {
    if (line.startsWith('requests')) insertAtOnce()
  }
  const told = await copyInto(server, { progress }, from.url)
  const day = new Date(NOON).toISOString().slice(0, 10)
  assert.deepEqual(told.differences, [`requests, ${day}: organization org-a: 2 rows, and 1 in the target`])
  assert.deepEqual((await copyInto(server, {}, from.url)).differences, [])
  const target = await openMigrated(server)
  assert.deepEqual(await contentOf(target), await contentOf(store))

  await store.command('ALTER TABLE requests UPDATE retention_days = 200 WHERE 1 SETTINGS mutations_sync = 2')
  const { tables, differences } = await copyInto(server, {}, from.url)
  assert.deepEqual([tables.requests?.copied, differences], [2, []])
  assert.deepEqual(await target.query('SELECT DISTINCT retention_days AS days FROM requests'), [
    { days: 200 },
  ])
})

test('by a clock that is far ahead nothing is copied and called equal', async () => {
  const target = await startServer()
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 400 * DAY_MS })
  try {
    await assert.rejects(copyInto(target), /the clock of this machine says .*, and that of a ClickHouse /)
  } finally {
    mock.timers.reset()
  }
  // A machine with the engine on a folder has one clock, which may be wrong as a whole.
  const store = await openSource()
  const check = () => requireSomethingKept(store, DAY_TABLES)
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 400 * DAY_MS })
  try {
    await assert.rejects(check(), /all 2\d{3} rows are past their retention by the clock of this machine/)
  } finally {
    mock.timers.reset()
  }
  await check()
  assert.deepEqual((await copyInto(target)).differences, [])
})

test('a record that is kept for a day is no sign of a wrong clock, though nothing of it is copied', async () => {
  const [from, server] = [await startServer(), await startServer()]
  const store = await openMigrated(from)
  const tail = { isFollowed: () => false, publish: () => undefined }
  const ingest = createIngest({ store, retentionDaysOf: () => 1, tail })
  await storeBatch(ingest, eventBatch([event({ time: Date.now() })]))
  const { tables, differences } = await copyInto(server, {}, from.url)
  assert.deepEqual([tables.requests, differences], [{ rows: 0, copied: 0 }, []])
})

test('a store is not copied into itself, and what is no record is not copied', async () => {
  await assert.rejects(copyInto(source), { code: 'COPY_REFUSED', message: /is the one to copy to/ })
  const [empty, target] = [await startEmptyServer(), await startEmptyServer()]
  await assert.rejects(copyInto(target, {}, empty.url), {
    code: 'COPY_REFUSED',
    message: /there is no record/,
  })
  const late = await openMigrated(empty)
  await late.command('ALTER TABLE requests ADD COLUMN later String')
  await assert.rejects(copyInto(target, {}, empty.url), {
    code: 'COPY_REFUSED',
    message: /requests\.later was made by a later version/,
  })
})
