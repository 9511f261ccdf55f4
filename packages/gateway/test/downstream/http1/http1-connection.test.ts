/** Connections by themselves: however the bytes of a client are cut into reads, the same requests come out. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { listenForTest } from '../../../../../test/support/loopback.ts'
import { ConnectionLimiter } from '../../../src/downstream/connections/connection-limiter.ts'
import { WorkBudget } from '../../../src/downstream/connections/work-budget.ts'
import { createHttpServer } from '../../../src/downstream/http1/http-server.ts'
import type { ParsedRequest } from '../../../src/downstream/read-request.ts'
import type { Responder } from '../../../src/exchange/responder.ts'
import { DEFAULT_GATEWAY_LIMITS, type GatewayLimits } from '../../../src/settings.ts'
import { testListeners } from '../../support/test-data-plane.ts'

const LONG_AGO = 'Thu, 01 Jan 1970 00:00:01 GMT'

interface Echo {
  readonly limiter: ConnectionLimiter
  readonly budget: WorkBudget
  readonly port: number
  /** What could not be read, as reasons. */
  readonly unreadable: string[]
}

/** A listener that answers each request with what it was, or as `handle` says. */
async function startEcho(
  context: TestContext,
  changes: Partial<GatewayLimits> = {},
  handle: (responder: Responder, reading: ParsedRequest) => void = echo,
): Promise<Echo> {
  const unreadable: string[] = []
  const limits = { ...DEFAULT_GATEWAY_LIMITS, ...changes }
  const limiter = new ConnectionLimiter(limits.connectionsMax)
  const budget = new WorkBudget()
  const http = createHttpServer(testListeners(limiter, budget), {
    limits,
    handle,
    budget,
    onUnreadable: (_peer, _bytes, { status, reason }) => {
      const answer = `HTTP/1.1 ${status} x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`
      return { answer, record: () => unreadable.push(reason) }
    },
  })
  const { port } = await listenForTest(context, http.server)
  context.after(() => limiter.destroy())
  return { limiter, budget, port, unreadable }
}

function echo(responder: Responder, { request, unreadable }: ParsedRequest): void {
  const broken = () => responder.destroy()
  responder.owner = { onDownstreamDrain: () => {}, onDownstreamBroken: broken, onDownstreamClosed: () => {} }
  let body = ''
  const answer = (rawTrailers: readonly string[]): void => {
    const { method, target, rawHeaders } = request
    const said = JSON.stringify({ method, target, rawHeaders, body, rawTrailers, unreadable })
    const headers = ['Date', LONG_AGO, 'Content-Length', String(said.length)]
    responder.writeHead(200, 'OK', headers, unreadable !== null)
    responder.end(Buffer.from(said), [])
  }
  if (request.bodyBytes === 0 || unreadable) answer([])
  else
    responder.readBody({
      onData: (chunk) => {
        body += chunk.toString('latin1')
      },
      onEnd: answer,
    })
}

/**
 * Sends pieces, each in a read of its own as far as that can be forced; returns all that was answered until the gate
 * closed. `sendsEnd` says at last that no more will come, for what may leave the gate waiting for it.
 */
async function exchange(port: number, pieces: readonly string[], sendsEnd = false): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  for (const piece of pieces) {
    socket.write(piece, 'latin1')
    await nextTurn()
  }
  if (sendsEnd) {
    await sleep(20)
    socket.end()
  }
  await closed
  return text
}

const CONVERSATION = [
  'GET /first?a=%2f HTTP/1.1\r\nHost: a.example\r\nX-Case: Kept \r\n\r\n',
  'POST /fixed HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\n\r\nhello',
  '\r\nPOST /chunks HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n',
  '5;a=b;c="d\\"e"\r\nhello\r\n0A\r\n0123456789\r\n0\r\nX-End: 1\r\n\r\n',
  'HEAD / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n',
].join('')

test('a conversation cut at any byte is the same conversation', async (context) => {
  const { port, unreadable } = await startEcho(context)
  const whole = await exchange(port, [CONVERSATION])
  assert.equal(whole.match(/HTTP\/1\.1 200 OK/g)?.length, 4)
  assert.match(whole, /"target":"\/chunks".*"body":"hello0123456789","rawTrailers":\["X-End","1"\]/)
  const cuts = Array.from({ length: CONVERSATION.length - 1 }, (_, index) => index + 1)
  for (let from = 0; from < cuts.length; from += 32)
    await Promise.all(
      cuts.slice(from, from + 32).map(async (cut) => {
        const pieces = [CONVERSATION.slice(0, cut), CONVERSATION.slice(cut)]
        assert.equal(await exchange(port, pieces), whole, `cut at ${cut}`)
      }),
    )
  assert.equal(await exchange(port, [...CONVERSATION]), whole, 'byte by byte')
  assert.deepEqual(unreadable, [])
})

