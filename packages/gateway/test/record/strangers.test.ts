import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { REASONS, type TrafficEvent } from '@sallyport/contract'
import fc from 'fast-check'
import { AlikeEvents } from '../../src/record/alike-events.ts'
import { StrangerRecords } from '../../src/record/stranger-records.ts'
import { DEFAULT_JOURNAL_SETTINGS } from '../../src/settings.ts'
import { sampleEvent, setUpRecord, until } from './support.ts'

const stranger = (changes: Partial<TrafficEvent> = {}): TrafficEvent =>
  sampleEvent(randomUUID(), {
    researcherId: '',
    credential: 'none',
    credentialId: '',
    outcome: 'gate',
    reason: 'no_credential',
    status: 401,
    ...changes,
  })

const LONG = `/${'x'.repeat(8_000)}`

test('past the rate refusals share events; up to it, and of another address, each has its own', async (context) => {
  const { plane, start } = await setUpRecord(context)
  const { recorder } = await start()
  const time = Date.now()
  for (let index = 0; index < 10_000; index += 1)
    recorder.record(
      stranger({
        time,
        target: `/${index}`,
        requestBytes: 3,
        responseBytes: 5,
        durationUs: 100 + (index % 2),
      }),
    )
  const other = stranger({ clientAddress: '203.0.113.9', target: '/other' })
  recorder.record(other)
  await recorder.close()
  const events = [...plane.events.values()].flat()
  assert.equal(
    plane.requestsOf(() => true),
    10_001,
  )
  assert.deepEqual(
    plane.events.get(`${other.id} request`),
    [other],
    'the other address has a rate of its own',
  )
  const shared = events.filter(({ requestCount }) => requestCount > 1)
  const single = events.filter(({ requestCount }) => requestCount === 1)
  assert.ok(single.length >= 200 && single.length < 600, `${single.length} by themselves`)
  assert.ok(shared.length <= 2, `${shared.length} for the rest`)
  assert.equal(
    events.reduce((sum, { requestBytes }) => sum + requestBytes, 0),
    30_000,
  )
  assert.equal(
    events.reduce((sum, { responseBytes }) => sum + responseBytes, 0),
    10_000 * 5 + other.responseBytes,
  )
  for (const event of shared) {
    assert.equal(event.target, '', 'they differ in it')
    assert.equal(event.clientAddress, '203.0.113.7', 'all share it')
    assert.ok(event.durationUs >= 100 && event.durationUs <= 101)
  }
})

test('what is counted is in the journal after a clean stop, whoever takes it then', async (context) => {
  const { plane, openJournal, start } = await setUpRecord(context)
  const { journal } = await openJournal()
  for (let index = 0; index < 3_000; index += 1) journal.record(stranger())
  await journal.close()
  const { recorder } = await start()
  await until(() => plane.requestsOf(() => true) === 3_000, 'all of them')
  await until(() => recorder.progress().pending === 0, 'the acknowledgement')
})

test('the share is known again after a restart, and free again once the control plane has taken it', async (context) => {
  const { plane, openJournal, start } = await setUpRecord(context)
  const bounds = { segmentBytesMax: 16 * 1024, totalBytesMax: 200 * 1024 }
  const long = (): TrafficEvent => stranger({ target: LONG, path: LONG.slice(0, 2_048), route: '/{long}' })
  const first = await openJournal(bounds)
  for (let index = 0; index < 100; index += 1) first.journal.record(long())
  const filled = first.journal.progress()
  assert.ok(filled.pending < 10, `${filled.pending} long ones fill the share`)
  await first.journal.close()
  const second = await openJournal(bounds)
  second.journal.record(long())
  assert.equal(second.journal.progress().aggregated, 1, 'there is no room for another by itself')
  await second.journal.close()

  const journal = { ...DEFAULT_JOURNAL_SETTINGS, ...bounds }
  const { recorder } = await start({ journal })
  await until(() => recorder.progress().pending === 0, 'the acknowledgement')
  assert.equal(
    plane.requestsOf(() => true),
    101,
  )
  recorder.record(long())
  assert.equal(recorder.progress().aggregated, 0)
  await until(() => plane.requestsOf(() => true) === 102, 'the one after')
})

