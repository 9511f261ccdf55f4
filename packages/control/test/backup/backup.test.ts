/** Backup, destroy, restore: equal by content, from embedded engines to servers and from servers to others. */
import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { Client } from 'pg'
import { type ClickHouseServer, startClickHouse } from '../../../../test/support/clickhouse/server.ts'
import { eventually } from '../../../../test/support/installation.ts'
import { createEmptyDatabase, type TestDatabase } from '../../../../test/support/postgres.ts'
import { type BackupPiece, checkArchive, readArchive, writeArchive } from '../../src/backup/archive.ts'
import { type BackupSettings, restoreBackup, writeBackup } from '../../src/backup/backup.ts'
import { TRAFFIC_BACKUP_PATH } from '../../src/backup/traffic-frames.ts'
import { type ControlPlane, migrate, startControl } from '../../src/index.ts'
import { openTrafficStore } from '../../src/traffic-store/connection.ts'
import {
  GATEWAY_TOKEN,
  postBatch,
  startTestControl,
  type TestControl,
  type TestOrganization,
} from '../support/control.ts'
import { event, hit } from '../support/traffic.ts'

const folder = mkdtempSync(join(tmpdir(), 'sallyport-backup-'))
const file = join(folder, 'one.backup')
const VERSION = '0.1.0'
const databases: TestDatabase[] = []
const servers: ClickHouseServer[] = []
let control: TestControl
let organization: TestOrganization
let coverage: string
/** An installation into which a backup was restored. */
let filled: BackupSettings
/** One in which nothing is before the last test that uses it. */
let empty: BackupSettings
const REQUESTS = 400
/** What a site's API and its people add. */
const SMALL_TABLES = [
  ...['site_documents', 'site_document_versions', 'site_definition_tables', 'site_routes'],
  ...['confirmed_operations', 'saved_views'],
]

before(async () => {
  control = await startTestControl()
  organization = await control.createOrganization('mine')
  const key = organization.keys.owner
  const call = (path: string, body: object) => control.call('POST', path, { key, body })
  const site = await call('/api/Sites', { originName: 'https://shop.example.com', isActive: true })
  assert.equal(site.status, 201)
  const researcher = await call('/api/Hackers', { email: 'someone@example.com' })
  assert.equal(researcher.status, 201)
  await describeApi(site.json.id)
  const view = { name: 'ä"\\\n', query: '?status=5xx' }
  assert.equal((await call('/api/SavedViews', view)).status, 201)
  coverage = `/api/Sites/${site.json.id}/coverage?parameters=true`
  empty = await createTarget()
  const events = Array.from({ length: REQUESTS }, (_, number) =>
    event({
      id: randomUUID(),
      orgId: organization.orgId,
      siteId: site.json.id,
      time: Date.now() - number * 90_000,
      path: `/${'ä"\\\n'.repeat(number % 3)}${number}`,
      hits: number % 4 ? [] : [hit()],
    }),
  )
  await postBatch(control, [...events, '{"not": "an event"}'])
})
after(async () => {
  await control?.close()
  for (const server of servers) await server.remove()
  for (const database of databases) await database.drop()
  rmSync(folder, { recursive: true })
})

/** Two versions of a definition, which is in force as a rule, and an operation that somebody confirmed. */
async function describeApi(siteId: string): Promise<void> {
  const call = (path: string, body: object) =>
    control.call('PUT', `/api/Sites/${siteId}/${path}`, { key: organization.keys.owner, body })
  for (const title of ['ä"\\\n', 'second']) {
    const paths = { '/orders': { get: { responses: { 200: { description: '' } } } } }
    const uploaded = await call('definition', { openapi: '3.1.0', info: { title, version: '1' }, paths })
    assert.equal(uploaded.status, 204, uploaded.text)
  }
  const rule = await call('firewall', { mode: 'observe', definition: { mode: 'observe' } })
  assert.equal(rule.status, 200, rule.text)
  const operation = {
    ...{ method: 'GET', template: '/ä"/{id}', parameters: [], bodyTypes: [] },
    ...{ mediaTypes: ['application/json'], statuses: ['200'] },
  }
  await control.database.write(organization.orgId, (tx) =>
    tx.query(
      `INSERT INTO confirmed_operations (org_id, site_id, method, template, operation, confirmed_by)
       VALUES ($1, $2, $3, $4, $5, 'ada')`,
      [organization.orgId, siteId, operation.method, operation.template, JSON.stringify(operation)],
    ),
  )
}

