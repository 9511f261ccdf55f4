import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RateLimitPolicy } from '@sallyport/contract'
import { OwnConnectionCount } from '../../src/downstream/connections/connection-limiter.ts'
import { OwnSenderCounts, type SenderCounts } from '../../src/exchange/sender-counts.ts'
import { createCallThrottles } from '../../src/gate-host/call-throttle.ts'
import { RecentRequests } from '../../src/gate-host/recent-requests.ts'
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

/** As where several threads serve: what a sender has under way is asked of another thread first. */
function askedSenders(): SenderCounts {
  const counts = new OwnSenderCounts()
  const asked = new Set<string>()
  return {
    countOf: (sender) => counts.countOf(sender),
    prepare(sender) {
      if (asked.has(sender)) return null
      asked.add(sender)
      return sleep(1)
    },
    add: (sender) => counts.add(sender),
    remove: (sender) => counts.remove(sender),
    sweep: () => counts.sweep(),
  }
}

test('an address is hashed once in each record, of a request that waited or is refused, too', async (context) => {
  const origin = await startRawOrigin(context)
  const { recorder, snapshots, send } = await startTestDataPlane(context, origin.port, {
    site: { redaction: { queryValues: 'mask', clientAddress: 'hash', userAgent: 'drop' } },
    shared: {
      threads: 1,
      senders: askedSenders(),
      connections: new OwnConnectionCount(),
      redeem: () => true,
      throttles: createCallThrottles(),
      recent: new RecentRequests(),
      ticketKeys: randomBytes(48),
    },
  })
  await send('GET /first?a=b')
  await send('GET /second?a=b')
  await send('GET /unreadable?a=b', 'Content-Length: x')
  snapshots.putResearcher(researcher({ paused: true }))
  await send('GET /refused?a=b')
  const events = await recorder.waitFor(4)
  assert.match(events[0]?.clientAddress ?? '', /^[0-9a-f]{16}$/)
  assert.deepEqual(
    events.map(({ clientAddress, target, userAgent }) => [clientAddress, target, userAgent]),
    ['first', 'second', 'unreadable', 'refused'].map((name) => [
      events[0]?.clientAddress,
      `/${name}?a=***`,
      '',
    ]),
  )
})