test('a day with the share used up is written in a handful of counts, each of an eighth of the time at most', (context) => {
  let now = 1_790_000_000_000
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'], now })
  context.mock.method(performance, 'now', () => now)
  const written: { readonly at: number; readonly requestCount: number }[] = []
  const records = new StrangerRecords({
    room: () => 'few-counts',
    append: ({ requestCount }) => written.push({ at: now, requestCount }),
  })
  const startedAt = now
  const SECONDS = 24 * 60 * 60
  for (let second = 0; second < SECONDS; second += 1) {
    records.record(stranger({ time: now }))
    now += 1_000
    context.mock.timers.tick(1_000)
  }
  const counted = written.reduce((sum, { requestCount }) => sum + requestCount, 0)
  const last = written.at(-1)
  assert.ok(written.length < 100, `${written.length} events`)
  assert.ok(
    last && counted > SECONDS * 0.85,
    'what a kill may take is at most an eighth, and the window under way',
  )
  for (const [index, { at }] of written.entries()) {
    const before = written[index - 1]?.at ?? startedAt
    assert.ok(at - before <= (at - startedAt) / 8 + 4_000)
  }
  records.flush()
  assert.equal(
    written.reduce((sum, { requestCount }) => sum + requestCount, 0),
    SECONDS,
  )
})

const anyStranger = fc.record({
  orgId: fc.constantFrom('', 'a', 'b'),
  siteId: fc.nat({ max: 400 }).map(String),
  host: fc.constantFrom('one', 'two'),
  clientAddress: fc.constantFrom('', '203.0.113.7', '203.0.113.8'),
  status: fc.constantFrom(400, 401),
  target: fc.constantFrom('/', '/login', LONG),
  requestBytes: fc.nat(1_000),
  durationUs: fc.nat(1_000),
  requestCount: fc.integer({ min: 1, max: 9 }),
})

test('counts and bytes add up to what came, by organization, site and answer as far as they are told apart', () => {
  fc.assert(
    fc.property(fc.array(anyStranger, { minLength: 1, maxLength: 600, size: 'max' }), (given) => {
      const alike = new AlikeEvents()
      const came = given.map((changes) => stranger(changes))
      for (const event of came) alike.add(event, 0)
      const events = alike.drain()
      const sum = (of: readonly TrafficEvent[], read: (event: TrafficEvent) => number): number =>
        of.reduce((total, event) => total + read(event), 0)
      assert.equal(
        sum(events, (event) => event.requestCount),
        sum(came, (event) => event.requestCount),
      )
      assert.equal(
        sum(events, (event) => event.requestBytes),
        sum(came, (event) => event.requestBytes),
      )
      for (const event of events) {
        const like = came.filter(
          ({ orgId, siteId, status }) =>
            (event.orgId === '' || orgId === event.orgId) &&
            (event.siteId === '' || siteId === event.siteId) &&
            status === event.status,
        )
        assert.ok(event.requestCount <= sum(like, (one) => one.requestCount))
        // What it says of all of them is what one of them said.
        for (const field of ['host', 'clientAddress', 'target'] as const)
          assert.ok(event[field] === '' || like.some((one) => one[field] === event[field]), field)
        assert.ok(event.target.length < 300)
      }
    }),
    { numRuns: 100 },
  )
})

test('whatever strangers send, few events hold it, and each is counted once', () => {
  const alike = new AlikeEvents()
  const reasons = Object.keys(REASONS).slice(0, 6)
  for (let index = 0; index < 50_000; index += 1)
    alike.add(
      stranger({
        orgId: `org-${index % 5_000}`,
        siteId: `site-${index}`,
        host: `host-${index}`,
        clientAddress: `address-${index}`,
        userAgent: `agent-${index}`,
        method: `METHOD${index}`,
        target: `/${index}/${'t'.repeat(index % 3 === 0 ? 8_000 : 0)}`,
        reason: reasons[index % reasons.length] ?? '',
      }),
      0,
    )
  assert.ok(alike.size < 260, `${alike.size} events`)
  const events = alike.drain()
  assert.equal(alike.size, 0)
  assert.equal(
    events.reduce((sum, { requestCount }) => sum + requestCount, 0),
    50_000,
  )
  for (const reason of reasons) {
    const counted = events
      .filter((event) => event.reason === reason)
      .reduce((sum, { requestCount }) => sum + requestCount, 0)
    assert.ok(Math.abs(counted - 50_000 / reasons.length) < 1, reason)
  }
  assert.ok(JSON.stringify(events).length < 1024 * 1024)
})
