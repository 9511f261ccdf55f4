import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createMetrics } from '../../src/admin/metrics.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/gateway.md'), 'utf8')

const JOURNAL = {
  admitting: true,
  pending: 1,
  pendingBytes: 2,
  lagMs: 2_000,
  bytes: 3,
  openIntents: 4,
  damagedBytes: 5,
  dropped: 6,
  aggregated: 7,
  strangerBytes: 8,
}

test('every metric of the gateway is documented, once, and nothing else is', async () => {
  const metrics = createMetrics({
    liveExchanges: () => 9,
    revision: () => 10,
    journal: () => JOURNAL,
    firewall: () => ({ overruns: 11, longestUs: 12_000_000 }),
  })
  const text = await metrics.text()
  const names = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name)
  const ofOurs = names.filter((name) => !/^sallyport_(process|nodejs)_/.test(name))
  const documented = [...page.matchAll(/^\| `(sallyport_\w+)` \|/gm)].map(([, name = '']) => name)
  assert.deepEqual(documented.toSorted(), ofOurs.toSorted())
  for (const [name, value] of Object.entries({ live_exchanges: 9, journal_lag_seconds: 2 }))
    assert.match(text, new RegExp(`^sallyport_${name} ${value}$`, 'm'))
})
