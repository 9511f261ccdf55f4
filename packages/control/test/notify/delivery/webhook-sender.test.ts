/** Webhooks to receivers and by names that mean harm. */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { listenForTest } from '../../../../../test/support/loopback.ts'
import { createWebhookSender } from '../../../src/notify/delivery/webhook-sender.ts'
import { makeWebhookKeys } from '../../../src/notify/webhook-keys.ts'
import { type WebhookRules, whyNoWebhookUrl } from '../../../src/notify/webhook-url.ts'
import { startReceiver } from '../../features/notifications/support/receiver.ts'

const RULES: WebhookRules = {
  webhookHosts: [],
  webhookPrivateAddresses: ['127.0.0.1/32'],
  webhookPlainHosts: ['hooks.test', '127.0.0.1', 'localhost'],
}
const keys = makeWebhookKeys('hmac')
const TIMEOUT_MS = 10_000
/** Sends a message by a name that has these addresses. */
async function send(url: string, addresses: readonly string[], rules = RULES, timeoutMs = TIMEOUT_MS) {
  const asked: string[] = []
  const post = createWebhookSender({
    addressesOf: async (_orgId, host) => {
      asked.push(host)
      return addresses
    },
    rules,
    version: '1',
    timeoutMs,
  })
  const { outcome } = await post('org', url, keys, { id: 'm', body: '{}' })
  return { outcome, asked }
}

test('the connection goes to the address that was judged, and the name is asked for once', async () => {
  const receiver = await startReceiver()
  after(receiver.close)
  const url = `http://hooks.test:${receiver.port}/x?y`
  assert.deepEqual(await send(url, ['127.0.0.1']), { outcome: 'accepted', asked: ['hooks.test'] })
  assert.equal(receiver.received[0]?.headers.host, `hooks.test:${receiver.port}`)
  // Some of its addresses may be reached, others not.
  assert.equal((await send(url, ['169.254.169.254', '10.0.0.1', '127.0.0.1'])).outcome, 'accepted')
  for (const hidden of ['127.0.0.2', '::1', '::ffff:10.0.0.1', '64:ff9b::7f00:2', '2002:a00:1::', '0.0.0.0'])
    assert.equal((await send(url, [hidden])).outcome, 'forbidden_address', hidden)
  assert.equal((await send(url, [])).outcome, 'no_address')
  assert.equal(receiver.received.length, 2)
})

test('a host that the operator has not named, or names no more, is not looked up', async () => {
  const rules = { ...RULES, webhookHosts: ['*.chat.example', 'exact.example'] }
  assert.deepEqual(await send('http://hooks.test/', ['127.0.0.1'], rules), {
    outcome: 'forbidden_host',
    asked: [],
  })
  const isAllowed = (url: string): boolean => whyNoWebhookUrl(url, rules) === null
  assert.ok(isAllowed('https://a.chat.example/') && isAllowed('https://EXACT.example./'))
  for (const url of [
    'https://chat.example/',
    'https://evilchat.example/',
    'https://a.exact.example/',
    'https://1.1.1.1/',
  ])
    assert.ok(!isAllowed(url), url)
})

test('an answer that drips, never comes, or never ends its interim answers, is given up', async (t) => {
  const answers = ['HTTP/1.1 2', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 200 OK\r\nx: y\r\n', '']
  for (const answer of answers) {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      const dripping = setInterval(() => socket.write(answer || '\r\n'), 20)
      socket.on('close', () => clearInterval(dripping))
    })
    const { port } = await listenForTest(t, server)
    const { outcome } = await send(`http://127.0.0.1:${port}/`, ['127.0.0.1'], RULES, 300)
    assert.ok(outcome === 'timeout' || outcome === 'unreachable', `${JSON.stringify(answer)}: ${outcome}`)
  }
})

test('what speaks no HTTP, or TLS that proves nothing, is a failure', async (t) => {
  const garbage = await listenForTest(
    t,
    createServer((socket) => socket.end('220 mail.example ESMTP\r\n')),
  )
  assert.equal((await send(`http://127.0.0.1:${garbage.port}/`, ['127.0.0.1'])).outcome, 'unreachable')
  const tls = await listenForTest(
    t,
    createTlsServer(() => undefined),
  )
  assert.notEqual((await send(`https://hooks.test:${tls.port}/`, ['127.0.0.1'])).outcome, 'accepted')
})
