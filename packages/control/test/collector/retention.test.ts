import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { eventually } from '../../../../test/support/installation.ts'
import { createTestDatabase } from '../../../../test/support/postgres.ts'
import { createIngest } from '../../src/collector/ingest.ts'
import { openRetention } from '../../src/collector/retention.ts'
import { openDatabase } from '../../src/database/database.ts'
import { createOperator } from '../../src/operator/operator.ts'
import { createCipher } from '../../src/secrets/cipher.ts'
import { event, eventBatch, openTemporaryStore, REQUEST_ROLLUPS, storeBatch } from '../support/traffic.ts'

const DAY_MS = 86_400_000
const TABLES = ['requests', ...REQUEST_ROLLUPS]

const [testDatabase, { store, remove }] = await Promise.all([createTestDatabase(), openTemporaryStore()])
const database = openDatabase({ url: testDatabase.appUrl, cipher: createCipher(randomBytes(32)) })
const operator = createOperator(database)
const faults: unknown[] = []
let isAway = false
/** Happens after a statement of the store has been done. */
let interrupt: ((sql: string) => Promise<void>) | undefined
const retention = await openRetention({
  database,
  failed: (fault) => faults.push(fault),
  lookIntervalMs: 50,
  settlingMs: 100,
})
retention.keep({
  query: store.query,
  command: async (...statement) => {
    if (isAway) throw new Error('the store is away')
    await store.command(...statement)
    await interrupt?.(statement[0])
  },
})
after(async () => {
  await retention.close()
  await database.close()
  await Promise.all([remove(), testDatabase.drop()])
})

const organization = async (name: string) =>
  (await operator.createOrganization({ name, email: `owner@${name}.example` })).organizationId

/** Records a request of today and one of forty days ago. */
async function recordTwo(orgId: string): Promise<void> {
  const ingest = createIngest({
    store,
    retentionDaysOf: retention.daysOf,
    tail: { isFollowed: () => false, publish: () => undefined },
  })
  const events = [0, 40].map((days) => event({ orgId, time: Date.now() - days * DAY_MS }))
  await storeBatch(ingest, eventBatch(events))
}

/** How many rows each table holds of an organization, and for how many days. */
async function storedOf(orgId: string): Promise<{ rows: number[]; days: number[] }> {
  const tables = await Promise.all(
    TABLES.map((table) =>
      store.query<{ rows: number; days: number }>(
        `SELECT count() AS rows, max(retention_days) AS days FROM ${table} WHERE org_id = {orgId:String}`,
        { orgId },
      ),
    ),
  )
  return {
    rows: tables.map(([table]) => table?.rows ?? 0),
    days: tables.map(([table]) => table?.days ?? 0),
  }
}

const everywhere = (value: number): number[] => TABLES.map(() => value)

test('a shorter retention deletes what is too old everywhere, and nothing of another organization', async () => {
  const [mine, other] = [await organization('mine'), await organization('other')]
  await recordTwo(mine)
  await recordTwo(other)
  assert.deepEqual(await storedOf(mine), { rows: everywhere(2), days: everywhere(90) })
  await operator.setRetention(mine, 30)
  await eventually(async () =>
    isDeepStrictEqual(await storedOf(mine), { rows: everywhere(1), days: everywhere(30) }),
  )
  assert.deepEqual(await storedOf(other), { rows: everywhere(2), days: everywhere(90) })
  assert.equal(retention.daysOf(mine), 30)
  assert.equal(retention.daysOf(other), 90)
})

test('a longer one keeps what is stored, and a store that was away gets it when it is back', async () => {
  const orgId = await organization('longer')
  await recordTwo(orgId)
  isAway = true
  await operator.setRetention(orgId, 3_650)
  await eventually(() => faults.length > 0)
  assert.equal(retention.daysOf(orgId), 3_650, 'what comes meanwhile is stamped with the new one')
  isAway = false
  await eventually(async () => (await storedOf(orgId)).days.every((days) => days === 3_650))
  assert.deepEqual((await storedOf(orgId)).rows, everywhere(2))
})

test('a retention that is taken back while it is brought to what is stored, or after that was cut off, holds there', async () => {
  const orgId = await organization('back')
  await recordTwo(orgId)
  for (const isCutOff of [true, false]) {
    interrupt = async (sql) => {
      if (!sql.includes('ALTER TABLE requests ')) return
      await eventually(async () => (await storedOf(orgId)).days[0] === 60)
      interrupt = undefined
      await operator.setRetention(orgId, 90)
      if (isCutOff) throw new Error('the process ends here')
    }
    await operator.setRetention(orgId, 60)
    await eventually(() => interrupt === undefined)
    await eventually(async () => (await storedOf(orgId)).days.every((days) => days === 90))
    assert.deepEqual(await storedOf(orgId), { rows: everywhere(2), days: everywhere(90) })
  }
})

test('the operator names whole days within bounds, and the change is audited', async () => {
  const orgId = await organization('bounds')
  for (const days of [0, -1, 1.5, 3_651, Number.NaN])
    await assert.rejects(operator.setRetention(orgId, days), /1 to 3650 whole days/)
  await assert.rejects(operator.setRetention(randomUUID(), 10), /no organization/)
  assert.equal((await operator.setRetention(orgId, 7)).retentionDays, 7)
  const [entry] = await database.read(orgId, (tx) =>
    tx.query<{ entry: string }>('SELECT entry FROM audit_log ORDER BY sequence DESC LIMIT 1'),
  )
  const { action, before, after: then } = JSON.parse(entry?.entry ?? '{}')
  assert.equal(action, 'organization.setRetention')
  assert.deepEqual([before.retentionDays, then.retentionDays], [90, 7])
})
