/** How much it costs to read every request of a window. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TrafficEvent } from '@sallyport/contract'
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

test('a page of an export has so many bytes at most, whatever its requests are made of', async (context) => {
  const orgId = 'org-large'
  // As large as gateways record them, after and before ordinary ones, so that the size of neither foretells that of the next.
  const eventAt = (index: number): TrafficEvent =>
    event({
      orgId,
      time: NOW - 3_600_000 + index,
      ...(index >= 6_000 &&
        index < 9_000 && { target: `/${index}?q=${'x'.repeat(8_000)}`, userAgent: 'y'.repeat(512) }),
    })
  for (let start = 0; start < 12_000; start += 1_000)
    await record(Array.from({ length: 1_000 }, (_, index) => eventAt(start + index)))
  const { mock } = context.mock.method(store, 'query')
  const { stream } = await service.export(orgId, { gte: 'now-2h', format: 'ndjson' })
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  const lines = Buffer.concat(chunks).toString('utf8').trimEnd().split('\n')
  assert.equal(new Set(lines.map((line) => (JSON.parse(line) as { id: string }).id)).size, 12_000)
  assert.equal(lines.length, 12_000)
  const pages = await Promise.all(mock.calls.map(async ({ result }) => JSON.stringify(await result).length))
  assert.ok(Math.max(...pages) < 9_000_000, `a page of ${Math.max(...pages)} bytes`)
  assert.ok(pages.length < 40, `${pages.length} queries`)
})
