import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/postgres.ts'
import { type Database, openDatabase } from '../../../src/database/database.ts'
import {
  KEY_KEPT_MS,
  KEY_LIFETIME_MS,
  KEY_PUBLISHED_AHEAD_MS,
  maintainSigningKeys,
} from '../../../src/identity/provider/signing-keys.ts'
import { createCipher } from '../../../src/secrets/cipher.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
const secretKey = randomBytes(32)
const cipher = createCipher(secretKey)

let testDatabase: TestDatabase
let database: Database

before(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase({ url: testDatabase.appUrl, cipher })
})
after(async () => {
  await database.close()
  await testDatabase.drop()
})
beforeEach(() => database.writeInstallation((tx) => tx.query('DELETE FROM identity_signing_keys')))

const kidsAt = async (at: number, using = cipher): Promise<string[]> =>
  (await maintainSigningKeys(database, using, at)).map((key) => key.kid)

test('processes that start together agree on one key, and keep it', async () => {
  const all = await Promise.all(Array.from({ length: 6 }, () => kidsAt(START)))
  assert.equal(new Set(all.map((kids) => kids.join())).size, 1)
  assert.equal(all[0]?.length, 1)
  assert.deepEqual(await kidsAt(START + 86_400_000), all[0])
})

test('a key is replaced: published ahead, then signing, the old one kept for a while', async () => {
  const [first = ''] = await kidsAt(START)
  const ahead = START + KEY_LIFETIME_MS - KEY_PUBLISHED_AHEAD_MS
  assert.deepEqual(await kidsAt(ahead - 1), [first])
  const [signing, second = ''] = await kidsAt(ahead)
  assert.equal(signing, first, 'the old one still signs')
  assert.notEqual(second, '')
  assert.deepEqual(await kidsAt(ahead + KEY_PUBLISHED_AHEAD_MS - 1), [first, second])
  assert.deepEqual(await kidsAt(START + KEY_LIFETIME_MS), [second, first])
  assert.deepEqual(await kidsAt(START + KEY_LIFETIME_MS + KEY_KEPT_MS), [second, first])
  assert.deepEqual(await kidsAt(START + KEY_LIFETIME_MS + KEY_KEPT_MS + 1), [second])
})

test('keys are stored encrypted, and another secret key cannot read them and makes its own', async () => {
  const [first = ''] = await kidsAt(START)
  const rows = await database.writeInstallation((tx) =>
    tx.query<{ row: string }>('SELECT k::text AS row FROM identity_signing_keys k'),
  )
  const [key] = await maintainSigningKeys(database, cipher, START)
  assert.ok(key)
  for (const { row } of rows) assert.ok(!row.includes(key.d))
  const newKey = randomBytes(32)
  const rotated = createCipher(newKey, [secretKey])
  assert.deepEqual(
    await kidsAt(START, rotated),
    [first],
    'after a rotation of the secret key they still open',
  )
  const [other] = await kidsAt(START, createCipher(newKey))
  assert.notEqual(other, first)
})
