/**
 * A fleet of two control planes and three gateways through deaths, stops and links that fail: every request that the origin
 * saw is in the record once, a limit for all gateways is never exceeded, and everything is back by itself within a minute, or the run
 * fails. `bench/faults.ts` runs these and further ones, and prints the times.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CORE_FAULTS } from '../support/fleet/faults.ts'
import { runFaults } from '../support/fleet/run-faults.ts'

test('through every fault nothing is lost or doubled, and no limit is exceeded', async () => {
  const run = await runFaults(CORE_FAULTS, { faultMs: 1_000, connections: 2 })
  assert.equal(run.effects.length, CORE_FAULTS.length)
  assert.ok(run.seen > 500, `the origin saw ${run.seen} requests`)
  assert.deepEqual({ missing: run.missing, repeated: run.repeated }, { missing: [], repeated: [] })
  for (const { name, admitted, limit, fallback } of run.effects) {
    // On a busy machine Valkey may be late, and then each gateway counts by itself (docs/rate-limits.md).
    assert.ok(admitted > 0 && admitted <= limit + fallback, `${name}: ${admitted} of ${limit}, ${fallback}`)
  }
})
