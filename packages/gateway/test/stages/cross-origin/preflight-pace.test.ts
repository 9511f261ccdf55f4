import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PreflightPace } from '../../../src/stages/cross-origin/preflight-pace.ts'

test('two hundred at once, then fifty a second', () => {
  const pace = new PreflightPace()
  const allowedAt = (now: number): number =>
    Array.from({ length: 500 }, () => pace.allows(now)).filter(Boolean).length
  assert.equal(allowedAt(1_000), 200)
  assert.equal(allowedAt(1_000), 0)
  assert.equal(allowedAt(2_000), 50)
  assert.equal(allowedAt(2_019), 0)
  assert.equal(allowedAt(2_020), 1)
  assert.equal(allowedAt(1e9), 200)
})