test('an empty line after a request is no beginning of another, also where it arrives in parts', async (context) => {
  const { port, unreadable } = await startEcho(context)
  const request = 'GET / HTTP/1.1\r\nHost: a.example\r\n\r\n'
  const alone = await exchange(port, [request], true)
  assert.match(alone, /^HTTP\/1\.1 200 OK/)
  for (const pieces of [[`${request}\r\n`], [request, '\r\n'], [request, '\r', '\n'], [`${request}\r`, '\n']])
    assert.equal(await exchange(port, pieces, true), alone, JSON.stringify(pieces))
  assert.equal(await exchange(port, ['\r', '\n'], true), '')
  assert.deepEqual(unreadable, [])
})

test('however it is cut, a damaged conversation is refused at the same place', async (context) => {
  const { port } = await startEcho(context)
  const fragment = fc.constantFrom('\r', '\n', '\0', ' ', ':', '\x7f', '\r\n', 'x', ';')
  await fc.assert(
    fc.asyncProperty(
      fc.nat(CONVERSATION.length - 1),
      fragment,
      fc.array(fc.nat(CONVERSATION.length), { minLength: 1, maxLength: 4 }),
      async (where, added, cuts) => {
        const damaged = CONVERSATION.slice(0, where) + added + CONVERSATION.slice(where + 1)
        const bounds = [0, ...cuts.map((cut) => cut % damaged.length).sort((a, b) => a - b), damaged.length]
        const pieces = bounds.slice(1).map((bound, index) => damaged.slice(bounds[index], bound))
        const [whole, cut] = await Promise.all([
          exchange(port, [damaged], true),
          exchange(port, pieces, true),
        ])
        assert.equal(cut, whole)
      },
    ),
    { numRuns: 150 },
  )
})

test('what came before the end of the input is worked on, though an answer is still being sent', async (context) => {
  const long = Buffer.alloc(8 * 1024 * 1024, 'x')
  const { port, unreadable } = await startEcho(context, {}, (responder) => {
    responder.owner = {
      onDownstreamDrain: () => {},
      onDownstreamBroken: () => {},
      onDownstreamClosed: () => {},
    }
    responder.writeHead(200, 'OK', ['Content-Length', String(long.length)], false)
    responder.end(long, [])
  })
  const socket = connect({ port, host: '127.0.0.1' })
  socket.end('GET / HTTP/1.1\r\nHost: a.example\r\n\r\nno request at all\r\n\r\n')
  socket.pause()
  await sleep(50)
  let bytes = 0
  let end = ''
  for await (const chunk of socket) {
    bytes += chunk.length
    end = (end + chunk.toString('latin1')).slice(-200)
  }
  assert.ok(bytes > long.length, `${bytes} bytes`)
  assert.match(end, /xHTTP\/1\.1 400 x/)
  assert.deepEqual(unreadable, ['malformed_request'])
})

test('any token is a method', async (context) => {
  const { port } = await startEcho(context)
  const answer = await exchange(port, ['FOO+1 / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n'])
  assert.match(answer, /"method":"FOO\+1"/)
})

test('HTTP/1.0 keeps the connection only where it is asked to', async (context) => {
  const { port } = await startEcho(context)
  const once = await exchange(port, ['GET / HTTP/1.0\r\nHost: a.example\r\n\r\n'])
  assert.match(once, /Connection: close/)
  const kept = 'GET / HTTP/1.0\r\nHost: a.example\r\nConnection: keep-alive\r\n\r\n'
  const twice = await exchange(port, [kept, 'GET / HTTP/1.0\r\nHost: a.example\r\n\r\n'])
  assert.equal(twice.match(/HTTP\/1\.1 200 OK/g)?.length, 2)
})

test('silence, a slow head and an idle connection end in time; what cannot become a head ends at once', async (context) => {
  const { limiter, port, unreadable } = await startEcho(context, {
    headTimeoutMs: 200,
    keepAliveTimeoutMs: 300,
  })
  const sweeping = setInterval(() => limiter.sweep(performance.now()), 20)
  context.after(() => clearInterval(sweeping))
  const [silent, slow, idle, garbage] = await Promise.all([
    exchange(port, []),
    exchange(port, ['GET / HTTP/1.1\r\nHo']),
    exchange(port, ['GET / HTTP/1.1\r\nHost: a.example\r\n\r\n']),
    exchange(port, ['\x16\x03\x01\x02\0\x01']),
  ])
  assert.match(silent, /^HTTP\/1\.1 408 /)
  assert.match(slow, /^HTTP\/1\.1 408 /)
  assert.match(idle, /^HTTP\/1\.1 200 OK[\s\S]*\}$/)
  assert.match(garbage, /^HTTP\/1\.1 400 /)
  assert.deepEqual(unreadable.sort(), ['malformed_request', 'request_timeout', 'request_timeout'])
})

test('chunk extensions are bounded for the whole body', async (context) => {
  const { port } = await startEcho(context)
  const chunk = `1;a=${'b'.repeat(1_000)}\r\nx\r\n`
  const head = 'POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n'
  const few = await exchange(port, [`${head}${chunk.repeat(10)}0\r\n\r\n`, 'GET / HTTP/1.0\r\n\r\n'])
  assert.match(few, /"body":"xxxxxxxxxx"/)
  assert.doesNotMatch(await exchange(port, [`${head}${chunk.repeat(20)}0\r\n\r\n`]), /"body"/)
})

