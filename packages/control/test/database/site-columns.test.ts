import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Client } from 'pg'
import { createTestDatabase } from '../../../../test/support/postgres.ts'
import { SITE_COLUMN_NAMES, SITE_SETTINGS } from '../../src/database/site-columns.ts'

const database = await createTestDatabase()
const client = new Client({ connectionString: database.ownerUrl })
await client.connect()
after(async () => {
  await client.end()
  await database.drop()
})

/** What neither a creation nor a change may set. */
const STORED = ['id', 'org_id', 'created_by', 'created_at', 'version', 'group_id']

test('every column of the table `sites` is named in the tables of its columns', async () => {
  const { rows } = await client.query<{ name: string }>(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'sites'",
  )
  const named = [...STORED, ...SITE_COLUMN_NAMES, ...Object.keys(SITE_SETTINGS)]
  assert.deepEqual(named.toSorted(), rows.map(({ name }) => name).toSorted())
})
