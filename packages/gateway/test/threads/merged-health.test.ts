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

test('an origin is unknown once no thread knows it any more', () => {
  const merged = new MergedHealth()
  const told = () => merged.drainChanges().map(({ state }) => state)
  merged.note(0, [health('failing')])
  merged.note(1, [health('open')])
  told()
  merged.note(0, [{ siteId: 'site', state: 'unknown' }])
  assert.deepEqual(told(), [])
  merged.threadEnded(1)
  assert.deepEqual(told(), ['unknown'])
  merged.note(1, [health('open')])
  assert.deepEqual(told(), ['open'], 'as the one that was told before')
  merged.note(1, [{ siteId: 'site', state: 'unknown' }])
  merged.note(1, [{ siteId: 'other', state: 'unknown' }])
  assert.deepEqual(told(), ['unknown'], 'of what was never told nothing is taken back')
})
