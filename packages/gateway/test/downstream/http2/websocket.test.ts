/** WebSockets over HTTP/2 (RFC 8441) through the gate: opened by the same rules, recorded and cut as those over HTTP/1.1. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { blockRule } from '../../../../../test/support/block-rule.ts'
import { startHttp2DataPlane } from '../../support/http2/http2-client.ts'
import { OK, startRawOrigin } from '../../support/raw-origin.ts'
import { KEY, researcher } from '../../support/test-data-plane.ts'

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
/** A text frame of five bytes, masked with zeros. */
const HELLO = Buffer.from([0x81, 0x85, 0, 0, 0, 0, ...Buffer.from('hello')])

/** Goes over as it should, and says back what it hears. */
function goOver(
  socket: Socket,
  head: string,
  heard: (chunk: Buffer) => void = (chunk) => socket.write(chunk),
): void {
  const key = /^Sec-WebSocket-Key: (.*)\r$/m.exec(head)?.[1] ?? ''
  const accept = createHash('sha1')
    .update(key + GUID)
    .digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: chat\r\n\r\n`,
  )
  socket.on('data', heard)
}

const asked = (changes: Record<string, string> = {}): Record<string, string> => ({
  ':method': 'CONNECT',
  ':protocol': 'websocket',
  ':scheme': 'https',
  ':path': '/socket?a=1',
  ':authority': 'app.gate.localhost',
  'sec-websocket-version': '13',
  'sec-websocket-protocol': 'chat',
  'sallyport-key': KEY,
  ...changes,
})

async function openGate(
  context: TestContext,
  onHead: (socket: Socket, head: string) => void = (socket, head) => goOver(socket, head),
  changes: Parameters<typeof startHttp2DataPlane>[2] = {},
) {
  const origin = await startRawOrigin(context, onHead)
  const gate = await startHttp2DataPlane(context, origin.port, changes)
  await once(gate.session, 'remoteSettings')
  return { ...gate, origin }
}

async function open(session: ClientHttp2Session, changes = {}, endStream = false) {
  const stream = session.request(asked(changes), { endStream })
  stream.on('error', () => {})
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
  if (headers[':status'] !== 200) stream.resume()
  return { stream, headers, status: headers[':status'] }
}

async function read(stream: ClientHttp2Stream, bytes: number): Promise<Buffer> {
  const got: Buffer[] = []
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    got.push(chunk)
    if (Buffer.concat(got).length >= bytes) break
  }
  return Buffer.concat(got)
}

test('a WebSocket opens with a key that the gate makes, carries both ways, and is two events', async (context) => {
  const { session, origin, recorder } = await openGate(context)
  assert.equal(session.remoteSettings.enableConnectProtocol, true)
  const { stream, headers, status } = await open(session, { 'sec-websocket-key': 'of-the-client' })
  assert.equal(status, 200)
  assert.equal(headers['sec-websocket-protocol'], 'chat')
  assert.equal(headers['sec-websocket-accept'], undefined)
  assert.match(String(headers['sallyport-request-id']), /^[0-9a-f-]{36}$/)
  const head = origin.received[0] ?? ''
  assert.match(head, /^GET \/socket\?a=1 HTTP\/1\.1\r\nHost: 127\.0\.0\.1:\d+\r\n/)
  assert.match(head, /\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n/)
  assert.doesNotMatch(head, /of-the-client|:protocol/i)
  stream.write(HELLO)
  assert.deepEqual(await read(stream, HELLO.length), HELLO)
  stream.end()
  await once(stream, 'close')
  const [opened, closed] = await recorder.waitFor(2)
  assert.deepEqual(
    [opened?.kind, opened?.status, opened?.method, opened?.httpVersion, opened?.target],
    ['websocket_open', 101, 'GET', '2', '/socket?a=1'],
  )
  assert.deepEqual([closed?.kind, closed?.messagesIn, closed?.messagesOut], ['websocket_close', 1, 1])
  assert.deepEqual([closed?.requestBytes, closed?.responseBytes], [HELLO.length, HELLO.length])
})

test('a megabyte each way arrives whole, at the pace of the slower side', async (context) => {
  const { session } = await openGate(context)
  const { stream } = await open(session)
  const sent = Buffer.alloc(1_000_000, 'x')
  stream.write(sent)
  assert.equal((await read(stream, sent.length)).equals(sent), true)
})

test('the end that the origin makes is the end of the stream, after all that it has sent', async (context) => {
  const { session } = await openGate(context, (socket, head) => {
    goOver(socket, head, () => {})
    socket.end(HELLO)
  })
  const { stream } = await open(session)
  assert.deepEqual(await read(stream, HELLO.length), HELLO)
  stream.resume()
  await once(stream, 'close')
  assert.equal(stream.rstCode, 0)
})

test('rules, credentials and an origin that does not go over refuse it with a status that opens nothing', async (context) => {
  const { session, snapshots, recorder } = await openGate(
    context,
    (socket, head) => (head.startsWith('GET /plain') ? socket.write(OK) : goOver(socket, head)),
    { site: { blockRules: [blockRule('admin', '/admin')] } },
  )
  for (const [changes, status] of [
    [{ ':path': '/admin/x' }, 403],
    [{ 'sallyport-key': 'rk_live_none' }, 401],
    [{ ':path': '/plain' }, 502],
    [{ ':authority': 'other.gate.localhost' }, 421],
    [{ ':protocol': 'connect-udp' }, 400],
    [{ 'content-length': '5' }, 400],
  ] as const)
    assert.equal((await open(session, changes)).status, status, JSON.stringify(changes))
  assert.equal((await open(session, {}, true)).status, 400, 'what ends at once opens nothing')
  await recorder.waitFor(7)
  const { stream } = await open(session)
  snapshots.putResearcher(researcher({ paused: true }))
  await once(stream.resume(), 'close')
  assert.equal(stream.rstCode, 8, 'cut, and not ended')
  const events = await recorder.waitFor(9)
  assert.equal(events.at(-1)?.reason, 'access_ended')
})

test('a proof that does not fit opens nothing', async (context) => {
  const { session } = await openGate(context, (socket) =>
    socket.write(
      'HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\n',
    ),
  )
  assert.equal((await open(session)).status, 502)
})

test('a stream that the client resets ends the connection to the origin', async (context) => {
  let closed = 0
  const { session, recorder } = await openGate(context, (socket, head) => {
    goOver(socket, head)
    socket.on('close', () => {
      closed += 1
    })
  })
  const { stream } = await open(session)
  stream.close(8)
  await recorder.waitFor(2)
  for (let waited = 0; closed === 0 && waited < 2_000; waited += 10) await sleep(10)
  assert.equal(closed, 1)
})
