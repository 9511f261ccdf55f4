import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProblemError } from '../../src/errors.ts'
import { createLiveTail } from '../../src/live-tail/live-tail.ts'

test('who comes when all places are taken is told when to try again', () => {
  const tail = createLiveTail()
  const streams = Array.from({ length: 500 }, () => tail.follow('an organization', () => true))
  assert.throws(
    () => tail.follow('another', () => true),
    (error) =>
      error instanceof ProblemError &&
      error.code === 'too_many_requests' &&
      /^[1-9]\d*$/.test(error.headers['retry-after'] ?? ''),
  )
  for (const stream of streams) stream.destroy()
})
