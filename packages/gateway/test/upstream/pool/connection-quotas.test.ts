/** Whose turn it is to get a connection to an origin. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ConnectionQuotas, laneKeyOf } from '../../../src/upstream/pool/connection-quotas.ts'
import { NoFreeConnection } from '../../../src/upstream/pool/origin-error.ts'

const NEVER = Number.POSITIVE_INFINITY

test('requests that have gone leave their places to those that come', async () => {
  const quotas = new ConnectionQuotas(1)
  const crowd = Array.from({ length: 10_000 }, (_, number) => ({ number }))
  for (const request of crowd) quotas.wait(quotas.of('one'), request, NEVER).catch(() => {})
  await assert.rejects(quotas.wait(quotas.of('two'), {}, NEVER), NoFreeConnection)
  for (const request of crowd) quotas.cancel('one', request)
  assert.equal(quotas.dequeue(), undefined)
  const late = {}
  quotas.wait(quotas.of('two'), late, NEVER).catch(() => {})
  assert.equal(quotas.dequeue()?.request, late)
})

const step = fc.oneof(
  fc.record({ act: fc.constant('wait' as const), who: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ act: fc.constant('leave' as const), which: fc.nat(40) }),
  fc.record({ act: fc.constant('next' as const) }),
)

test('each request that waits and stays is served once, those of a researcher in their order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const quotas = new ConnectionQuotas(NEVER)
      const came: { who: string }[] = []
      const waiting = new Set<{ who: string }>()
      const serve = (): void => {
        const served = quotas.dequeue()?.request
        const [first] = [...waiting].filter(({ who }) => served === undefined || who === Object(served).who)
        assert.equal(served, first)
        if (first) waiting.delete(first)
      }
      for (const one of steps)
        if (one.act === 'wait') {
          const request = { who: String(one.who) }
          came.push(request)
          waiting.add(request)
          quotas.wait(quotas.of(request.who), request, NEVER).catch(() => {})
        } else if (one.act === 'next') serve()
        else {
          const request = came[one.which]
          if (!request) continue
          quotas.cancel(request.who, request)
          waiting.delete(request)
        }
      while (waiting.size > 0) serve()
      assert.equal(quotas.dequeue(), undefined)
    }),
  )
})

test('a researcher has one quota for all hosts of a wildcard, and a lane for each', async () => {
  const quotas = new ConnectionQuotas(2)
  const [a, b] = ['a.example', 'b.example'].map((host) => quotas.of(laneKeyOf('one', host)))
  assert.ok(a && b && a !== b && a.quota === b.quota && a.idle !== b.idle && a.tlsSession !== b.tlsSession)
  assert.equal(quotas.of(laneKeyOf('one', 'a.example')), a)
  a.quota.held += 2
  assert.ok(!quotas.hasRoom(b) && quotas.hasRoom(quotas.of('two')))
  const request = {}
  quotas.wait(b, request, NEVER).catch(() => {})
  assert.equal(quotas.dequeue(), undefined)
  a.quota.held -= 1
  assert.equal(quotas.dequeue()?.lane, b)
  a.quota.held -= 1
  quotas.sweep(performance.now())
  assert.notEqual(quotas.of(a.key), a, 'what nothing uses is forgotten')
})

test('lanes are bounded, and those that are forgotten keep their quota', () => {
  const quotas = new ConnectionQuotas(1)
  const first = quotas.of(laneKeyOf('one', 'h.example'))
  first.quota.held += 1
  for (let host = 0; host < 10_000; host++) quotas.of(laneKeyOf('one', `h${host}.example`))
  const again = quotas.of(first.key)
  assert.notEqual(again, first)
  assert.equal(again.quota, first.quota)
  assert.equal(quotas.hasRoom(again), false)
})
