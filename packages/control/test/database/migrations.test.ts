/** A database that is new must be the one that an old installation has become. */
import assert from 'node:assert/strict'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Client } from 'pg'
import {
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../../../../test/support/postgres.ts'
import { migrate } from '../../src/database/migrate.ts'
import { describeSchema } from '../support/schema.ts'

const FOLDER = join(import.meta.dirname, '../../src/database/migrations')
const files = readdirSync(FOLDER).toSorted()
const opened: TestDatabase[] = []
const clients: Client[] = []
after(async () => {
  for (const client of clients) await client.end()
  for (const database of opened) await database.drop()
})

async function open(made: Promise<TestDatabase>): Promise<{ client: Client; ownerUrl: string }> {
  const database = await made
  opened.push(database)
  const client = new Client({ connectionString: database.ownerUrl })
  await client.connect()
  clients.push(client)
  return { client, ownerUrl: database.ownerUrl }
}

/** What an installation of the first version may hold; later migrations must leave it there. */
const FIRST_ROWS = `
  INSERT INTO organizations (org_id, name) VALUES ('019a0000-0000-7000-8000-000000000001', 'old');
  INSERT INTO sites (org_id, id, origin_name, origin_scheme, origin_host, origin_port, gated_name, is_enabled, starts_at,
    stops_at, rate_limit, created_by)
  VALUES ('019a0000-0000-7000-8000-000000000001', '019a0000-0000-7000-8000-000000000002', 'o', 'https', 'o', 443,
    'o.gate.localhost', true, now(), now(), 'fixed', 'test');
  INSERT INTO site_definitions (org_id, site_id, document) VALUES ('019a0000-0000-7000-8000-000000000001',
    '019a0000-0000-7000-8000-000000000002', '{"openapi":"3.0.3","info":{"title":"ä\\\\"}}');
  SELECT record_change('019a0000-0000-7000-8000-000000000001', '{}', now(), 'test', 'site.create', 'x', '{site}', '{x}')`

test('a fresh database equals one that was migrated step by step, with rows in it', async () => {
  const stepped = await open(createEmptyDatabase())
  for (const [index, file] of files.entries()) {
    await stepped.client.query(`BEGIN; ${readFileSync(join(FOLDER, file), 'utf8')}; COMMIT`)
    if (index === 0) await stepped.client.query(FIRST_ROWS)
  }
  const fresh = await open(createTestDatabase())
  const described = await describeSchema(fresh.client)
  for (const [part, lines] of Object.entries(described))
    if (part !== 'triggers') assert.ok(lines.length > 0, part)
  assert.deepEqual(await describeSchema(stepped.client), described)
  const { rows } = await stepped.client.query(
    'SELECT s.rate_limit, h.sequence FROM sites s JOIN audit_heads h USING (org_id)',
  )
  assert.deepEqual(rows, [{ rate_limit: 'fixed', sequence: '1' }])
  const documents = await stepped.client.query(
    `SELECT d.name, v.number, v.format, v.size_bytes, convert_from(v.content, 'UTF8') = o.document AS is_same, r.is_due
     FROM site_documents d JOIN site_document_versions v USING (org_id, site_id, name, number)
       JOIN site_definitions o USING (org_id, site_id) JOIN site_routes r USING (org_id, site_id)`,
  )
  const document = {
    name: 'main',
    number: 1,
    format: 'openapi-3.0',
    size_bytes: 43,
    is_same: true,
    is_due: true,
  }
  assert.deepEqual(documents.rows, [document])
})

test('the comparison sees what it must: a policy, a grant, a column, an index, forced row security', async () => {
  const { client } = await open(createTestDatabase())
  const before = JSON.stringify(await describeSchema(client))
  for (const statement of [
    'DROP POLICY own_organization ON sites',
    'GRANT DELETE ON audit_log TO sallyport_app',
    'ALTER TABLE sites ADD COLUMN more text',
    'DROP INDEX api_keys_lookup',
    'ALTER TABLE members NO FORCE ROW LEVEL SECURITY',
    'ALTER FUNCTION current_organization() SECURITY DEFINER',
    `ALTER TABLE sites ALTER COLUMN rate_limit SET DEFAULT 'x'`,
    'ALTER TABLE billing DROP CONSTRAINT billing_org_id_fkey',
  ]) {
    await client.query(`BEGIN; ${statement}`)
    assert.notEqual(JSON.stringify(await describeSchema(client)), before, statement)
    await client.query('ROLLBACK')
  }
  assert.equal(JSON.stringify(await describeSchema(client)), before)
})

test('several processes that start at once migrate once', async () => {
  const { client, ownerUrl } = await open(createEmptyDatabase())
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(ownerUrl)))
  assert.equal(applied.flat().length, files.length)
  const fresh = await open(createTestDatabase())
  assert.deepEqual(await describeSchema(client), await describeSchema(fresh.client))
})

