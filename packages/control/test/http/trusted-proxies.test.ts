import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { createApp } from '../../src/http/app.ts'

/** The address that a request is taken to come from. */
async function addressSeen(trustedProxies: readonly string[], forwardedFor: string): Promise<string> {
  const app = createApp({
    logger: Fastify().log,
    readiness: async () => ({ database: true, trafficStore: true }),
    trustedProxies,
  })
  app.get('/address', async (request) => request.ip)
  const answer = await app.inject({
    url: '/address',
    remoteAddress: '10.0.0.1',
    headers: { 'x-forwarded-for': forwardedFor },
  })
  await app.close()
  return answer.body
}

test('what a proxy says of an address is believed of those that are trusted, and of no others', async () => {
  assert.equal(await addressSeen([], '192.0.2.1'), '10.0.0.1')
  assert.equal(await addressSeen(['10.1.0.0/16'], '192.0.2.1'), '10.0.0.1')
  assert.equal(await addressSeen(['10.0.0.0/8'], '192.0.2.1'), '192.0.2.1')
  assert.equal(
    await addressSeen(['10.0.0.0/8'], '198.51.100.1, 192.0.2.1'),
    '192.0.2.1',
    'the last that is not a proxy',
  )
})
