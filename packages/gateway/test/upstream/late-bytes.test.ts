/** Bytes that an origin sends when nobody asked for them: whose answer they become. */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { OK, type RawHandler, startRawOrigin } from '../support/raw-origin.ts'
import { KEY, requestWith, sendRaw, startTestDataPlane } from '../support/test-data-plane.ts'

const OTHER_KEY = 'rk_live_other'
const CHOSEN = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nchosen'

const asked = (key: string, line: string, ...headers: string[]): string =>
  requestWith(key, line, 'Connection: close', ...headers)

/** A data plane with two researchers before an origin. */
async function startDataPlane(context: TestContext, handler: RawHandler) {
  const origin = await startRawOrigin(context, handler)
  const { port, snapshots } = await startTestDataPlane(context, origin.port)
  snapshots.putOther(OTHER_KEY)
  return { origin, port }
}

/** Answers that have no body, whatever their headers say, and what the origin does when the next request comes. */
const BODILESS = [
  ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n'],
  ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
  ['GET', 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'],
  ['GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 6\r\n\r\n'],
  ['GET', 'HTTP/1.1 204 No Content\r\n\r\n'],
] as const

for (const [method, head] of BODILESS)
  test(`a body that comes late after ${method}, ${head.split('\r\n').slice(0, 2).join(', ')} is nobody's answer`, async (context) => {
    const owing = new Set<Socket>()
    const { origin, port } = await startDataPlane(context, (socket, line) => {
      if (line.includes(' /first ')) {
        owing.add(socket)
        socket.write(head)
        return
      }
      for (const late of owing) late.write(CHOSEN)
      owing.clear()
      // After what is late, as on any connection.
      setImmediate(() => socket.write(OK))
    })
    for (const key of [OTHER_KEY, KEY]) {
      await sendRaw(port, asked(KEY, `${method} /first`))
      assert.match((await sendRaw(port, asked(key, 'GET /next'))).text, /\r\n\r\nok$/)
    }
    assert.equal(origin.connections, 4)
  })

test('a connection carries the requests of one researcher, and of no other', async (context) => {
  const { origin, port } = await startDataPlane(context, (socket) => socket.write(OK))
  for (let round = 0; round < 3; round++)
    for (const key of [KEY, OTHER_KEY]) await sendRaw(port, asked(key, `GET /${key}`))
  assert.equal(origin.connections, 2)
  for (const received of origin.received)
    assert.equal(new Set(received.match(/GET \/\w+/g)).size, 1, 'the requests of one alone')
})

for (const [what, line, headers, answer] of [
  ['an attempt to speak WebSocket', 'GET /first', ['Connection: Upgrade', 'Upgrade: websocket'], OK],
  ['an answer before the whole of its request', 'POST /first', ['Content-Length: 9'], OK],
  ['early hints', 'GET /first', [], `HTTP/1.1 103 Early Hints\r\n\r\n${OK}`],
  ['bytes behind an answer', 'GET /first', [], `${OK}${CHOSEN}`],
] as const)
  test(`after ${what} the connection is not used again`, async (context) => {
    const { origin, port } = await startDataPlane(context, (socket, head) =>
      socket.write(head.includes(' /first ') ? answer : OK),
    )
    assert.match((await sendRaw(port, asked(KEY, line, ...headers))).text, /\r\n\r\nok$/)
    assert.match((await sendRaw(port, asked(KEY, 'GET /next'))).text, /\r\n\r\nok$/)
    assert.equal(origin.connections, 2)
  })

test('what has arrived on an idle connection is read before the next request is sent', async (context) => {
  const used: Socket[] = []
  const { origin, port } = await startDataPlane(context, (socket) => {
    used.push(socket)
    socket.write(OK)
  })
  for (let round = 0; round < 50; round++) {
    assert.match((await sendRaw(port, asked(KEY, 'GET /'))).text, /\r\n\r\nok$/)
    // Without a pause between: the two arrive in one turn of the gateway.
    used.at(-1)?.write(CHOSEN)
  }
  assert.equal(origin.connections, 50)
})

test('a connection that ends with its answer leaves no port taken: it is reset', async (context) => {
  const ended = Promise.withResolvers<unknown>()
  const { port } = await startDataPlane(context, (socket) => {
    socket.once('error', (error) => ended.resolve('code' in error && error.code))
    socket.once('end', () => ended.resolve('closed'))
    socket.write('HTTP/1.1 304 Not Modified\r\n\r\n')
  })
  assert.equal((await sendRaw(port, asked(KEY, 'GET /'))).status, 304)
  assert.equal(await ended.promise, 'ECONNRESET')
})
