/** Who is between us and the mail server reads nothing: mail goes encrypted, or not at all, unless the server is on this machine. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ClaimedDelivery } from '../../../src/notify/delivery/delivery-store.ts'
import { createMailSender } from '../../../src/notify/delivery/mail-sender.ts'
import { startMailServer } from '../../features/notifications/support/mail-server.ts'

const told: ClaimedDelivery = {
  id: 'd',
  destination_id: 'destination',
  notification_id: 'notification',
  attempts: 1,
  attempts_before: 0,
  type: 'site.closed',
  occurred_at: '2026-01-01T00:00:00.000Z',
  data: {},
  kind: 'email',
  target: '',
  keys: '',
}
async function send(url: string) {
  const sender = await createMailSender({
    settings: { url, from: 'sallyport@example.com' },
    consoleUrl: 'https://sallyport.example.com',
    failed: (error) => assert.fail(String(error)),
  })
  // An idle connection would keep the server waiting.
  return sender.send('ada@example.com', told).finally(sender.close)
}

test('on this machine, mail goes to a server without TLS; elsewhere it does not', async () => {
  const server = await startMailServer({ hideSTARTTLS: true })
  after(server.close)
  assert.deepEqual(await send(server.url), { outcome: 'accepted', status: 0 })
  assert.match(server.received[0]?.source ?? '', /^Message-ID: <notification\.destination@example\.com>\r$/m)
  const elsewhere = await startMailServer({ disabledCommands: ['STARTTLS'] }, undefined, '127.0.0.2')
  after(elsewhere.close)
  assert.notEqual((await send(elsewhere.url)).outcome, 'accepted')
  assert.deepEqual(elsewhere.received, [])
})

test('a certificate that nobody vouches for is refused, and a password never sent before TLS', async () => {
  const passwords: string[] = []
  const server = await startMailServer(
    {
      onAuth: ({ password }, _session, callback) => {
        passwords.push(password ?? '')
        callback(null, { user: 'somebody' })
      },
    },
    undefined,
    '127.0.0.2',
  )
  after(server.close)
  const result = await send(`smtp://user:secret@127.0.0.2:${server.port}`)
  assert.notEqual(result.outcome, 'accepted')
  assert.deepEqual(passwords, [])
  assert.deepEqual(server.received, [])
})

test('a user and a password of any characters reach the server as they are', async () => {
  const user = 'user@example.com:%'
  const password = `p:@/?#[]%25%&=+ '"\\$\`!*(){}<>|~^;,.é☃`
  const seen: unknown[] = []
  const server = await startMailServer({
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, callback) => {
      seen.push([username, password])
      callback(null, { user: 'somebody' })
    },
  })
  after(server.close)
  const [name, secret] = [user, password].map(encodeURIComponent)
  const result = await send(`smtp://${name}:${secret}@127.0.0.1:${server.port}`)
  assert.deepEqual(result, { outcome: 'accepted', status: 0 })
  assert.deepEqual(seen, [[user, password]])
})

test('a server that is not there is unreachable', async () => {
  assert.deepEqual(await send('smtp://127.0.0.1:9'), { outcome: 'unreachable', status: 0 })
})
