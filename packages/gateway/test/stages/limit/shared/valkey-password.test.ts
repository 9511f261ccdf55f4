/** How a gateway signs in to Valkey: with the user and the password of the URL, whatever characters they have. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { ValkeyLink } from '../../../../src/stages/limit/shared/valkey-link.ts'

test('a user and a password of any characters reach the server as they are', async () => {
  const user = 'gate@example.com%'
  const password = `p:@/?#[]%25%&=+ '"\\$\`!*(){}<>|~^;,.é☃`
  const received = Promise.withResolvers<string>()
  const server = createServer((socket) => {
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      // AUTH is the first command, and has ended once its third word is there.
      if (text.split('\r\n').length > 7) received.resolve(text)
      socket.write('-ERR not here\r\n')
    })
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const [name, secret] = [user, password].map(encodeURIComponent)
  const link = new ValkeyLink({
    url: `redis://${name}:${secret}@127.0.0.1:${port}`,
    gatewayId: 'gate',
    log: () => undefined,
  })
  try {
    const [, , command, , givenUser, , givenPassword] = (await received.promise).split('\r\n')
    assert.deepEqual([command?.toUpperCase(), givenUser, givenPassword], ['AUTH', user, password])
  } finally {
    await link.close()
    server.close()
  }
})
