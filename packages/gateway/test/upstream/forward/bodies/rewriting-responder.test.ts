/** Bodies in which names are rewritten: which, how they arrive, and what a hostile origin can make of it. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { DEFAULT_GATEWAY_LIMITS } from '../../../../src/settings.ts'
import { startHttp2DataPlane } from '../../../support/http2/http2-client.ts'
import { startRawOrigin } from '../../../support/raw-origin.ts'
import { HOST, KEY, request, sendRaw, startTestDataPlane } from '../../../support/test-data-plane.ts'

const HTML = 'Content-Type: text/html; charset=utf-8'

interface Answer {
  readonly status?: string
  readonly headers?: readonly string[]
  /** Of the text of the page. */
  readonly encode?: (text: Buffer) => Buffer
  /** Bytes that are sent at a time. */
  readonly pieces?: number
  readonly text?: string
  /** Bytes of the body that are not sent. */
  readonly missing?: number
}

const pageOf = (authority: string): string => `<a href="http://${authority}/a">é ${authority}</a>`.repeat(20)

/** An origin that answers so, naming itself. */
async function startOrigin(context: TestContext, answer: Answer) {
  const raw = await startRawOrigin(context, (socket, head) => {
    const { encode = (text) => text } = answer
    const body = encode(Buffer.from(answer.text ?? pageOf(`127.0.0.1:${raw.port}`)))
    sendAnswer(socket, answer, head.startsWith('HEAD') ? null : body, body.length).catch(() =>
      socket.destroy(),
    )
  })
  return raw
}

async function sendAnswer(
  socket: Socket,
  answer: Answer,
  body: Buffer | null,
  length: number,
): Promise<void> {
  const { status = '200 OK', headers = [HTML], missing = 0, pieces } = answer
  socket.write([`HTTP/1.1 ${status}`, `Content-Length: ${length}`, ...headers, '', ''].join('\r\n'))
  if (body === null) return
  for (let at = 0; at < length - missing; at += pieces ?? length) {
    socket.write(body.subarray(at, Math.min(at + (pieces ?? length), length - missing)))
    if (pieces !== undefined) await sleep(1)
  }
  if (missing > 0) socket.end()
}

async function answerTo(
  context: TestContext,
  answer: Answer,
  { line = 'GET /', site = { rewritesBodies: true }, headers = [] as readonly string[] } = {},
) {
  const raw = await startOrigin(context, answer)
  const gate = await startTestDataPlane(context, raw.port, { site })
  const { text, closed } = await sendRaw(gate.port, request(line, 'Connection: close', ...headers), 2_000)
  const at = text.indexOf('\r\n\r\n')
  const head = text.slice(0, at).split('\r\n')
  const isChunked = head.includes('Transfer-Encoding: chunked')
  const body = Buffer.from(isChunked ? unchunked(text.slice(at + 4)) : text.slice(at + 4), 'latin1')
  const [event] = await gate.recorder.waitFor(1)
  return {
    raw,
    head,
    body,
    event,
    closed,
    isWhole: text !== '' && (!isChunked || text.endsWith('0\r\n\r\n')),
  }
}

function unchunked(text: string): string {
  let body = ''
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n', at)
    const length = Number.parseInt(text.slice(at, end), 16)
    if (end < 0 || !(length > 0)) break
    body += text.slice(end + 2, end + 2 + length)
    at = end + 2 + length + 2
  }
  return body
}

const has = (head: readonly string[], name: string): boolean =>
  head.some((line) => line.toLowerCase().startsWith(`${name}:`))

test('names in text become gated ones, and what headers say of the body as it was goes', async (context) => {
  const { head, body, event } = await answerTo(context, {
    headers: [
      HTML,
      'ETag: "1"',
      'Accept-Ranges: bytes',
      'Content-MD5: eA==',
      'Digest: sha-256=eA==',
      'Repr-Digest: sha-256=:eA==:',
      'Vary: Accept',
    ],
  })
  assert.equal(body.toString(), pageOf(HOST))
  for (const name of ['content-length', 'accept-ranges', 'content-md5', 'digest', 'repr-digest'])
    assert.ok(!has(head, name), name)
  assert.ok(head.includes('ETag: W/"1"') && head.includes('Vary: Accept') && head.includes(HTML), `${head}`)
  assert.equal(event?.rewrittenNames, 40)
})

test('whatever a body is compressed by, however it is cut', async (context) => {
  const codings = [
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['identity', (text: Buffer) => text],
  ] as const
  for (const [coding, encode] of codings)
    for (const pieces of [undefined, 7]) {
      const headers = [HTML, `Content-Encoding: ${coding}`]
      const { head, body, event } = await answerTo(context, { headers, encode, ...(pieces && { pieces }) })
      assert.equal(body.toString(), pageOf(HOST), coding)
      assert.ok(!has(head, 'content-encoding'))
      assert.equal(event?.rewrittenNames, 40)
    }
  const empty = { headers: [HTML, 'Content-Encoding: gzip'], text: '', encode: () => Buffer.alloc(0) }
  assert.equal((await answerTo(context, empty)).body.length, 0)
})

