/** How the server closes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import Fastify from 'fastify'
import { createApp } from '../../src/http/app.ts'

test('a connection on which nothing came keeps the server from closing no longer than others', async () => {
  const app = createApp({
    logger: Fastify().log,
    readiness: async () => ({ database: true, trafficStore: true }),
    trustedProxies: [],
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const silent = connect(Number(new URL(url).port), '127.0.0.1')
  silent.on('error', () => undefined)
  after(() => silent.destroy())
  await once(silent, 'connect')
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
  const closed = app.close().then(() => 'closed')
  const late = new Promise((resolve) => setTimeout(resolve, 5_000, 'it waits').unref())
  assert.equal(await Promise.race([closed, late]), 'closed')
})
