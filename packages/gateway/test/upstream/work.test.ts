/** What an origin, or a body, can make the gateway do: it follows the bytes, and leaves in few writes. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { until } from '../record/support.ts'
import { makeCertificate } from '../support/certificates.ts'
import { block, END_HEADERS, END_STREAM, frame, PREFACE, TYPES } from '../support/http2/http2-frames.ts'
import { startRawOrigin } from '../support/raw-origin.ts'
import { HOST, KEY, request, sendRaw, startTestDataPlane } from '../support/test-data-plane.ts'

const CHUNKS = 200_000
/** 1.2 MB. */
const ONE_BYTE_CHUNKS = `${'1\r\nx\r\n'.repeat(CHUNKS)}0\r\n\r\n`
const sizesIn = (chunked: string): number[] =>
  [...chunked.matchAll(/([0-9a-f]+)\r\nx*\r\n/g)].map(([, size = '']) => Number.parseInt(size, 16))
const sum = (numbers: readonly number[]): number => numbers.reduce((before, one) => before + one, 0)

test('an answer in one-byte chunks leaves in few writes', async (context) => {
  const origin = await startRawOrigin(context, (socket) =>
    socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${ONE_BYTE_CHUNKS}`),
  )
  const { port } = await startTestDataPlane(context, origin.port)
  const { text } = await sendRaw(port, request('GET /', 'Connection: close'), 2_000)
  const sizes = sizesIn(text.slice(text.indexOf('\r\n\r\n') + 4))
  assert.equal(sum(sizes), CHUNKS)
  assert.ok(sizes.length < CHUNKS / 50, `${sizes.length} chunks for ${CHUNKS}`)
})

test('a body in one-byte chunks goes to its origin in few writes', async (context) => {
  const origin = await startRawOrigin(context, () => {})
  const { port } = await startTestDataPlane(context, origin.port)
  const socket = connect(port, '127.0.0.1')
  context.after(() => socket.destroy())
  socket.write(request('POST /', 'Transfer-Encoding: chunked') + ONE_BYTE_CHUNKS)
  const arrived = (): string => origin.received[0]?.split('\r\n\r\n').slice(1).join('\r\n\r\n') ?? ''
  while (!arrived().endsWith('\r\n0\r\n\r\n')) await new Promise((resolve) => setTimeout(resolve, 20))
  const sizes = sizesIn(arrived())
  assert.equal(sum(sizes), CHUNKS)
  assert.ok(sizes.length < CHUNKS / 50, `${sizes.length} chunks for ${CHUNKS}`)
})

test('one-byte frames of HTTP/2 that arrive together go to their origin together', async (context) => {
  const origin = await startRawOrigin(context, () => {})
  const directory = temporaryFolder(context)
  makeCertificate(directory, 'a', HOST)
  const { dataPlane } = await startTestDataPlane(context, origin.port, {
    settings: { tls: { directory, port: 0 } },
  })
  const port = dataPlane.https?.port ?? 0
  const socket = connectTls({ port, servername: HOST, ALPNProtocols: ['h2'], rejectUnauthorized: false })
  context.after(() => socket.destroy())
  socket.resume()
  const [bursts, frames] = [25, 200]
  const head = block(
    [':method', 'POST'],
    [':scheme', 'https'],
    [':path', '/'],
    [':authority', HOST],
    ['sallyport-key', KEY],
  )
  socket.write(
    Buffer.concat([PREFACE, frame(TYPES.settings, 0, 0), frame(TYPES.headers, END_HEADERS, 1, head)]),
  )
  const arrived = (): string => origin.received[0]?.split('\r\n\r\n').slice(1).join('\r\n\r\n') ?? ''
  const burst = Buffer.concat(Array.from({ length: frames }, () => frame(TYPES.data, 0, 1, Buffer.from('x'))))
  for (let sent = 1; sent <= bursts; sent++) {
    socket.write(burst)
    // More of them in one turn would be taken for a flood.
    await until(() => sum(sizesIn(arrived())) === sent * frames, 'what was sent')
  }
  socket.write(frame(TYPES.data, END_STREAM, 1))
  await until(() => arrived().endsWith('\r\n0\r\n\r\n'), 'the end')
  const { length } = sizesIn(arrived())
  assert.ok(length < (bursts * frames) / 20, `${length} chunks for ${bursts * frames}`)
})

for (const [what, answer] of [
  ['more than a thousand header lines', `HTTP/1.1 200 OK\r\n${'a:\r\n'.repeat(1_001)}\r\n`],
  ['more than 256 heads before its own', 'HTTP/1.1 102 P\r\n\r\n'.repeat(257)],
  ['a thousand connection options', `HTTP/1.1 200 OK\r\n${'Connection: a,b\r\n'.repeat(900)}\r\n`],
] as const)
  test(`an answer with ${what} is refused`, async (context) => {
    const { port } = await dataPlaneBefore(context, answer)
    const { text } = await sendRaw(port, request('GET /', 'Connection: close'))
    assert.match(text, /HTTP\/1\.1 502 [\s\S]*"reason":"origin_malformed"/)
  })

test('an answer with many trailers is cut', async (context) => {
  const { port, recorder } = await dataPlaneBefore(
    context,
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n${'a:\r\n'.repeat(1_001)}\r\n`,
  )
  await sendRaw(port, request('GET /', 'Connection: close'))
  assert.equal((await recorder.waitFor(1))[0]?.reason, 'origin_malformed')
})

async function dataPlaneBefore(context: TestContext, answer: string) {
  const origin = await startRawOrigin(context, (socket) => socket.write(answer))
  return await startTestDataPlane(context, origin.port)
}
