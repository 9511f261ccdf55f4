import assert from 'node:assert/strict'
import { test } from 'node:test'
import { learnServerClock, serverNow } from '../../src/api/server-clock.ts'

const NOW = Date.UTC(2026, 10, 29, 12)
const HOUR_MS = 3_600_000
const headerAt = (instant: number): string => new Date(instant).toUTCString()

test('the present is that of the control plane, whose answers are believed as far as they can be', (context) => {
  context.mock.timers.enable({ apis: ['Date'], now: NOW })
  assert.equal(serverNow(), NOW)
  learnServerClock(headerAt(NOW + 3 * HOUR_MS))
  context.mock.timers.tick(2_000)
  assert.equal(serverNow(), NOW + 3 * HOUR_MS + 2_000)
  learnServerClock(null)
  learnServerClock('soon')
  assert.equal(serverNow(), NOW + 3 * HOUR_MS + 2_000)
  // The clock of the computer was set meanwhile; the answer was a few seconds on its way.
  context.mock.timers.setTime(NOW + 3 * HOUR_MS)
  learnServerClock(headerAt(NOW + 3 * HOUR_MS - 4_000))
  assert.equal(serverNow(), NOW + 3 * HOUR_MS)
  learnServerClock(headerAt(NOW))
  assert.equal(serverNow(), NOW)
})
