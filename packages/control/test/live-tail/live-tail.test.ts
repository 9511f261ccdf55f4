import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProblemError } from '../../src/errors.ts'
import { createLiveTail } from '../../src/live-tail/live-tail.ts'

const isRefusal = (error: unknown): boolean =>
  error instanceof ProblemError &&
  error.code === 'too_many_requests' &&
  /^[1-9]\d*$/.test(error.headers['retry-after'] ?? '')

test('who comes when all places are taken is told when to try again', () => {
  const tail = createLiveTail()
  const follow = (orgId: string) => tail.follow(orgId, () => true)
  const streams = Array.from({ length: 500 }, (_, index) => follow(`organization ${index % 5}`))
  assert.throws(() => follow('another'), isRefusal)
  streams.pop()?.destroy()
  streams.push(follow('another'))
  assert.throws(() => follow('another'), isRefusal)
  for (const stream of streams) stream.destroy()
})

test('an organization with all the places that one may have keeps no other away', () => {
  const tail = createLiveTail()
  const follow = (orgId: string) => tail.follow(orgId, () => true)
  const streams = Array.from({ length: 100 }, () => follow('many'))
  assert.throws(() => follow('many'), isRefusal)
  streams.push(follow('another'))
  for (const stream of streams) stream.destroy()
})
