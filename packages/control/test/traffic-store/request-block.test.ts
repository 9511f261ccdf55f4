import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  PATH_CHARS_MAX,
  TARGET_CHARS_MAX,
  type TrafficEvent,
  type TrafficRequest,
  type TrafficSender,
  trafficRequestFields,
  trafficSenderFields,
} from '@sallyport/contract'
import fc from 'fast-check'
import { anyFields } from '../../../../test/support/any-fields.ts'
import { csvHead } from '../../src/features/analytics/export/csv.ts'
import { RequestBlock } from '../../src/traffic-store/request-block.ts'
import {
  createColumns,
  eventOf,
  INSERT_COLUMNS,
  READ_COLUMNS,
  REQUEST_COLUMNS,
  type RequestRow,
  SENDER_COLUMNS,
} from '../../src/traffic-store/request-columns.ts'
import { event, hit, openTemporaryStore, type TemporaryStore } from '../support/traffic.ts'

let temporary: TemporaryStore
before(async () => {
  temporary = await openTemporaryStore()
  // The same columns without what costs time: parts, a partition for each day, rollups.
  await temporary.store.command('CREATE TABLE blocks AS requests ENGINE = Memory')
})
after(() => temporary.remove())

/** Any text, with what ends strings, lines or cells elsewhere, and halves of surrogate pairs, most often. */
const text = (charsMax: number): fc.Arbitrary<string> => {
  const hostile = fc.constantFrom(
    '\0',
    '\n',
    '\t',
    '"',
    "'",
    '\\',
    '\\N',
    '\ud800',
    '\udfff',
    '😀',
    'é',
    '中',
  )
  const unit = fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), hostile)
  return fc.array(unit, { maxLength: 12 }).map((units) => units.join('').slice(0, charsMax))
}
const count = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 1, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER))
const values = {
  text,
  uuid: () => fc.uuid(),
  integer: (min: number, max: number) => count.map((value) => Math.max(min, Math.min(max, value))),
}
const sender = anyFields<TrafficSender>(trafficSenderFields, values)
const request = anyFields<TrafficRequest>(trafficRequestFields, values, {
  time: fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2100, 0) }),
  status: fc.nat({ max: 999 }),
  target: fc.oneof(text(TARGET_CHARS_MAX), fc.constant('é'.repeat(TARGET_CHARS_MAX))),
  path: fc.oneof(text(PATH_CHARS_MAX), fc.constant('/'.repeat(127)), fc.constant('é'.repeat(127))),
})

/** The event with every text as UTF-8 can say it. */
const wellFormed = (sent: TrafficEvent): TrafficEvent =>
  JSON.parse(JSON.stringify(sent), (_key, value) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  )

const DAYS = new Map([['', 30_000]])
const daysFor = (events: readonly TrafficEvent[]): Map<string, number> =>
  new Map([...DAYS, ...events.map(({ orgId }): [string, number] => [orgId, 30_000])])

/** Stores a block and returns what the store then has. */
async function storedBy(rows: Buffer): Promise<TrafficEvent[]> {
  await temporary.store.command('TRUNCATE TABLE blocks')
  const name = Buffer.from(randomUUID()).toString('hex')
  await temporary.store.insert({ table: 'blocks', columns: INSERT_COLUMNS, format: 'Native', rows, name })
  const read = await temporary.store.query<RequestRow>(`SELECT ${READ_COLUMNS} FROM blocks AS requests`)
  return read.map(eventOf)
}

const byId = (events: readonly TrafficEvent[]): TrafficEvent[] =>
  events.toSorted((left, right) => (left.id < right.id ? -1 : 1))

