import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OriginHealth } from '@sallyport/contract'
import { MergedHealth } from '../../src/threads/merged-health.ts'

const health = (state: OriginHealth['state'], siteId = 'site'): OriginHealth => ({
  siteId,
  state,
  reason: state === 'healthy' ? '' : 'origin_refused',
  since: 1,
})

test('an origin is as badly as any thread finds it, and better when the last one does, or ends', () => {
  const merged = new MergedHealth()
  const told = () => merged.drainChanges().map(({ state }) => state)
  merged.note(0, [health('healthy')])
  assert.deepEqual(told(), ['healthy'])
  merged.note(1, [health('open')])
  merged.note(0, [health('failing')])
  assert.deepEqual(told(), ['open'])
  assert.deepEqual(told(), [])
  merged.threadEnded(1)
  assert.deepEqual(told(), ['failing'])
  merged.note(0, [health('healthy')])
  assert.deepEqual(told(), ['healthy'])
})
