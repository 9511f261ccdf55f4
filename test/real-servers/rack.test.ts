/**
 * Rack behind the gate, with the middleware that Rails has by itself: no header takes a method past a block rule, and forms of its own
 * pages are known as such where it is told the gated name.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOST, startTestDataPlane } from '../../packages/gateway/test/support/test-data-plane.ts'
import { blockRule } from '../support/block-rule.ts'
import { ask, askGate } from './support/ask.ts'
import { startPuma, without } from './support/programs.ts'

const NO_DELETE = blockRule('delete', '/orders', { methods: ['DELETE'] })

const APPLICATION = `
use Rack::MethodOverride
run ->(env) { [200, { 'content-type' => 'text/plain' }, ["method=#{env['REQUEST_METHOD']}."]] }
`
const REPLACING = [
  ['X-HTTP-Method-Override', 'DELETE'],
  ['x-http-method-override', 'delete'],
] as const

test('Rack takes a method from a header; the gate judges by it', {
  skip: without('puma'),
}, async (context) => {
  const server = await startPuma(context, APPLICATION)
  const gate = await startTestDataPlane(context, server.port, { site: { blockRules: [NO_DELETE] } })
  for (const header of REPLACING) {
    const fields = [['Content-Length', '0'], header] as const
    const direct = await ask(server.port, 'POST', '/orders/1', fields)
    assert.equal(direct.text, 'method=DELETE.', `asked directly, it obeys ${header.join(': ')}`)
    assert.equal((await askGate(gate.port, 'POST', '/orders/1', fields)).status, 403, header.join(': '))
  }
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual([event?.rule, event?.reading], ['delete', 'as sent, taken for DELETE'])
  const put = await askGate(gate.port, 'POST', '/orders/1', [
    ['Content-Length', '0'],
    ['X-HTTP-Method-Override', 'PUT'],
  ])
  assert.equal(put.text, 'method=PUT.')
})

// As Rails and rack-protection (Sinatra) judge a form: of whose page it is.
const COMPARING = `
run ->(env) {
  request = Rack::Request.new(env)
  [200, { 'content-type' => 'text/plain' }, [request.get_header('HTTP_ORIGIN') == request.base_url ? 'own' : 'foreign']]
}
`

test('Rack, which takes its name from X-Forwarded-Host, knows a form of its own where it is told the gated name', {
  skip: without('puma'),
}, async (context) => {
  const server = await startPuma(context, COMPARING)
  const gate = await startTestDataPlane(context, server.port, { site: { keepsGatedHost: true } })
  const sendForm = async (origin: string): Promise<string> =>
    (
      await askGate(gate.port, 'POST', '/save', [
        ['Content-Length', '0'],
        ['Origin', origin],
      ])
    ).text
  assert.equal(await sendForm(`http://${HOST}`), 'own')
  assert.equal(await sendForm('http://elsewhere.example'), 'foreign')
})
