import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { createAdminServer } from '../../src/admin/admin-server.ts'

test('it is alive, ready once nothing speaks against it, and says what was measured', async (context) => {
  let why: string | null = 'no configuration received yet'
  let measured = async () => 'sallyport_live_exchanges 3\n'
  const metrics = { contentType: 'text/plain; version=0.0.4', text: () => measured(), count: () => {} }
  const server = createAdminServer({
    version: '1.2.3',
    whyNotReady: () => why,
    metrics,
    answerClosures: async () => ({ status: 200, body: {} }),
  })
  const { port } = await listenForTest(context, server)
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })
    return [answer.status, answer.headers.get('content-type'), await answer.text()]
  }
  const json = 'application/json'
  assert.deepEqual(await ask('/healthz'), [200, json, '{"status":"alive"}'])
  assert.deepEqual(await ask('/readyz'), [
    503,
    json,
    JSON.stringify({ status: 'not ready', reason: why, version: '1.2.3' }),
  ])
  why = null
  assert.deepEqual(await ask('/readyz?verbose'), [200, json, '{"status":"ready","version":"1.2.3"}'])
  assert.deepEqual(await ask('/metrics'), [200, metrics.contentType, 'sallyport_live_exchanges 3\n'])
  measured = async () => {
    throw new Error('a secret of the inside')
  }
  assert.deepEqual(await ask('/metrics'), [500, 'text/plain', 'metrics could not be collected\n'])
  assert.equal((await ask('/'))[0], 404)
})
