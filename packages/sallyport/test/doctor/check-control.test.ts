/** What stands between the planes, as ordinary proxies are set up. */
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { BATCHES_PATH, FEED_PATH } from '@sallyport/contract'
import { freePorts, listenForTest } from '../../../../test/support/loopback.ts'
import { checkControl } from '../../src/doctor/check-control.ts'

const TOKEN = 'token-of-the-gateways'
type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A control plane as it is, but for what is given. */
const AS_IT_IS: Readonly<Record<string, Answer>> = {
  '/readyz': (_request, response) =>
    void response.end('{"status":"ready","database":"there","trafficStore":"there"}'),
  [BATCHES_PATH]: (request, response) => {
    request.resume()
    request.once('end', () => response.writeHead(401).end())
  },
  [FEED_PATH]: (request, response) => {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return void response.writeHead(401).end()
    response.writeHead(200).flushHeaders()
    const ping = setInterval(() => response.write('{"type":"ping"}\n'), 250)
    response.once('close', () => clearInterval(ping))
  },
}

/** What is found of it, each by the first word of what was checked. */
async function find(context: TestContext, changes: Readonly<Record<string, Answer>> = {}, token = TOKEN) {
  const answers = { ...AS_IT_IS, ...changes }
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? '']
    if (answer) answer(request, response)
    else response.writeHead(404).end()
  })
  const { port } = await listenForTest(context, server)
  const findings = await checkControl(`http://127.0.0.1:${port}`, token)
  server.closeAllConnections()
  return Object.fromEntries(findings.map(({ check, ...rest }) => [check.split(' ', 1).join(), rest]))
}

test('a control plane with nothing wrong in between', async (context) => {
  const found = await find(context)
  assert.deepEqual(
    Object.entries(found).map(([check, { state }]) => [check, state]),
    ['control', 'clock', 'body', 'config'].map((check) => [check, 'ok']),
  )
})

test('a proxy that keeps answers back, one that takes no large body, and a clock that is off', async (context) => {
  const found = await find(context, {
    '/readyz': (request, response) => {
      response.setHeader('date', new Date(Date.now() - 600_000).toUTCString())
      AS_IT_IS['/readyz']?.(request, response)
    },
    [BATCHES_PATH]: (_request, response) => void response.writeHead(413).end(),
    [FEED_PATH]: () => undefined,
  })
  assert.equal(found.control?.state, 'ok')
  assert.match(found.clock?.detail ?? '', /^is (599|600|601) s behind/)
  assert.equal(found.body?.state, 'failed')
  assert.match(found.body?.advice ?? '', /client_max_body_size/)
  assert.equal(found.config?.state, 'failed')
  assert.match(found.config?.advice ?? '', /proxy_buffering/)
})

test('a feed whose lines come together is held back, too', async (context) => {
  const found = await find(context, {
    [FEED_PATH]: (_request, response) => {
      response.writeHead(200).flushHeaders()
      setTimeout(() => response.write('{"type":"ping"}\n'.repeat(8)), 2_000)
    },
  })
  assert.equal(found.config?.state, 'failed')
})

test('another token, another service, a store that is away, and nobody', async (context) => {
  assert.match((await find(context, {}, 'another token')).config?.detail ?? '', /is refused/)
  const other = await find(context, {
    '/readyz': (_request, response) => void response.end('<h1>Welcome</h1>'),
  })
  assert.deepEqual(Object.keys(other), ['control', 'clock'])
  assert.match(other.control?.detail ?? '', /something else answers 200/)
  const away = await find(context, {
    '/readyz': (_request, response) =>
      void response.end('{"status":"ready","database":"there","trafficStore":"away"}'),
  })
  assert.equal(away.control?.state, 'warning')
  const [port] = await freePorts(1)
  const [nobody] = await checkControl(`http://127.0.0.1:${port}`, TOKEN)
  assert.equal(nobody?.state, 'failed')
  assert.match(nobody?.detail ?? '', /ECONNREFUSED/)
})