test('what an earlier version applied by Kysely’s migrator is not applied again', async () => {
  const { client, ownerUrl } = await open(createEmptyDatabase())
  const [first, ...later] = files.map((file) => file.slice(0, -'.sql'.length))
  await client.query(`
    CREATE TABLE kysely_migration (name varchar(255) NOT NULL PRIMARY KEY, timestamp varchar(255) NOT NULL);
    CREATE TABLE kysely_migration_lock (id varchar(255) NOT NULL PRIMARY KEY, is_locked integer NOT NULL DEFAULT 0);
    INSERT INTO kysely_migration_lock VALUES ('migration_lock', 0);
    INSERT INTO kysely_migration VALUES ('${first}', '2999-01-01T00:00:00.000Z')`)
  await client.query(readFileSync(join(FOLDER, `${first}.sql`), 'utf8'))
  assert.deepEqual(await migrate(ownerUrl), later)
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM kysely_migration ORDER BY timestamp',
  )
  assert.deepEqual(
    rows.map((row) => row.name),
    [first, ...later],
  )
  const fresh = await open(createTestDatabase())
  assert.deepEqual(await describeSchema(client), await describeSchema(fresh.client))
})

test('a database that lacks an early migration is left alone, and a server that is away is named', async () => {
  const { client, ownerUrl } = await open(createEmptyDatabase())
  await migrate(ownerUrl)
  await client.query('DELETE FROM kysely_migration WHERE name = $1', [files[1]?.slice(0, -'.sql'.length)])
  await assert.rejects(
    migrate(ownerUrl),
    /could not be migrated: migration 0002-\S+ is missing before later ones/,
  )
  await assert.rejects(migrate('postgres://nobody@127.0.0.1:1/none'), /could not be migrated: .*ECONNREFUSED/)
})

/** The program of the next version, as far as it migrates: it has one migration more. */
async function nextVersion(): Promise<{ migrate: typeof migrate; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-next-'))
  const source = join(import.meta.dirname, '../../src')
  mkdirSync(join(folder, 'database'))
  for (const name of ['errors.ts', 'database/migrate.ts', 'database/migrations', 'database/server'])
    cpSync(join(source, name), join(folder, name), { recursive: true })
  const name = `${String(files.length + 1).padStart(4, '0')}-next.sql`
  const statement = 'ALTER TABLE sites ADD COLUMN next text'
  writeFileSync(join(folder, 'database/migrations', name), statement)
  symlinkSync(join(import.meta.dirname, '../../../../node_modules'), join(folder, 'node_modules'))
  // The module has the face of the one that it is a copy of.
  const module = (await import(join(folder, 'database/migrate.ts'))) as { migrate: typeof migrate }
  return { migrate: module.migrate, folder }
}

test('two versions that start at once: the later one migrates, the earlier one started before it or is refused', async () => {
  const next = await nextVersion()
  for (const order of [
    [migrate, next.migrate],
    [next.migrate, migrate],
    [migrate, next.migrate, migrate, next.migrate],
  ]) {
    const { client, ownerUrl } = await open(createEmptyDatabase())
    const starts = await Promise.allSettled(order.map((start) => start(ownerUrl)))
    for (const [index, start] of starts.entries())
      if (start.status === 'rejected') {
        assert.equal(order[index], migrate)
        assert.equal(start.reason.code, 'LATER_VERSION')
      }
    const { rows } = await client.query('SELECT next FROM sites')
    assert.deepEqual(rows, [])
    await assert.rejects(migrate(ownerUrl), { code: 'LATER_VERSION' })
    assert.deepEqual(await next.migrate(ownerUrl), [])
  }
  rmSync(next.folder, { recursive: true })
})
