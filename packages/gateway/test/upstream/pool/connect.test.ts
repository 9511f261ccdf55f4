/** Of an origin with several addresses one takes the connection, and one that is forbidden never does. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createSecureContext } from 'node:tls'
import { createAddressPolicy } from '@sallyport/policy'
import { connectToOrigin } from '../../../src/upstream/pool/connect.ts'
import { NameLookups } from '../../../src/upstream/pool/name-lookups.ts'
import { OriginError } from '../../../src/upstream/pool/origin-error.ts'
import { TlsSession } from '../../../src/upstream/pool/tls-session.ts'

async function listen(context: TestContext, host: string, port = 0): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => {}))
  server.listen(port, host)
  await once(server, 'listening')
  context.after(() => server.close())
  return server
}

const connect = (port: number, addresses: readonly string[], allowed: readonly string[]) =>
  connectToOrigin(
    { scheme: 'http', host: 'shop.example', port },
    {
      names: new NameLookups(async () => addresses.map((address) => ({ address }))),
      addresses: createAddressPolicy(allowed),
      timeoutMs: 2_000,
      secureContext: createSecureContext(),
      onRead: () => true,
      tlsSession: new TlsSession(),
    },
  )

test('where one address does not take the connection, the next does', async (context) => {
  const { port } = (await listen(context, '127.0.0.1')).address() as AddressInfo
  const socket = await connect(port, ['127.0.0.2', '127.0.0.3', '127.0.0.1'], ['127.0.0.0/8'])
  context.after(() => socket.destroy())
  assert.equal(socket.remoteAddress, '127.0.0.1')
})

test('the first that takes it has it', async (context) => {
  // In this order: all that runs beside this has its ports at 127.0.0.1.
  const { port } = (await listen(context, '127.0.0.1')).address() as AddressInfo
  await listen(context, '127.0.0.2', port)
  const socket = await connect(port, ['127.0.0.2', '127.0.0.1'], ['127.0.0.0/8'])
  context.after(() => socket.destroy())
  assert.equal(socket.remoteAddress, '127.0.0.2')
})

test('a forbidden address is not tried, also where the permitted ones do not take the connection', async (context) => {
  const server = await listen(context, '127.0.0.1')
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  const { port } = server.address() as AddressInfo
  const refusedBy = (reason: string) => (error: unknown) =>
    error instanceof OriginError && error.reason === reason
  await assert.rejects(
    connect(port, ['127.0.0.2', '127.0.0.1'], ['127.0.0.2']),
    refusedBy('origin_unreachable'),
  )
  await assert.rejects(connect(port, ['127.0.0.1'], ['127.0.0.2']), refusedBy('origin_forbidden_address'))
  await assert.rejects(connect(port, [], []), refusedBy('origin_unreachable'))
  assert.equal(connections, 0)
})
