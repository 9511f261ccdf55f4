import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createMetrics, type MeasuredParts } from '../../src/admin/metrics.ts'
import { TrafficCounts } from '../../src/admin/traffic-counts.ts'
import {
  afterEnd,
  NO_MEASURES,
  sumOfMeasures,
  type TrafficMeasures,
} from '../../src/admin/traffic-measures.ts'
import { JOURNAL_PROGRESS } from '../support/test-data-plane.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/gateway.md'), 'utf8')

/** Of which each number is another. */
const MEASURES: TrafficMeasures = {
  ...NO_MEASURES,
  ...countsOf(['GET', 'origin', ''], ['GET', 'origin', ''], ['BREW', 'gate', 'unknown_host']),
  liveExchanges: 9,
  originErrors: new Map([['origin_timeout', 21]]),
  sharedLimits: { isThere: true, shared: 22, lent: 24, fallback: 23 },
  certificates: new Map([['a name with spaces', 24_000]]),
  uploads: new Map([
    ['accepted', 25],
    ['again', 26],
  ]),
  journal: JOURNAL_PROGRESS,
  firewall: { overruns: 11, longestUs: 12_000_000 },
  processorMs: 27_000,
}

const PARTS: MeasuredParts = {
  version: '1.2.3',
  isReady: () => true,
  revision: () => 10,
  lease: () => ({ ageMs: 13_000, isGranted: true }),
  threads: () => [MEASURES],
  threadRestarts: () => 15,
}

/** What each series says where the parts say what they do above. */
const SERIES = {
  [`build_info{version="1.2.3",node="${process.version}"}`]: 1,
  ready: 1,
  'requests_total{method="GET",outcome="origin",reason=""}': 2,
  'requests_total{method="_OTHER",outcome="gate",reason="unknown_host"}': 1,
  'origin_errors_total{reason="origin_timeout"}': 21,
  'thread_requests_total{thread="0"}': 3,
  'thread_processor_seconds_total{thread="0"}': 27,
  thread_restarts_total: 15,
  live_exchanges: 9,
  config_revision: 10,
  lease_granted: 1,
  lease_age_seconds: 13,
  'certificate_expiration_timestamp_seconds{certificate="a name with spaces"}': 24,
  valkey_up: 1,
  'shared_limit_decisions_total{by="valkey"}': 22,
  'shared_limit_decisions_total{by="fallback"}': 23,
  'shared_limit_decisions_total{by="lent"}': 24,
  firewall_overruns_total: 11,
  firewall_longest_seconds: 12,
  'uploads_total{result="accepted"}': 25,
  'uploads_total{result="again"}': 26,
  journal_admitting: 1,
  journal_pending_events: 1,
  journal_oldest_unsent_seconds: 2,
  journal_bytes: 3,
  journal_limit_bytes: 14,
  journal_open_intents: 4,
  journal_damaged_bytes: 5,
  journal_dropped_events_total: 6,
  journal_aggregated_refusals_total: 7,
  journal_stranger_bytes: 8,
}

test('every metric of the gateway is documented, once, and nothing else is; each has its value', async () => {
  const text = await createMetrics(PARTS).text()
  const names = Array.from(text.matchAll(/^# TYPE (\S+) /gm), ([, name = '']) => name)
  const documented = Array.from(page.matchAll(/^\| `(sallyport_\w+)` \|/gm), ([, name = '']) => name)
  const isOurs = (name: string): boolean => name.startsWith('sallyport_')
  assert.deepEqual(documented.toSorted(), names.filter(isOurs).toSorted())
  for (const other of names.filter((name) => !isOurs(name))) assert.match(other, /^(process|nodejs)_/)
  const series = Array.from(text.matchAll(/^sallyport_(.+) (\S+)$/gm), ([, name = '', value]) => [
    name,
    Number(value),
  ]).filter(([name]) => !/_(bucket|sum|count)(\{|$)/.test(String(name)))
  assert.deepEqual(Object.fromEntries(series), SERIES)
})

test('names are as Prometheus asks: counters end with _total, and nothing else does', async () => {
  const text = await createMetrics(PARTS).text()
  for (const [, name = '', type] of text.matchAll(/^# TYPE (sallyport_\S+) (\S+)$/gm))
    assert.equal(name.endsWith('_total'), type === 'counter', name)
})

test('where limits are not shared and nothing is encrypted, nothing is said of it', async () => {
  const text = await createMetrics({ ...PARTS, threads: () => [NO_MEASURES] }).text()
  assert.doesNotMatch(text, /^sallyport_(valkey|shared|certificate)/m)
})

test('threads are summed; of one that has ended only what was counted is kept', () => {
  const ended = afterEnd({ ...MEASURES, sharedLimits: { isThere: false, shared: 1, lent: 3, fallback: 2 } })
  const all = sumOfMeasures([MEASURES, ended])
  assert.deepEqual(
    all.requests,
    new Map([...MEASURES.requests].map(([labels, count]) => [labels, 2 * count])),
  )
  assert.deepEqual(all.sharedLimits, { isThere: true, shared: 23, lent: 27, fallback: 25 })
  assert.deepEqual(all.certificates, MEASURES.certificates)
  assert.equal(all.uploads.get('again'), 52)
  assert.equal(all.journal.pending, JOURNAL_PROGRESS.pending)
  assert.equal(all.liveExchanges, MEASURES.liveExchanges)
})

function countsOf(...requests: (readonly [method: string, outcome: string, reason: string])[]) {
  const counts = new TrafficCounts()
  for (const [method, outcome, reason] of requests) {
    const event = { method, outcome, reason, durationUs: 3_000, firstByteUs: 2_000 }
    // Of an exchange nothing else is counted.
    counts.count({ event } as unknown as Parameters<TrafficCounts['count']>[0])
  }
  return counts.read()
}