/** An installation with nothing in it. */
async function createTarget(): Promise<BackupSettings> {
  const server = await startClickHouse()
  servers.push(server)
  return withEmptyDatabase({ ...control.settings, clickhouse: { url: server.url } })
}

/** The same with a database in which nothing is. */
async function withEmptyDatabase(settings: BackupSettings): Promise<BackupSettings> {
  const database = await createEmptyDatabase()
  databases.push(database)
  return { ...settings, databaseUrl: database.appUrl, migrationDatabaseUrl: database.ownerUrl }
}

/** Every row of every table, as text, by table; the revision, which a restore raises, is left out. */
async function contentOf(url: string): Promise<Record<string, string[]>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('kysely_migration', 'traffic_migration', 'installation')`,
  )
  const content: Record<string, string[]> = {}
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} AS t ORDER BY 1`)
    content[name] = rows.map(({ row }) => row)
  }
  await client.end()
  return content
}

/** A backup of a moment in which nothing else was written, and what was there then: an installation that runs goes on writing. */
async function backUpStill(source: BackupSettings, name: string, controlUrl: string) {
  for (let attempt = 0; ; attempt += 1) {
    const before = await contentOf(source.migrationDatabaseUrl)
    const path = `${name}-${attempt}`
    const { rows } = await writeBackup(source, path, { controlUrl, version: VERSION })
    const isStill = isDeepStrictEqual(before, await contentOf(source.migrationDatabaseUrl))
    if (isStill) return { path, rows, content: before }
    assert.ok(attempt < 20, 'something is written all the time')
  }
}

const WINDOW = `gte=${new Date(Date.now() - 30 * 86_400_000).toISOString()}&lte=${new Date(Date.now() + 60_000).toISOString()}`
const QUESTIONS = [
  `getTotalRequest?${WINDOW}`,
  `getTrafficTimeline?interval=1d&${WINDOW}`,
  `getWAFSummaryRulesTimeline?interval=1d&${WINDOW}`,
  `facets?${WINDOW}`,
  `export?format=ndjson&${WINDOW}`,
]

