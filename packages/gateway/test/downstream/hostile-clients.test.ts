/** Clients that put as much work as they can into what they send: what they are given of it, and that nobody waits for it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { blockRule } from '../../../../test/support/block-rule.ts'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { ConnectionLimiter } from '../../src/downstream/connections/connection-limiter.ts'
import { WorkBudget } from '../../src/downstream/connections/work-budget.ts'
import { createHttpServer } from '../../src/downstream/http1/http-server.ts'
import type { ParsedRequest } from '../../src/downstream/read-request.ts'
import type { Responder } from '../../src/exchange/responder.ts'
import { DEFAULT_GATEWAY_LIMITS } from '../../src/settings.ts'
import { until } from '../record/support.ts'
import { startRawOrigin } from '../support/raw-origin.ts'
import { HOST, KEY, request, sendRaw, startTestDataPlane, testListeners } from '../support/test-data-plane.ts'

const NOBODY = 9 // the discard port: no origin is reached by what is refused
const MINIMAL = 'GET / HTTP/1.1\r\nHost:a\r\n\r\n'

test('a connection without a credential ends with its refusal, whatever else it has sent', async (context) => {
  const { port, recorder } = await startTestDataPlane(context, NOBODY)
  const stranger = `GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`
  for (const one of [
    MINIMAL,
    stranger,
    stranger.replace('\r\n\r\n', '\r\nSallyport-Key: rk_live_none\r\n\r\n'),
  ]) {
    const { text } = await sendRaw(port, one.repeat(Math.floor(60_000 / one.length)))
    // A reset may have come before the answer was read: what follows was not.
    assert.ok((text.match(/HTTP\/1\.1 /g)?.length ?? 0) <= 1, text.slice(0, 200))
    const single = await sendRaw(port, one)
    assert.match(single.text, /\r\nConnection: close\r\n/)
    assert.ok(single.closed)
  }
  // The base of what each costs is its record: two connections for each of three kinds.
  assert.equal((await recorder.waitFor(6)).length, 6)
})

test('what cannot be read is recorded as itself, and not as what came with it', async (context) => {
  const { port, recorder } = await startTestDataPlane(context, NOBODY, {
    site: { blockRules: [blockRule('b', '/no')] },
  })
  const bad = `BAD  /second HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`
  // Many, so that some are answered in the slice in which the end is read.
  await sendRaw(port, request('GET /no').repeat(50) + bad)
  const events = await recorder.waitFor(51)
  assert.equal(events.filter(({ target }) => target === '/no').length, 50)
  const last = events.at(-1)
  assert.deepEqual([last?.method, last?.target, last?.requestBytes], ['BAD', '/second', bad.length])
})

test('a researcher keeps the connection, also where something is refused', async (context) => {
  const { port } = await startTestDataPlane(context, NOBODY, {
    site: { blockRules: [blockRule('b', '/no')] },
  })
  const { text, closed } = await sendRaw(port, request('GET /no').repeat(5))
  assert.equal(text.match(/HTTP\/1\.1 403 /g)?.length, 5)
  assert.ok(!closed)
})

/** Works for so long on each request, then answers it. */
const REQUEST_MS = 0.2

/** A listener whose every request takes its time; counts them by turns of the event loop. */
async function startBusy(
  context: TestContext,
): Promise<{ readonly port: number; readonly perTurn: number[] }> {
  const perTurn: number[] = []
  let inTurn = 0
  const budget = new WorkBudget()
  const limiter = new ConnectionLimiter(100)
  const handle = (responder: Responder, { request: { key } }: ParsedRequest): void => {
    if (inTurn === 0)
      setImmediate(() => {
        perTurn.push(inTurn)
        inTurn = 0
      })
    inTurn += 1
    responder.identify(key)
    responder.owner = {
      onDownstreamDrain: () => {},
      onDownstreamBroken: () => responder.destroy(),
      onDownstreamClosed: () => {},
    }
    for (const until = performance.now() + REQUEST_MS; performance.now() < until; );
    responder.writeHead(200, 'OK', ['Content-Length', '2'], false)
    responder.end(Buffer.from('ok'), [])
  }
  const { server } = createHttpServer(testListeners(limiter, budget), {
    limits: DEFAULT_GATEWAY_LIMITS,
    budget,
    handle,
    onUnreadable: () => ({ answer: '', record: () => undefined }),
  })
  const { port } = await listenForTest(context, server)
  context.after(() => {
    budget.close()
    limiter.destroy()
  })
  return { port, perTurn }
}

function open(context: TestContext, port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  context.after(() => socket.destroy())
  return socket
}

const REQUESTS = 300

/** Sends many requests at once; answers how many were answered so far. */
function sendMany(socket: Socket): () => number {
  let answers = 0
  socket.on('data', (chunk: Buffer) => {
    answers += chunk.toString('latin1').match(/HTTP\/1\.1 200/g)?.length ?? 0
  })
  socket.write(request('GET /').repeat(REQUESTS))
  return () => answers
}

test('of what one read holds, a slice is worked on in each turn, and all of it in the end', async (context) => {
  const { port, perTurn } = await startBusy(context)
  const socket = open(context, port)
  const answers = sendMany(socket)
  while (answers() < REQUESTS) await once(socket, 'data')
  // Half a millisecond each: the third request finds it used up, and in one turn a read and a slice may meet.
  assert.ok(Math.max(...perTurn) <= 6, perTurn.join(' '))
})

test('who comes while another one works off what it sent is served before that is done', async (context) => {
  const { port } = await startBusy(context)
  const hostile = open(context, port)
  const answers = sendMany(hostile)
  await once(hostile, 'data')
  const good = open(context, port)
  good.write(request('GET /').replace(KEY, 'rk_live_other'))
  await once(good, 'data')
  assert.ok(answers() < REQUESTS / 2, String(answers()))
})

test('an upload in chunks of one byte arrives whole, however many slices it takes', async (context) => {
  const origin = await startRawOrigin(context, () => {})
  const { port } = await startTestDataPlane(context, origin.port)
  const CHUNKS = 60_000
  const bytes = Array.from({ length: CHUNKS }, (_, index) => String.fromCharCode(97 + (index % 26)))
  const socket = open(context, port)
  socket.write(request('POST /', 'Transfer-Encoding: chunked'))
  socket.write(`${bytes.map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`)
  const received = (): string => origin.received[0] ?? ''
  await until(() => received().endsWith('\r\n0\r\n\r\n'), 'the end')
  const body = received()
    .slice(received().indexOf('\r\n\r\n') + 4)
    .replace(/[0-9a-f]+\r\n([a-z]*)\r\n/g, '$1')
  // Not compared by `assert.equal`, which would print all of it.
  assert.ok(body === bytes.join(''), `${body.length} bytes`)
})
