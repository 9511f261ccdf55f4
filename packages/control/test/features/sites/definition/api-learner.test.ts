/** Who waits for whom where APIs are learned, and what is said where one cannot be. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ProblemError } from '../../../../src/errors.ts'
import { createApiLearner } from '../../../../src/features/sites/definition/api-learner.ts'

const LINE = JSON.stringify(['answer', 'GET', '/a', '200', '', 1, 0, { ann: 1 }, { 30: 1 }, 1, 2])
const knownOf = () => Promise.resolve({ documents: [], confirmed: [], source: '' })
const isUnavailable = (error: unknown): boolean =>
  error instanceof ProblemError && error.code === 'unavailable' && error.headers['retry-after'] !== undefined

test('organizations are learned in turns, and one that asks for much is refused before others', async (context) => {
  const asked: string[] = []
  const readLines = (_sql: string, parameters: unknown) => {
    asked.push((parameters as { siteId: string }).siteId)
    return Promise.resolve(Buffer.from(LINE))
  }
  const learner = createApiLearner({ store: { readLines }, knownOf })
  context.after(() => learner.close())
  const busy = Array.from({ length: 12 }, (_, index) => learner.learn({ orgId: 'busy', id: `b${index}` }))
  const settled = Promise.allSettled(busy)
  const quiet = learner.learn({ orgId: 'quiet', id: 'q' })
  assert.equal(learner.learn({ orgId: 'quiet', id: 'q' }), quiet, 'once for all who wait')
  assert.equal((await quiet).seen[0]?.template, '/a')
  assert.ok(asked.indexOf('q') <= 2, asked.join())
  const outcomes = await settled
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  assert.equal(refused.length, 3, 'one is learned, and eight may wait')
  assert.ok(refused.every(isUnavailable))
})

test('who asks while a site is read has what was stored before it asked', async (context) => {
  const lines = [LINE]
  const reading = Promise.withResolvers<void>()
  const readLines = async () => {
    const read = Buffer.from(lines.join('\n'))
    await reading.promise
    return read
  }
  const learner = createApiLearner({ store: { readLines }, knownOf })
  context.after(() => learner.close())
  const templates = async () => (await learner.learn({ orgId: 'a', id: 'a' })).seen.map((one) => one.template)
  const first = templates()
  await setImmediate()
  lines.push(LINE.replace('/a', '/b'))
  const second = templates()
  reading.resolve()
  assert.deepEqual(await first, ['/a'])
  assert.deepEqual((await second).toSorted(), ['/a', '/b'])
})

test('what is too much to learn in time is unavailable, and the next one is learned', async (context) => {
  const rows = Array.from({ length: 600_000 }, (_, index) => LINE.replace('/a', `/p${index}/x/y/z`))
  let isLarge = true
  const readLines = () => Promise.resolve(Buffer.from(isLarge ? rows.join('\n') : LINE))
  const learner = createApiLearner({ store: { readLines }, knownOf, deadlineMs: 500 })
  context.after(() => learner.close())
  await assert.rejects(learner.learn({ orgId: 'a', id: 'large' }), isUnavailable)
  isLarge = false
  assert.equal((await learner.learn({ orgId: 'a', id: 'small' })).seen.length, 1)
})
