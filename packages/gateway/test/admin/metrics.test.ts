import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createMetrics } from '../../src/admin/metrics.ts'
import { NO_MEASURES } from '../../src/admin/traffic-measures.ts'
import { JOURNAL_PROGRESS } from '../support/test-data-plane.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/gateway.md'), 'utf8')

/** What each gauge says where the parts say what they do below. */
const GAUGES = {
  live_exchanges: 9,
  config_revision: 10,
  lease_granted: 1,
  lease_age_seconds: 13,
  firewall_overruns: 11,
  firewall_longest_seconds: 12,
  journal_admitting: 1,
  journal_pending_events: 1,
  journal_lag_seconds: 2,
  journal_bytes: 3,
  journal_open_intents: 4,
  journal_damaged_bytes: 5,
  journal_dropped_events: 6,
  journal_aggregated_refusals: 7,
  journal_stranger_bytes: 8,
}

test('every metric of the gateway is documented, once, and nothing else is; each gauge has its value', async () => {
  const metrics = createMetrics({
    revision: () => 10,
    lease: () => ({ ageMs: 13_000, isGranted: true }),
    threads: () => [
      {
        ...NO_MEASURES,
        liveExchanges: 9,
        journal: JOURNAL_PROGRESS,
        firewall: { overruns: 11, longestUs: 12_000_000 },
      },
    ],
    threadRestarts: () => 0,
  })
  const text = await metrics.text()
  const isOurs = (name: string) => !/^sallyport_(process|nodejs)_/.test(name)
  const names = Array.from(text.matchAll(/^# TYPE (\S+) /gm), ([, name = '']) => name)
  const documented = Array.from(page.matchAll(/^\| `(sallyport_\w+)` \|/gm), ([, name = '']) => name)
  assert.deepEqual(documented.toSorted(), names.filter(isOurs).toSorted())
  const gauges = Array.from(text.matchAll(/^# TYPE (\S+) gauge\n\S+ (\S+)$/gm), ([, name = '', value]) => [
    name.replace('sallyport_', ''),
    Number(value),
  ])
  assert.deepEqual(Object.fromEntries(gauges.filter(([name]) => isOurs(`sallyport_${name}`))), GAUGES)
})
