/** The record counts what the origin counts, through every fault; `bench/counts.ts` runs the same at full length. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runThroughFaults } from '../support/fault-run.ts'

test('through restarts, kills, repeated batches and a store that is away nothing is missing and nothing counts twice', async () => {
  const counted = await runThroughFaults({
    rounds: 1,
    calmMs: 400,
    storeAwayMs: 2_500,
    connections: 8,
    restMs: 15,
  })
  assert.ok(counted.origin > 500, `the origin saw ${counted.origin} requests`)
  assert.ok(counted.replayed > 20, `${counted.replayed} batches were posted again`)
  assert.ok(counted.hits > 0)
  assert.deepEqual({ missing: counted.missing, repeated: counted.repeated }, { missing: 0, repeated: 0 })
  assert.equal(counted.recorded - counted.neverArrived, counted.origin)
  assert.deepEqual(counted.operations, {
    getTotalRequest: counted.recorded,
    getTrafficTimeline: counted.recorded,
    getSummaryTrafficTable: counted.recorded,
    getWAFSummaryRulesTimeline: counted.hits,
  })
})
