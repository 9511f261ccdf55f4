/** Origins that mean ill over HTTP/2, frame by frame: the researcher gets a whole answer, half of one that looks like it, or 502. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenForTest } from '../../../../../../test/support/loopback.ts'
import {
  block,
  END_HEADERS,
  END_STREAM,
  frame,
  literal,
  PREFACE,
  TYPES,
} from '../../../support/http2/http2-frames.ts'
import { request, sendRaw, startTestDataPlane, testSettings } from '../../../support/test-data-plane.ts'

/** Begins with its settings, and has each request answered by a script. */
async function startFrames(
  context: TestContext,
  answer: (socket: Socket, stream: number) => void,
): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let bytes = Buffer.alloc(0)
    let at = PREFACE.length
    socket.on('error', () => {})
    socket.write(frame(TYPES.settings, 0, 0))
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      for (; bytes.length >= at + 9; at += 9 + bytes.readUIntBE(at, 3)) {
        if (bytes.length < at + 9 + bytes.readUIntBE(at, 3)) break
        if (bytes[at + 3] === TYPES.settings && bytes[at + 4] === 0) socket.write(frame(TYPES.settings, 1, 0))
        if (bytes[at + 3] === TYPES.headers) answer(socket, bytes.readUInt32BE(at + 5))
      }
    })
  })
  return (await listenForTest(context, server)).port
}

const head = (stream: number, flags: number, ...fields: (readonly [string, string])[]): Buffer =>
  frame(TYPES.headers, flags, stream, block(...fields))
const OK: readonly [string, string] = [':status', '200']
const data = (stream: number, text: string, flags = 0): Buffer =>
  frame(TYPES.data, flags, stream, Buffer.from(text))
const reset = (stream: number, code: number): Buffer =>
  frame(TYPES.reset, 0, stream, Buffer.from([0, 0, 0, code]))
const whole = (stream: number): Buffer =>
  Buffer.concat([head(stream, END_HEADERS, OK), data(stream, 'fine', END_STREAM)])
const repeat = (count: number, part: Buffer): Buffer => Buffer.concat(Array(count).fill(part))
const PUSH_PROMISE = 5

type Script = (stream: number) => readonly Buffer[]
const MALFORMED: Readonly<Record<string, Script>> = {
  'no status': (stream) => [head(stream, END_HEADERS, ['x-a', 'b'])],
  'a status that is none': (stream) => [head(stream, END_HEADERS, [':status', 'abc'])],
  'a status of no class': (stream) => [head(stream, END_HEADERS | END_STREAM, [':status', '000'])],
  'a switch of protocols': (stream) => [head(stream, END_HEADERS, [':status', '101'])],
  'a name with capitals': (stream) => [head(stream, END_HEADERS | END_STREAM, OK, ['X-A', 'b'])],
  'chunked coding': (stream) => [
    head(stream, END_HEADERS | END_STREAM, OK, ['transfer-encoding', 'chunked']),
  ],
  'two lengths': (stream) => [
    head(stream, END_HEADERS, OK, ['content-length', '1'], ['content-length', '2']),
    data(stream, 'ab', END_STREAM),
  ],
  'data before its head': (stream) => [data(stream, 'evil'), head(stream, END_HEADERS | END_STREAM, OK)],
  'two thousand headers': (stream) => [
    frame(
      TYPES.headers,
      END_HEADERS | END_STREAM,
      stream,
      Buffer.concat([block(OK), repeat(2_000, literal(0, 'a', 'b'))]),
    ),
  ],
  'a head without end': (stream) => [
    frame(TYPES.headers, 0, stream, block(OK)),
    repeat(5_000, frame(TYPES.continuation, 0, stream, literal(0, 'a', 'b'))),
  ],
  'a head that unfolds to megabytes': (stream) => [
    frame(
      TYPES.headers,
      END_HEADERS | END_STREAM,
      stream,
      Buffer.concat([block(OK), literal(0x40, 'a', 'x'.repeat(4_000)), Buffer.alloc(8_000, 0x80 | 62)]),
    ),
  ],
  'a promise': (stream) => [
    frame(
      PUSH_PROMISE,
      END_HEADERS,
      stream,
      Buffer.concat([Buffer.from([0, 0, 0, 2]), block([':method', 'GET'])]),
    ),
  ],
  'heads of 1xx without end': (stream) => [repeat(1_000, head(stream, END_HEADERS, [':status', '103']))],
  'a protocol error': (stream) => [reset(stream, 1)],
  garbage: () => [Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil')],
  'frames beyond the bound': (stream) => [frame(TYPES.data, 0, stream, Buffer.alloc(20_000))],
}

for (const [what, script] of Object.entries(MALFORMED))
  test(`${what}: 502, and nothing of it goes on`, async (context) => {
    const port = await startFrames(context, (socket, stream) => {
      for (const part of script(stream)) socket.write(part)
    })
    const gate = await startTestDataPlane(context, port, { site: { originProtocol: 'http2' } })
    const { text } = await sendRaw(gate.port, request('GET /', 'Connection: close'), 2_000)
    assert.match(
      text.replace(/^(HTTP\/1\.1 103 [\s\S]*?\r\n\r\n)*/, ''),
      /^HTTP\/1\.1 502 [\s\S]*"origin_malformed"/,
    )
    assert.doesNotMatch(text, /evil/)
  })

const BROKEN: Readonly<Record<string, Script>> = {
  'half an answer, and a reset that says that nothing is wrong': (stream) => [
    head(stream, END_HEADERS, OK),
    data(stream, 'half'),
    reset(stream, 0),
  ],
  'half an answer, and a reset': (stream) => [
    head(stream, END_HEADERS, OK),
    data(stream, 'half'),
    reset(stream, 2),
  ],
  'less than its length': (stream) => [
    head(stream, END_HEADERS, OK, ['content-length', '10']),
    data(stream, 'half', END_STREAM),
  ],
  'more than its length': (stream) => [
    head(stream, END_HEADERS, OK, ['content-length', '4']),
    data(stream, 'half'),
    data(stream, 'evil', END_STREAM),
  ],
  'half an answer, and garbage': (stream) => [
    head(stream, END_HEADERS, OK),
    data(stream, 'half'),
    Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'),
  ],
}

for (const [what, script] of Object.entries(BROKEN))
  test(`${what}: the answer breaks off, for whoever reads it`, async (context) => {
    const begun = Promise.withResolvers<void>()
    const port = await startFrames(context, (socket, stream) => {
      const [first, ...others] = script(stream)
      if (first) socket.write(first)
      void begun.promise.then(() => socket.write(Buffer.concat(others)))
    })
    const gate = await startTestDataPlane(context, port, { site: { originProtocol: 'http2' } })
    const client = connect(gate.port, '127.0.0.1')
    client.on('error', () => undefined)
    client.write(request('GET /'))
    let text = ''
    client.on('data', (chunk) => {
      text += chunk.toString('latin1')
      begun.resolve()
    })
    await once(client, 'close')
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/)
    assert.doesNotMatch(text, /0\r\n\r\n$|evil/)
    const [event] = await gate.recorder.waitFor(1)
    assert.match(event?.reason ?? '', /^origin_(malformed|aborted)$/)
  })

