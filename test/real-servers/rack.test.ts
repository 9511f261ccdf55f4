/** Rack behind the gate, with the middleware that Rails has by itself: no header takes a method past a block rule. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BlockRule } from '@sallyport/contract'
import { openTestDoor, request, sendRaw } from '../../packages/gateway/test/support/test-door.ts'
import { startPuma, without } from './support/programs.ts'

const NO_DELETE: BlockRule = {
  id: 'delete',
  pathPrefix: '/orders',
  methods: ['DELETE'],
  status: 403,
  enabled: true,
}

const APPLICATION = `
use Rack::MethodOverride
run ->(env) { [200, { 'content-type' => 'text/plain' }, ["method=#{env['REQUEST_METHOD']}."]] }
`
const REPLACING = ['X-HTTP-Method-Override: DELETE', 'x-http-method-override: delete']

test('Rack takes a method from a header; the gate judges by it', {
  skip: without('puma'),
}, async (context) => {
  const server = await startPuma(context, APPLICATION)
  const gate = await openTestDoor(context, server.port, { site: { blockRules: [NO_DELETE] } })
  for (const header of REPLACING) {
    const head = [
      'POST /orders/1 HTTP/1.1',
      'Host: 127.0.0.1',
      'Content-Length: 0',
      'Connection: close',
      header,
    ]
    const direct = await sendRaw(server.port, `${head.join('\r\n')}\r\n\r\n`)
    assert.match(direct.text, /method=DELETE\./, `asked directly, it obeys ${header}`)
    const gated = await sendRaw(
      gate.port,
      request('POST /orders/1', 'Content-Length: 0', 'Connection: close', header),
    )
    assert.equal(gated.status, 403, header)
  }
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual([event?.rule, event?.reading], ['delete', 'as sent, taken for DELETE'])
  const put = await sendRaw(
    gate.port,
    request('POST /orders/1', 'Content-Length: 0', 'Connection: close', 'X-HTTP-Method-Override: PUT'),
  )
  assert.match(put.text, /method=PUT\./)
})
