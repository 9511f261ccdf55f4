/** What an origin's headers must not do to the gate's own session. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRawOrigin } from './support/raw-origin.ts'
import { openTestDoor, request, sendRaw } from './support/test-door.ts'

const SENT = [
  'Clear-Site-Data: "cache", "cookies", "storage"',
  'clear-site-data: "cookies"',
  'Clear-Site-Data: "*"',
  'Clear-Site-Data: "storage"',
  'Set-Cookie: __Host-sallyport=forged; Path=/; Secure',
  'Set-Cookie:  = __Host-sallyport=forged; Path=/; Secure',
  'Set-Cookie: cart=1',
]

const PASSED = [
  'Clear-Site-Data: "cache", "storage"',
  'Clear-Site-Data: "cache", "clientHints", "storage", "executionContexts", "prefetchCache", "prerenderCache"',
  'Clear-Site-Data: "storage"',
  'Set-Cookie: cart=1',
]

test('an origin can neither end nor forge a session of the gate', async (context) => {
  const head = ['HTTP/1.1 200 OK', 'Content-Length: 2', ...SENT, '', 'ok'].join('\r\n')
  const origin = await startRawOrigin((socket) => socket.write(head))
  context.after(origin.close)
  const { port } = await openTestDoor(context, origin.port)
  const { text } = await sendRaw(port, request('GET /'))
  const lines = text.split('\r\n').filter((line) => /^(?:clear-site-data|set-cookie):/i.test(line))
  assert.deepEqual(lines, PASSED)
})