test('what is padded ends with the answer, however long after its text', async (context) => {
  for (const [coding, encode] of [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ] as const) {
    const padded = (text: Buffer) => Buffer.concat([encode(text), Buffer.alloc(100)])
    const headers = [HTML, `Content-Encoding: ${coding}`]
    const { body, isWhole, event } = await answerTo(context, { headers, encode: padded, pieces: 40 })
    assert.equal(body.toString(), pageOf(HOST), coding)
    assert.ok(isWhole, coding)
    assert.equal(event?.reason, '')
  }
})

test('of each kind of text, and of nothing else', async (context) => {
  for (const type of [
    'text/css',
    'text/javascript',
    'application/json',
    'application/problem+json; charset=utf-8',
    'APPLICATION/XHTML+XML',
  ])
    assert.equal(
      (await answerTo(context, { headers: [`Content-Type: ${type}`] })).body.toString(),
      pageOf(HOST),
      type,
    )
  const left: readonly Answer[] = [
    { headers: ['Content-Type: text/plain'] },
    { headers: ['Content-Type: application/octet-stream'] },
    { headers: ['Content-Type: text/html; charset=UTF-16'] },
    { headers: [] },
    { headers: [HTML, HTML] },
    { headers: [HTML, 'Content-Encoding: zstd'], encode: zstdCompressSync },
    { headers: [HTML, 'Content-Encoding: gzip, br'] },
    { headers: [HTML, 'Content-Encoding: constructor'] },
    { status: '206 Partial Content', headers: [HTML, 'Content-Range: bytes 0-9/9', 'ETag: "1"'] },
  ]
  for (const answer of left) {
    const { raw, head, body, event } = await answerTo(context, answer)
    const sent = (answer.encode ?? ((text) => text))(Buffer.from(pageOf(`127.0.0.1:${raw.port}`)))
    assert.deepEqual(body, sent, `${answer.headers}`)
    assert.ok(has(head, 'content-length'))
    assert.ok(!head.includes('ETag: W/"1"'))
    assert.equal(event?.rewrittenNames, 0)
  }
})

test('only where the site wants it, and the origin is asked for what can be read', async (context) => {
  const headers = ['Accept-Encoding: zstd, gzip;q=0.5, br, *']
  const off = await answerTo(context, {}, { site: { rewritesBodies: false }, headers })
  assert.match(off.body.toString(), /127\.0\.0\.1/)
  assert.match(off.raw.received[0] ?? '', /^Accept-Encoding: zstd, gzip;q=0\.5, br, \*\r$/m)
  const on = await answerTo(context, {}, { headers })
  assert.match(on.raw.received[0] ?? '', /^Accept-Encoding: gzip;q=0\.5, br\r$/m)
  const none = await answerTo(context, {}, { headers: ['Accept-Encoding: zstd'] })
  assert.match(none.raw.received[0] ?? '', /^Accept-Encoding: identity\r$/m)
})

test('an answer without a body says of it what one with it says', async (context) => {
  const head = await answerTo(context, { headers: [HTML, 'ETag: "1"'] }, { line: 'HEAD /' })
  assert.ok(head.head.includes('ETag: W/"1"') && !has(head.head, 'content-length'), `${head.head}`)
  const answer = { status: '304 Not Modified', headers: ['ETag: "1"'], text: '' }
  const weak = await answerTo(context, answer, { headers: ['If-None-Match: "0", W/"1"'] })
  assert.ok(weak.head.includes('ETag: W/"1"'), `${weak.head}`)
  const strong = await answerTo(context, answer, { headers: ['If-None-Match: "1"'] })
  assert.ok(strong.head.includes('ETag: "1"'), `${strong.head}`)
})

test('what is no such compression, ends too soon or comes to too much is broken off, and recorded', async (context) => {
  const headers = [HTML, 'Content-Encoding: gzip']
  const broken: readonly Answer[] = [
    { headers, encode: (text) => text },
    { headers, encode: (text) => gzipSync(text).subarray(0, -20) },
    { headers, encode: () => gzipSync(Buffer.alloc(64 * 1024 * 1024, ' ')) },
    {
      headers: [HTML, 'Content-Encoding: br'],
      encode: () => brotliCompressSync(Buffer.alloc(16 * 1024 * 1024, ' ')),
    },
  ]
  for (const answer of broken) {
    const { closed, isWhole, body, event } = await answerTo(context, answer)
    assert.ok(closed && !isWhole)
    assert.ok(body.length < 16 * 1024 * 1024, `${body.length}`)
    assert.deepEqual([event?.outcome, event?.reason], ['origin', 'origin_malformed'])
  }
  const cut = await answerTo(context, { headers, encode: gzipSync, missing: 20 })
  assert.ok(!cut.isWhole)
  assert.equal(cut.event?.reason, 'origin_aborted')
})

