/** Rows are answered as they were recorded, those of routes that are nowhere known as one, with as many names as are asked for. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { VERDICT_WORDS } from '@sallyport/contract'
import { createIngest } from '../../../../../src/collector/ingest.ts'
import { coverageRows } from '../../../../../src/features/analytics/store/coverage/coverage-rows.ts'
import type { RecordedCoverage } from '../../../../../src/traffic-store/rows/recorded-coverage.ts'
import { event, eventBatch, hit, openTemporaryStore, storeBatch } from '../../../../support/traffic.ts'

const { store, remove } = await openTemporaryStore()
after(remove)

const REACHED = VERDICT_WORDS.indexOf('reached')
const BEGINNINGS = ['/v1/a', '/v1/a!', '/v1/caf\u00e9', '/v1/\u{1f511}', '/v1/\uffee', '/health', '/']
const KNOWN = BEGINNINGS.flatMap((beginning) => [beginning, `${beginning}/x`, `${beginning}/{id}`])
const OTHERS = ['/0', '/nowhere', '/v1/aa', '/v1/a0', '/v2/a', '/v1', 'odd', '', '/wp-admin/x', '/\u{1f511}']

before(async () => {
  const ingest = createIngest({
    store,
    retentionDaysOf: () => 90,
    tail: { isFollowed: () => false, publish: () => undefined },
  })
  const events = [...KNOWN, ...OTHERS].flatMap((route, index) =>
    Array.from({ length: 1 + (index % 3) }, (_, time) =>
      event({ route, method: 'GET', time: Date.now() - 1_000 - time, hits: index % 2 === 0 ? [hit()] : [] }),
    ),
  )
  await storeBatch(ingest, eventBatch(events))
})

test('rows of known routes are what they are without telling them, and all others are counted', async () => {
  const scope = { orgId: 'org-a', from: Date.now() - 86_400_000, to: Number.POSITIVE_INFINITY, filter: {} }
  const told = await coverageRows(store, scope, { known: { segments: 2, beginnings: BEGINNINGS } })
  const all = await coverageRows(store, scope)
  assert.deepEqual([told.isPartial, all.isPartial], [false, false])
  const isKnown = ({ route }: RecordedCoverage): boolean =>
    BEGINNINGS.includes(route.split('/').slice(0, 3).join('/'))
  const inOrder = (rows: readonly RecordedCoverage[]) =>
    rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort()
  const known = all.rows.filter(isKnown)
  assert.ok(known.length > KNOWN.length)
  assert.deepEqual(inOrder(told.rows.filter(isKnown)), inOrder(known))
  for (const level of ['request', 'class'] as const) {
    const reached = all.rows.reduce(
      (sum, row) => sum + (row.level === level && !isKnown(row) ? (row.verdicts[REACHED] ?? 0) : 0),
      0,
    )
    assert.ok(reached > 0)
    assert.equal(level === 'request' ? told.others.requests : told.others.attempts, reached, level)
  }
  assert.ok(told.rows.every(isKnown))
  assert.deepEqual(all.others, { requests: 0, attempts: 0 })
})

test('so many researchers of a row are named as were asked for', async () => {
  const scope = { orgId: 'org-a', from: Date.now() - 86_400_000, to: Number.POSITIVE_INFINITY, filter: {} }
  const { rows } = await coverageRows(store, scope, { withResearchers: true, researchersMax: 5 })
  assert.ok(rows.length > 0 && rows.every(({ researchers }) => researchers.join() === 'researcher-a'))
  assert.ok(rows.every(({ researcher_count }) => researcher_count === 0))
  const counted = await coverageRows(store, scope, { withResearchers: true, countResearchers: true })
  assert.ok(counted.rows.every(({ researcher_count }) => researcher_count === 1))
  const none = await coverageRows(store, scope)
  assert.ok(none.rows.every(({ researchers }) => researchers.length === 0))
})

test('of a window in which there was nothing there are no rows', async () => {
  const scope = { orgId: 'org-a', from: 86_400_000, to: 2 * 86_400_000, filter: {} }
  assert.deepEqual(await coverageRows(store, scope), {
    rows: [],
    others: { requests: 0, attempts: 0 },
    isPartial: false,
  })
})