test('a value with a line end is left out', async (context) => {
  const port = await startFrames(context, (socket, stream) =>
    socket.write(
      head(stream, END_HEADERS | END_STREAM, OK, ['x-a', 'b\r\nSet-Cookie: evil=1'], ['x-b', 'c']),
    ),
  )
  const gate = await startTestDataPlane(context, port, { site: { originProtocol: 'http2' } })
  const { text } = await gate.send('GET /')
  assert.match(text, /^HTTP\/1\.1 200 OK\r\nx-b: c\r\n/)
  assert.doesNotMatch(text, /evil|x-a/)
})

for (const [what, flood] of [
  ['settings', repeat(50_000, frame(TYPES.settings, 0, 0))],
  ['pings', repeat(50_000, frame(TYPES.ping, 0, 0, Buffer.alloc(8)))],
] as const)
  test(`a flood of ${what} ends the session, and what is on it`, async (context) => {
    const port = await startFrames(context, (socket) => socket.write(flood))
    const gate = await startTestDataPlane(context, port, { site: { originProtocol: 'http2' } })
    assert.match((await sendRaw(gate.port, request('GET /'), 3_000)).text, /"origin_malformed"/)
  })

test('an answer in frames of one byte is whole, and goes on in fewer pieces', async (context) => {
  const port = await startFrames(context, (socket, stream) =>
    socket.write(
      Buffer.concat([
        head(stream, END_HEADERS, OK),
        repeat(20_000, data(stream, 'x')),
        data(stream, '', END_STREAM),
      ]),
    ),
  )
  const gate = await startTestDataPlane(context, port, { site: { originProtocol: 'http2' } })
  const { text } = await sendRaw(gate.port, request('GET /', 'Connection: close'), 3_000)
  assert.match(text, /0\r\n\r\n$/)
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual([event?.responseBytes, event?.reason], [20_000, ''])
})

test('an origin that resets everything opens the circuit of its researcher, and is asked again after it', async (context) => {
  let asked = 0
  const port = await startFrames(context, (socket, stream) => {
    asked += 1
    socket.write(asked <= 5 ? reset(stream, 8) : whole(stream))
  })
  const gate = await startTestDataPlane(context, port, { site: { originProtocol: 'http2' } })
  const statuses: number[] = []
  for (let index = 0; index < 7; index += 1) statuses.push((await gate.send('GET /')).status)
  assert.deepEqual(statuses, [502, 502, 502, 502, 502, 503, 503])
})

const goodbye = (last: number, code: number): Buffer =>
  frame(7, 0, 0, Buffer.from([0, 0, 0, last, 0, 0, 0, code]))
for (const [what, ending] of Object.entries({
  goodbye: (stream: number) => goodbye(stream, 0),
  'an error': (stream: number) => goodbye(stream, 2),
}))
  test(`connections that an origin ends by ${what} and does not close take no room`, async (context) => {
    const port = await startFrames(context, (socket, stream) => {
      socket.write(whole(stream))
      setTimeout(() => socket.write(ending(stream)), 20)
    })
    const gate = await startTestDataPlane(context, port, {
      settings: {
        limits: { ...testSettings().limits, originConnectionsMax: 2, originConnectTimeoutMs: 500 },
      },
      site: { originProtocol: 'http2' },
    })
    for (let asked = 0; asked < 5; asked += 1) {
      assert.equal((await gate.send('GET /')).status, 200)
      await sleep(500)
    }
  })