test('a client that reads late keeps no more than a few pieces waiting, and gets everything', async (context) => {
  const text =
    'x'.repeat(200) + Array.from({ length: 400_000 }, (_, index) => `line ${index * 7919}\n`).join('')
  const raw = await startOrigin(context, {
    headers: [HTML, 'Content-Encoding: gzip'],
    encode: gzipSync,
    text,
  })
  const gate = await startTestDataPlane(context, raw.port, { site: { rewritesBodies: true } })
  const socket = connect(gate.port, '127.0.0.1')
  context.after(() => socket.destroy())
  socket.pause()
  socket.write(request('GET /', 'Connection: close'))
  await sleep(300)
  let bytes = 0
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
  socket.resume()
  await new Promise((resolve) => socket.once('end', resolve))
  assert.ok(bytes > text.length, `${bytes} of ${text.length}`)
  assert.equal((await gate.recorder.waitFor(1))[0]?.reason, '')
})

test('a client that takes slowly what little compressed text comes to is not idle', async (context) => {
  // Some ninety times what it is compressed to: one read from the origin may be minutes for a client.
  const text = Array.from(
    { length: 1_000_000 },
    (_, index) => `{"id": ${index % 1000}, "name": "a name"}\n`,
  ).join('')
  const headers = [HTML, 'Content-Encoding: gzip']
  const raw = await startOrigin(context, { headers, encode: gzipSync, text })
  const limits = { ...DEFAULT_GATEWAY_LIMITS, answerIdleTimeoutMs: 1_500 }
  const gate = await startTestDataPlane(context, raw.port, {
    site: { rewritesBodies: true },
    settings: { limits },
  })
  const socket = connect(gate.port, '127.0.0.1')
  context.after(() => socket.destroy())
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => {})
  socket.pause()
  socket.write(request('GET /', 'Connection: close'))
  let bytes = 0
  // Some 3 MB in a second: a third of the kernel's buffer, at which it takes more, is there several times before the timeout.
  for (let read = 0; read < 250; read++) {
    await sleep(20)
    bytes += socket.read()?.length ?? 0
  }
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
  socket.resume()
  await closed
  assert.equal((await gate.recorder.waitFor(1))[0]?.reason, '')
  assert.ok(bytes > text.length, `${bytes} of ${text.length}`)
})

test('a client that leaves ends it', async (context) => {
  const text = Array.from({ length: 10_000 }, (_, index) => `line ${index * 7919}\n`).join('')
  const headers = [HTML, 'Content-Encoding: gzip']
  const raw = await startOrigin(context, { headers, encode: gzipSync, text, pieces: 20 })
  const gate = await startTestDataPlane(context, raw.port, { site: { rewritesBodies: true } })
  const socket = connect(gate.port, '127.0.0.1')
  socket.write(request('GET /'))
  await new Promise((resolve) => socket.once('data', resolve))
  socket.destroy()
  assert.equal((await gate.recorder.waitFor(1))[0]?.reason, 'client_aborted')
})

test('no more than 32 bodies are inflated from br at the same time, and places are given back', async (context) => {
  const headers = [HTML, 'Content-Encoding: br']
  const answers = { headers, encode: (text: Buffer) => brotliCompressSync(text) }
  const raw = await startRawOrigin(context, (socket, head) => {
    const body = answers.encode(Buffer.from(pageOf(`127.0.0.1:${raw.port}`)))
    const isHeld = head.includes(' /held ')
    socket.write([`HTTP/1.1 200 OK`, `Content-Length: ${body.length}`, ...headers, '', ''].join('\r\n'))
    socket.write(isHeld ? body.subarray(0, -1) : body)
  })
  const gate = await startTestDataPlane(context, raw.port, { site: { rewritesBodies: true } })
  const isRewritten = async (): Promise<boolean> =>
    !/^content-encoding: br/im.test((await gate.send('GET /', 'Connection: close')).text)
  const held = Array.from({ length: 32 }, () => {
    const socket = connect(gate.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(request('GET /held'))
    return socket
  })
  for (const socket of held) await new Promise((resolve) => socket.once('data', resolve))
  assert.equal(await isRewritten(), false)
  for (const socket of held) socket.destroy()
  await gate.recorder.waitFor(33)
  assert.equal(await isRewritten(), true)
})

test('over HTTP/2, too', async (context) => {
  const raw = await startOrigin(context, { headers: [HTML, 'Content-Encoding: gzip'], encode: gzipSync })
  const gate = await startHttp2DataPlane(context, raw.port, { site: { rewritesBodies: true } })
  const { headers, text } = await gate.send({ ':path': '/', 'sallyport-key': KEY })
  assert.equal(headers['content-encoding'], undefined)
  assert.ok(!text.includes('127.0.0.1'), 'no name of the origin is left')
  assert.ok(text.includes(`https://${HOST}`))
})
