/** A database that is new must be the one that an old installation has become. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
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
