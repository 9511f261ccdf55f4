/** A restore whose last step the database does not answer: what was restored stays whole, and what was not is undone. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { type ClickHouseServer, startClickHouse } from '../../../../test/support/clickhouse/server.ts'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { createEmptyDatabase } from '../../../../test/support/postgres.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { type BackupSettings, restoreBackup, writeBackup } from '../../src/backup/backup.ts'
import { openTrafficStore } from '../../src/traffic-store/connection.ts'
import { postBatch, startTestControl, type TestControl } from '../support/control.ts'
import { event } from '../support/traffic.ts'

const REQUESTS = 3
const file = join(temporaryFolder({ after }), 'one.backup')
const servers: ClickHouseServer[] = []
let control: TestControl

before(async () => {
  control = await startTestControl()
  const { orgId } = await control.createOrganization('mine')
  const events = Array.from({ length: REQUESTS }, () => event({ id: randomUUID(), orgId, time: Date.now() }))
  await postBatch(control, events)
  await writeBackup(control.settings, file, { controlUrl: control.url, version: '0.1.0' })
})
after(async () => {
  await control?.close()
  for (const server of servers) await server.remove()
})

/** What the way to the database does with the COMMIT of the restore. */
interface Fault {
  /** Whether the database gets it. */
  readonly isPassedOn: boolean
  /** Whether it is reached again afterwards. */
  readonly comesBack: boolean
}

/** An empty installation whose database is reached through a way that breaks at the COMMIT of the restore. */
async function createTarget(context: TestContext, { isPassedOn, comesBack }: Fault) {
  const server = await startClickHouse()
  servers.push(server)
  const database = await createEmptyDatabase()
  context.after(() => database.drop())
  const { hostname, port, searchParams } = new URL(database.ownerUrl)
  const socket = searchParams.get('host')
  let isAway = false
  const relay = createServer((inner) => {
    if (isAway) return void inner.destroy()
    const outer = socket ? connect(join(socket, '.s.PGSQL.5432')) : connect(Number(port), hostname)
    outer.on('error', () => inner.destroy())
    inner.on('error', () => undefined).on('close', () => outer.destroy())
    // Migrations commit, too.
    let fills = false
    let isEnding = false
    inner.on('data', (chunk) => {
      fills ||= chunk.includes('SET CONSTRAINTS ALL IMMEDIATE')
      isEnding ||= fills && chunk.includes('COMMIT\0')
      if (isEnding && !comesBack) isAway = true
      if (isEnding && !isPassedOn) inner.destroy()
      else outer.write(chunk)
    })
    outer.on('data', (chunk) => (isEnding ? inner.destroy() : inner.write(chunk)))
  })
  const relayed = await listenForTest(context, relay)
  const url = new URL(database.ownerUrl)
  url.host = `127.0.0.1:${relayed.port}`
  url.searchParams.delete('host')
  const settings: BackupSettings = {
    ...control.settings,
    clickhouse: { url: server.url },
    databaseUrl: database.appUrl,
    migrationDatabaseUrl: url.href,
  }
  return { settings, direct: { ...settings, migrationDatabaseUrl: database.ownerUrl } }
}

/** How many organizations the database has, and how many requests the traffic store. */
async function contentOf({ migrationDatabaseUrl, clickhouse }: BackupSettings): Promise<[number, number]> {
  const client = new Client({ connectionString: migrationDatabaseUrl })
  await client.connect()
  // An owner sees rows only where it says so.
  await client.query('ALTER TABLE organizations NO FORCE ROW LEVEL SECURITY')
  const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM organizations')
  await client.query('ALTER TABLE organizations FORCE ROW LEVEL SECURITY')
  await client.end()
  const store = await openTrafficStore(clickhouse)
  const [row] = await store.query<{ count: number }>('SELECT toUInt32(count()) AS count FROM requests')
  await store.close()
  return [rows[0]?.count ?? 0, row?.count ?? 0]
}

test('it was committed, and the answer is lost: the restore succeeds', async (t) => {
  const { settings, direct } = await createTarget(t, { isPassedOn: true, comesBack: true })
  assert.equal((await restoreBackup(settings, file)).rows.requests, REQUESTS)
  assert.deepEqual(await contentOf(direct), [1, REQUESTS])
})

test('it was not committed: all is undone, and the next restore succeeds', async (t) => {
  const { settings, direct } = await createTarget(t, { isPassedOn: false, comesBack: true })
  await assert.rejects(restoreBackup(settings, file), /terminated/)
  assert.deepEqual(await contentOf(direct), [0, 0])
  await restoreBackup(direct, file)
  assert.deepEqual(await contentOf(direct), [1, REQUESTS])
})

test('nobody says whether it was committed: the record stays, and the operator is told how to find out', async (t) => {
  const { settings, direct } = await createTarget(t, { isPassedOn: true, comesBack: false })
  await assert.rejects(restoreBackup(settings, file), {
    code: 'BAD_BACKUP',
    message: /^the database stopped answering at the very end, [^\n]+ `sallyport organizations list`/,
  })
  assert.deepEqual(await contentOf(direct), [1, REQUESTS])
})