test('any valid requests come back from the store as they were, all of a block or some', async () => {
  const rows = fc.array(fc.tuple(fc.nat({ max: 3 }), request), { minLength: 1, maxLength: 40 })
  const senders = fc.array(sender, { minLength: 4, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(senders, rows, fc.nat(), fc.nat(), async (senders, requests, one, other) => {
      const block = new RequestBlock()
      const events: TrafficEvent[] = []
      for (const [number, asked] of requests) {
        const from = senders[number] ?? assert.fail()
        block.add(from, asked)
        events.push(wellFormed({ ...from, ...asked }))
      }
      const [first = 0, end = 0] = [one % events.length, 1 + (other % events.length)].toSorted(
        (a, b) => a - b,
      )
      const some = events.slice(first, Math.max(first + 1, end))
      const days = daysFor(senders.map((from) => event(from)))
      assert.deepEqual(byId(await storedBy(block.rows(days))), byId(events))
      const part = block.rows(days, first, first + some.length)
      assert.deepEqual(byId(await storedBy(part)), byId(some))
      const again = block.events(new Set(days.keys()), first, first + some.length)
      assert.deepEqual(again.map(wellFormed), some)
    }),
    { numRuns: 60 },
  )
})

test('more different words than two bytes can number come back as they were', async () => {
  const block = new RequestBlock()
  const events = Array.from({ length: 1_100 }, (_, index) =>
    event({
      queryNames: Array.from({ length: 60 }, (_name, name) => `name-${index}-${name}`),
      route: `/route/${index % 300}`,
      hits: [hit({ rule: `rule-${index}` })],
    }),
  )
  for (const sent of events) block.add(sent, sent)
  assert.deepEqual(byId(await storedBy(block.rows(daysFor(events)))), byId(events))
})

test('hits of rows of before a column of theirs are read with what gateways of before it say', async () => {
  const sent = event({ hits: [hit(), hit({ rule: 'other' })] })
  const block = new RequestBlock()
  block.add(sent, sent)
  await storedBy(block.rows(daysFor([sent])))
  const [row] = await temporary.store.query<RequestRow>(
    `SELECT ${READ_COLUMNS} FROM (SELECT * REPLACE (CAST([], 'Array(UInt16)') AS hit_scores, CAST([], 'Array(String)') AS hit_reasons) FROM blocks) AS requests`,
  )
  assert.ok(row)
  assert.deepEqual(
    eventOf(row).hits,
    sent.hits.map((each) => ({ ...each, scorePercent: 0, reason: '' })),
  )
})

test('of several organizations each keeps its record for its own days, and gets its own events', async () => {
  const block = new RequestBlock()
  const events = ['short', 'long', 'short'].map((orgId) => event({ orgId }))
  for (const sent of events) block.add(sent, sent)
  assert.deepEqual(block.orgIds, ['short', 'long'])
  assert.deepEqual(block.events(new Set(['short'])), [events[0], events[2]])
  assert.throws(() => block.rows(new Map([['short', 2]])), /long/)
  await storedBy(
    block.rows(
      new Map([
        ['short', 2],
        ['long', 365],
      ]),
    ),
  )
  const kept = await temporary.store.query(
    'SELECT org_id, retention_days AS days, count() AS requests FROM blocks GROUP BY ALL ORDER BY org_id',
  )
  assert.deepEqual(kept, [
    { org_id: 'long', days: 365, requests: 1 },
    { org_id: 'short', days: 2, requests: 2 },
  ])
})

const golden = JSON.parse(readFileSync(join(import.meta.dirname, 'golden/block.json'), 'utf8'))
const sameColumns = JSON.stringify(INSERT_COLUMNS) === JSON.stringify(golden.insert)

test('a block has the bytes that an earlier version with the same columns made of the same events', {
  skip: sameColumns ? false : 'the table has other columns now',
}, () => {
  const block = new RequestBlock()
  for (const sent of golden.events) block.add(sent, sent)
  const orgIds: string[] = golden.events.map(({ orgId }: TrafficEvent) => orgId)
  assert.equal(block.rows(new Map(orgIds.map((orgId) => [orgId, 90]))).toString('base64'), golden.block)
  assert.equal(csvHead(), golden.csv)
})

test('the table has a column for each field of the record, of the type that the table of fields says', async () => {
  const columns = await temporary.store.query<{ name: string; type: string }>(
    "SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 'requests'",
  )
  const types = [...createColumns(SENDER_COLUMNS), ...createColumns(REQUEST_COLUMNS)]
  const declared = [...SENDER_COLUMNS, ...REQUEST_COLUMNS].map(({ name }, index) => ({
    name,
    type: types[index]?.type,
  }))
  const byName = (left: { name: string }, right: { name: string }): number =>
    left.name < right.name ? -1 : 1
  assert.deepEqual(
    columns.toSorted(byName),
    [...declared, { name: 'retention_days', type: 'UInt16' }].toSorted(byName),
  )
})
