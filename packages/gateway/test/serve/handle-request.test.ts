import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RateLimitPolicy } from '@sallyport/contract'
import type { Counters } from '../../src/stages/limit/counters.ts'
import { startRawOrigin } from '../support/raw-origin.ts'
import { researcher, startTestDataPlane } from '../support/test-data-plane.ts'

test('a request that a stage kept waiting while its access ended goes no further', async (context) => {
  const origin = await startRawOrigin(context)
  const waiting: (() => void)[] = []
  const budget = { allowed: true, remaining: 5, resetMs: 0 }
  const counters: Counters = {
    async acquire() {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return { refusedBy: null, site: budget, researcher: undefined, release: null }
    },
    peek: () => ({ site: budget, researcher: undefined }),
    close: async () => {},
  }
  const { recorder, snapshots, send } = await startTestDataPlane(context, origin.port, {
    site: { rateLimit: 'p' },
    counters,
  })
  const limit = { kind: 'fixed', limit: 10, windowMs: 1_000 } as const
  const policy: RateLimitPolicy = { name: 'p', site: limit, perResearcher: null }
  snapshots.apply({ type: 'put', kind: 'policy', id: 'p', value: policy })
  const answer = send('GET /')
  for (let waited = 0; waiting.length === 0 && waited < 2_000; waited += 10) await sleep(10)
  snapshots.putResearcher(researcher({ paused: true }))
  waiting[0]?.()
  assert.equal((await answer).status, 403)
  assert.equal((await recorder.waitFor(1))[0]?.reason, 'access_ended')
  assert.equal(origin.connections, 0)
})