test('a client that sends no more while its early answer is on its way gets all of it', async (context) => {
  const body = Buffer.alloc(32 * 1024 * 1024)
  const written = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<boolean>()
  let broken = 0
  const { port } = await startEcho(context, {}, (responder) => {
    const onDownstreamClosed = () => answered.resolve(responder.answered)
    responder.owner = { onDownstreamDrain: () => {}, onDownstreamBroken: () => broken++, onDownstreamClosed }
    const onData = () => {
      responder.stopBody()
      responder.writeHead(413, 'Content Too Large', ['Content-Length', String(body.length)], false)
      responder.end(body, [])
      written.resolve()
    }
    responder.readBody({ onData, onEnd: () => {} })
  })
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.pause()
  socket.write('POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 10\r\n\r\nhalf')
  await written.promise
  socket.end()
  await sleep(50)
  let received = 0
  socket.on('data', (chunk) => {
    received += chunk.length
  })
  socket.resume()
  await new Promise((resolve) => socket.on('close', resolve))
  assert.ok(received > body.length, String(received))
  assert.deepEqual([broken, await answered.promise], [0, true])
})

test('an answer on its way is no answered one where its client goes', async (context) => {
  const written = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<boolean>()
  const { port } = await startEcho(context, {}, (responder) => {
    const onDownstreamClosed = () => answered.resolve(responder.answered)
    responder.owner = { onDownstreamDrain: () => {}, onDownstreamBroken: () => {}, onDownstreamClosed }
    const body = Buffer.alloc(32 * 1024 * 1024)
    responder.writeHead(200, 'OK', ['Content-Length', String(body.length)], false)
    responder.end(body, [])
    written.resolve()
  })
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: a.example\r\n\r\n')
  await written.promise
  socket.resetAndDestroy()
  assert.equal(await answered.promise, false)
})

test('a WebSocket that its origin has ended is closed in time, though its client reads nothing of it', async (context) => {
  const { limiter, port } = await startEcho(context, {}, (responder) => {
    const ignore = () => {}
    const sink = {
      ...{ onDownstreamData: ignore, onDownstreamDrain: ignore, onDownstreamEnd: ignore },
      onDownstreamClosed: () => closed.resolve(),
    }
    const tunnel = responder.upgrade('Switching Protocols', [], sink)
    tunnel?.startTunnel()
    tunnel?.write(Buffer.alloc(32 * 1024 * 1024))
    tunnel?.destroySoon()
    ended.resolve()
  })
  const ended = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const socket = connect(port, '127.0.0.1')
  context.after(() => socket.destroy())
  socket.pause()
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  await ended.promise
  limiter.sweep(performance.now() + DEFAULT_GATEWAY_LIMITS.answerIdleTimeoutMs / 2)
  assert.equal(await Promise.race([closed.promise, sleep(100, 'open')]), 'open')
  limiter.sweep(performance.now() + DEFAULT_GATEWAY_LIMITS.answerIdleTimeoutMs + 1)
  assert.equal(await Promise.race([closed.promise, sleep(1_000, 'open')]), undefined)
})

test('a request that waits for its turn is no idle connection, and not late', async (context) => {
  const { limiter, budget, port, unreadable } = await startEcho(context)
  const account = budget.acquireForAddress('127.0.0.1')
  const holding = setInterval(() => budget.spend(account, 5, performance.now()), 1)
  context.after(() => clearInterval(holding))
  budget.spend(account, 5, performance.now())
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (read) => {
    answer += read
  })
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await sleep(50)
  assert.equal(answer, '')
  limiter.sweep(performance.now() + DEFAULT_GATEWAY_LIMITS.headTimeoutMs + 1)
  limiter.drain()
  clearInterval(holding)
  await closed
  assert.match(answer, /^HTTP\/1\.1 200 /)
  assert.deepEqual(unreadable, [])
})

test('an answer without a date goes out with one, and its own stays', async (context) => {
  const { port } = await startEcho(context, {}, (responder, { request }) => {
    responder.owner = {
      onDownstreamDrain: () => {},
      onDownstreamBroken: () => responder.destroy(),
      onDownstreamClosed: () => {},
    }
    const date = request.target === '/dated' ? ['daTe', LONG_AGO] : []
    responder.writeHead(200, 'OK', ['Content-Length', '0', ...date], false)
    responder.end(null, [])
  })
  const dateOf = async (target: string) => {
    const answer = await exchange(port, [`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`])
    return answer.match(/^date: (.*)\r$/im)?.[1] ?? ''
  }
  assert.equal(await dateOf('/dated'), LONG_AGO)
  const before = Math.floor(Date.now() / 1000) * 1000
  const given = await dateOf('/')
  assert.match(given, /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/)
  assert.ok(Date.parse(given) >= before && Date.parse(given) <= Date.now())
})