/** What analytics says, of the requests and of what is summed up of them. */
async function answersOf(url: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${organization.keys.owner}` }
  const answers: string[] = []
  for (const question of [...QUESTIONS.map((one) => `/api/Analytics/${one}`), `${coverage}&${WINDOW}`]) {
    const answer = await fetch(`${url}${question}`, { headers })
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    answers.push(createHash('sha256').update(text.split('\n').toSorted().join('\n')).digest('hex'))
  }
  return answers
}

test('what runs is backed up, and restored elsewhere by content', async () => {
  // What a gateway reported is written a moment after its batch was taken.
  await eventually(async () => (await contentOf(control.settings.migrationDatabaseUrl)).gateways?.[0])
  const { rows } = await writeBackup(control.settings, file, { controlUrl: control.url, version: VERSION })
  assert.equal(rows.requests, REQUESTS)
  assert.ok(rows.set_aside)
  assert.equal(rows.stored_batches, 1)
  assert.equal(rows.sites, 1)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(readFileSync(file).includes(control.settings.secretKey), false)

  let source: BackupSettings = control.settings
  for (const from of [control.url, 'http://127.0.0.1:9']) {
    const { path, rows, content } = await backUpStill(source, join(folder, `of-${servers.length}`), from)
    for (const table of SMALL_TABLES) assert.ok(rows[table], table)
    const target = await createTarget()
    await restoreBackup(target, path)
    assert.deepEqual(await contentOf(target.migrationDatabaseUrl), content)
    source = target
  }
  filled = source
  const restored: ControlPlane = await startControl({ ...control.settings, ...source })
  try {
    assert.deepEqual(await answersOf(restored.url), await answersOf(control.url))
  } finally {
    await restored.close()
  }
})

test('a database in which something is, and one that is in use, is refused and left as it is', async () => {
  const before = await contentOf(filled.migrationDatabaseUrl)
  await assert.rejects(restoreBackup(filled, file), /not empty/)
  assert.deepEqual(await contentOf(filled.migrationDatabaseUrl), before)
  const filledStore = await withEmptyDatabase(filled)
  await assert.rejects(restoreBackup(filledStore, file), /traffic store is not empty/)
  const using = new Client({ connectionString: filledStore.databaseUrl })
  await using.connect()
  await assert.rejects(restoreBackup(filledStore, file), /a control plane uses this database/)
  await using.end()
})

test('an installation of an earlier version is not migrated, and what holds no configuration yet is not empty', async () => {
  const target = await withEmptyDatabase(empty)
  await migrate(target.migrationDatabaseUrl, 5)
  const client = new Client({ connectionString: target.migrationDatabaseUrl })
  await client.connect()
  const orgId = randomUUID()
  await client.query(`SELECT set_config('app.org_id', $1, false)`, [orgId])
  await client.query(`SELECT record_change($1, '{}', now(), '', 'project.create', '', '{}', '{}')`, [orgId])
  await assert.rejects(restoreBackup(target, file), /not empty/)
  assert.equal((await client.query('SELECT FROM kysely_migration')).rowCount, 5)
  await client.end()
})

test('a restore that fails empties what it filled, and nobody else’s tables', async () => {
  const target = await createTarget()
  const store = await openTrafficStore(target.clickhouse)
  await store.command('CREATE TABLE theirs (number UInt8) ENGINE = MergeTree ORDER BY number')
  await store.command('INSERT INTO theirs SELECT 1')
  // In the way: it has no columns of ours.
  await store.command('CREATE TABLE set_aside (time DateTime64(3)) ENGINE = MergeTree ORDER BY time')
  await assert.rejects(restoreBackup(target, file))
  const count = async (table: string) => (await store.query(`SELECT * FROM ${table}`)).length
  assert.deepEqual([await count('theirs'), await count('stored_batches')], [1, 0])
  await store.close()
})

test('a file that was cut off, altered, or is under another key, changes nothing', async () => {
  const target = empty
  const bytes = readFileSync(file)
  const bad = join(folder, 'bad')
  const whole = await checkArchive(file, [control.settings.secretKey])
  for (const length of [0, 10, bytes.length >> 1, Math.floor(bytes.length * 0.95)]) {
    writeFileSync(bad, bytes.subarray(0, length))
    await assert.rejects(restoreBackup(target, bad), { code: 'BAD_BACKUP' })
  }
  for (let at = 5; at < bytes.length; at += Math.ceil(bytes.length / 40)) {
    const altered = Buffer.from(bytes)
    altered[at] = (altered[at] ?? 0) ^ 0x40
    writeFileSync(bad, altered)
    // Some bits of the compression mean nothing.
    const { digest } = await checkArchive(bad, [control.settings.secretKey]).catch(() => ({ digest: '' }))
    if (digest === whole.digest) continue
    await assert.rejects(restoreBackup(target, bad), { code: 'BAD_BACKUP' }, `at ${at}`)
  }
  const otherKey = { ...target, secretKey: randomBytes(32) }
  await assert.rejects(restoreBackup(otherKey, file), /another secret key/)
  await restoreBackup({ ...otherKey, earlierSecretKeys: [control.settings.secretKey] }, file)
})

test('what is written or read is this file and no other', async () => {
  const there = join(folder, 'there')
  writeFileSync(there, 'somebody’s')
  const source = { controlUrl: control.url, version: VERSION }
  await assert.rejects(writeBackup(control.settings, there, source), { code: 'EEXIST' })
  assert.equal(readFileSync(there, 'utf8'), 'somebody’s')
  const other = join(folder, 'other')
  await writeBackup(control.settings, other, source)
  const checked = await checkArchive(file, [control.settings.secretKey])
  await assert.rejects(Array.fromAsync(readArchive(other, checked)), /was changed while it was read/)
})

/** The same backup with every second row of its record so many days older. */
async function* agedPieces(path: string, days: number): AsyncGenerator<BackupPiece> {
  const checked = await checkArchive(path, [control.settings.secretKey])
  for await (const { engine, table, data } of readArchive(path, checked)) {
    const at = checked.manifest.traffic[table]?.indexOf('time') ?? -1
    const lines = data.toString('utf8').trimEnd().split('\n')
    if (engine === 'database' || table === 'stored_batches') {
      yield { engine, table, rows: lines.length, data }
      continue
    }
    const aged = lines.map((line, number) => {
      const cells: unknown[] = JSON.parse(line)
      const time =
        new Date(`${String(cells[at]).replace(' ', 'T')}Z`).getTime() - (number % 2) * days * 86_400_000
      const text = new Date(time).toISOString().replace('T', ' ')
      cells[at] = text.slice(0, String(cells[at]).length)
      return `${JSON.stringify(cells)}\n`
    })
    yield { engine, table, rows: lines.length, data: Buffer.from(aged.join('')) }
  }
}

test('a record that is past its retention by now is deleted while it is put back, and the rest is restored', async () => {
  const aged = join(folder, 'aged')
  const { manifest } = await checkArchive(file, [control.settings.secretKey])
  await writeArchive(aged, control.settings.secretKey, manifest, agedPieces(file, 100))
  const target = await createTarget()
  const { rows } = await restoreBackup(target, aged)
  assert.equal(rows.requests, REQUESTS)
  const store = await openTrafficStore(target.clickhouse)
  const kept = () =>
    store.query<{ requests: number; summed: number }>(
      'SELECT (SELECT count() FROM requests) AS requests, (SELECT sum(requests) FROM traffic_minutes) AS summed',
    )
  await eventually(async () =>
    isDeepStrictEqual(await kept(), [{ requests: REQUESTS / 2, summed: REQUESTS / 2 }]),
  )
  await store.close()
})

test('a backup whose record alone is of a later version is refused as one', async () => {
  const later = join(folder, 'later')
  const { manifest } = await checkArchive(file, [control.settings.secretKey])
  const requests = [...(manifest.traffic.requests ?? []), 'of_a_later_version']
  const described = { ...manifest, traffic: { ...manifest.traffic, requests } }
  await writeArchive(later, control.settings.secretKey, described, agedPieces(file, 0))
  await assert.rejects(restoreBackup(await createTarget(), later), /by a later version of Sallyport/)
})

test('what is read at once is bounded, however long its paths are', async () => {
  const long = `/${'a'.repeat(2_000)}`
  const events = Array.from({ length: 3_000 }, () =>
    event({
      id: randomUUID(),
      orgId: organization.orgId,
      time: Date.now(),
      target: long,
      path: long,
      route: long,
    }),
  )
  await postBatch(control, events)
  const name = join(folder, 'long')
  const { rows } = await writeBackup(control.settings, name, { controlUrl: control.url, version: VERSION })
  assert.equal(rows.requests, REQUESTS + events.length)
  const checked = await checkArchive(name, [control.settings.secretKey])
  for await (const { data } of readArchive(name, checked))
    assert.ok(data.length < 16 * 1024 * 1024, `${data.length}`)
})

test('whoever has no secret key gets no traffic', async () => {
  for (const token of [GATEWAY_TOKEN, organization.keys.owner, 'x']) {
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await fetch(`${control.url}${TRAFFIC_BACKUP_PATH}`, { headers })).status, 401)
  }
  assert.equal((await fetch(`${control.url}${TRAFFIC_BACKUP_PATH}`)).status, 401)
})
