import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ClickHouseError } from '@clickhouse/client'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { createIngest } from '../../src/collector/ingest.ts'
import { createLiveTail } from '../../src/live-tail/live-tail.ts'
import { openTrafficStore, StoreUnavailable } from '../../src/traffic-store/connection.ts'
import { migrateTrafficStore } from '../../src/traffic-store/migrate.ts'
import { event, numberedBatch, REQUEST_ROLLUPS, storeBatch } from '../support/traffic.ts'

const folder = temporaryFolder({ after })
const dataDir = join(folder, 'store')
const INGEST = join(import.meta.dirname, '../support/ingest-process.ts')

interface Taker {
  readonly process: ChildProcess
  /** Names of batches, in the order in which they were acknowledged. */
  readonly acknowledged: number[]
}

/** Starts a process that takes batch after batch and says which it has acknowledged. */
async function startTaking(first: number): Promise<Taker> {
  const child = spawn(process.execPath, [INGEST, dataDir, String(first)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const acknowledged: number[] = []
  child.on('message', (message) => acknowledged.push(Number(message)))
  const ended = once(child, 'close').then(() => assert.fail('the process ended before its first batch'))
  await Promise.race([once(child, 'message'), ended])
  ended.catch(() => {})
  return { process: child, acknowledged }
}

test('killed in the middle again and again, the store has each batch once, in the record and the rollups', async () => {
  let next = 1
  for (let round = 0; round < 4; round += 1) {
    const taker = await startTaking(next)
    await new Promise((done) => setTimeout(done, 150 + round * 130))
    taker.process.kill('SIGKILL')
    // Not `exit`: acknowledgements may still be in the channel then.
    await once(taker.process, 'close')
    // The gateway has no acknowledgement of the batch after the last one, and sends it again.
    next = Math.max(...taker.acknowledged) + 1
  }
  const store = await openTrafficStore({ dataDir })
  const ingest = createIngest({ store, retentionDaysOf: () => 90, tail: createLiveTail() })
  await storeBatch(ingest, numberedBatch(next))
  await storeBatch(ingest, numberedBatch(next))
  const rows = await store.query<{ path: string; times: number }>(
    'SELECT path, count() AS times FROM requests GROUP BY path HAVING times != 100',
  )
  assert.deepEqual(rows, [])
  const expected = next * 100
  for (const [table, column] of [
    ['requests', 'count()'],
    ...REQUEST_ROLLUPS.map((table) => [table, 'sum(requests)']),
    ['urls_days', 'sum(arraySum(mapValues(durations)))'],
  ]) {
    const [total] = await store.query<{ total: number }>(`SELECT ${column} AS total FROM ${table}`)
    assert.equal(total?.total, expected, table)
  }
  await store.close()
})

test('a second process is told that the store is in use', async () => {
  const taker = await startTaking(1_000)
  await assert.rejects(openTrafficStore({ dataDir }), /another Sallyport process may be using it/)
  taker.process.kill('SIGKILL')
  await once(taker.process, 'close')
})

test('what is older than its retention goes, from the record and the rollups', async () => {
  const store = await openTrafficStore({ dataDir: join(folder, 'retention') })
  await migrateTrafficStore(store)
  const retentionDaysOf = (orgId: string): number => (orgId === 'org-short' ? 2 : 90)
  const ingest = createIngest({ store, retentionDaysOf, tail: createLiveTail() })
  const threeDaysAgo = Date.now() - 3 * 86_400_000
  const events = ['org-short', 'org-long'].flatMap((orgId) => [
    event({ orgId, time: threeDaysAgo }),
    event({ orgId }),
  ])
  await storeBatch(ingest, { ...numberedBatch(1), events })
  for (const table of ['requests', 'traffic_minutes', 'traffic_hours', 'activity_hours', 'urls_days'])
    await store.command(`OPTIMIZE TABLE ${table} FINAL`)
  for (const [table, column] of [
    ['requests', 'count()'],
    ['traffic_minutes', 'sum(requests)'],
    ['traffic_hours', 'sum(requests)'],
    ['activity_hours', 'sum(requests)'],
    ['urls_days', 'sum(requests)'],
  ]) {
    const rows = await store.query<{ org_id: string; total: number }>(
      `SELECT org_id, ${column} AS total FROM ${table} GROUP BY org_id ORDER BY org_id`,
    )
    assert.deepEqual(
      rows,
      [
        { org_id: 'org-long', total: 2 },
        { org_id: 'org-short', total: 1 },
      ],
      table,
    )
  }
  await store.close()
})

test('a statement that the engine refuses is an error of its own, and not a store that is away', async () => {
  const store = await openTrafficStore({ dataDir: join(folder, 'refusing') })
  const refused = {
    table: 'nothing',
    columns: ['a'],
    format: 'JSONCompactEachRow',
    rows: Buffer.from('[1]\n'),
    name: '00',
  } as const
  for (const act of [
    () => store.query('SELECT nothing'),
    () => store.command('SELECT nothing'),
    () => store.insert(refused),
  ])
    await assert.rejects(act, ClickHouseError)
  const slow = store.query('SELECT max(number) FROM system.numbers', {}, { timeoutMs: 1_000 })
  await assert.rejects(slow, StoreUnavailable)
  await store.close()
})

test('a server that does not answer is said to be away, for reading and for writing', async () => {
  const store = await openTrafficStore({ url: 'http://127.0.0.1:9' })
  await assert.rejects(store.query('SELECT 1'), StoreUnavailable)
  assert.equal(await store.ping(), false)
  const ingest = createIngest({ store, retentionDaysOf: () => 90, tail: createLiveTail() })
  await assert.rejects(storeBatch(ingest, numberedBatch(1)))
  await store.close()
})
