/** How much it costs to read every request of a window. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAnalytics } from '../../../support/analytics.ts'
import { event } from '../../../support/traffic.ts'

const NOW = Date.now()
const { service, record, store } = await openAnalytics({ now: NOW, retentionDays: 3_650 })

async function linesOf(stream: AsyncIterable<Buffer>): Promise<number> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8').split('\n').length - 1
}

test('a window of two centuries costs no more than what is in it', async (context) => {
  const orgId = 'org-sparse'
  const years = [2021, 2025, 2026, 2090]
  await record(years.map((year) => event({ orgId, time: Date.UTC(year, 3, 5, 6, 7, 8, 9), kind: 'request' })))
  const { mock } = context.mock.method(store, 'query')
  for (const [query, expected] of [
    [{}, 4],
    [{ site: ['site-a'] }, 4],
    [{ tool: ['none'] }, 0],
    [{ gte: '2025-04-05T06:07:08.009Z', lte: '2090-04-05T06:07:08.008Z' }, 2],
  ] as const) {
    mock.resetCalls()
    const window = { gte: '1970-01-01T00:00:00Z', lte: '2199-12-31T00:00:00Z' }
    const { stream } = await service.export(orgId, { ...window, ...query, format: 'ndjson' })
    assert.equal(await linesOf(stream), expected)
    assert.ok(mock.callCount() < 60, `${mock.callCount()} queries`)
  }
})

test('an export whose reader is gone asks the store nothing more, also where nothing was found yet', async (context) => {
  const orgId = 'org-gone'
  const day = 86_400_000
  await record(Array.from({ length: 85 }, (_, index) => event({ orgId, time: NOW - index * day })))
  const ending = new AbortController()
  const { mock } = context.mock.method(store, 'query')
  const asked = service.export(orgId, { gte: 'now-85d', tool: ['none'], format: 'ndjson' }, ending.signal)
  ending.abort()
  await assert.rejects(asked)
  assert.ok(mock.callCount() < 5, `${mock.callCount()} queries`)
})
