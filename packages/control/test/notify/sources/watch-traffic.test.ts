import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually } from '../../../../../test/support/installation.ts'
import { watchTraffic } from '../../../src/notify/sources/watch-traffic.ts'

test('traffic is asked for from a whole millisecond on, also where its first request began between two', async (context) => {
  const asked: number[] = []
  const watch = watchTraffic({
    database: { write: () => assert.fail('there is nothing to tell') },
    groupsSince: async (_orgId, from) => {
      asked.push(from)
      return []
    },
    failed: (error) => assert.fail(String(error)),
    intervalMs: 1,
  })
  context.after(watch.close)
  const first = Math.floor(Date.now()) + 0.473
  watch.stored([randomUUID()], first)
  const from = await eventually(() => asked[0])
  assert.ok(Number.isInteger(from) && from <= first)
})
