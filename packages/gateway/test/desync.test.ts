/**
 * Raw-socket attempts at request smuggling and desynchronization, towards an origin that records raw bytes. Whatever a
 * vector does: the origin never sees a request that is not in the record, nor one that a block rule should have stopped,
 * nor the credential; and the bytes it sees are exactly one well-framed request for each one that was forwarded.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { OK, startRawOrigin } from './support/raw-origin.ts'
import { HOST, hashOf, KEY, openTestDoor, researcher, sendRaw, type TestDoor } from './support/test-door.ts'
import { ASKED, SWITCHED } from './support/websocket.ts'

/** What no vector may bring to the origin: a request for the blocked path. */
const SMUGGLED = `GET /admin/secret HTTP/1.1\r\nHost: ${HOST}\r\nSallyport-Key: ${KEY}\r\nX-Smuggled: 1\r\n\r\n`

interface Vector {
  readonly name: string
  readonly bytes: string
}

const BASE = [`Host: ${HOST}`, `Sallyport-Key: ${KEY}`]
const post = (headers: readonly string[], body: string, line = 'POST / HTTP/1.1'): string =>
  [line, ...BASE, ...headers, '', body].join('\r\n')

const TRANSFER_ENCODINGS = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding:chunked',
  'Transfer-Encoding: Chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunkedx',
  'Transfer-Encoding: "chunked"',
  "Transfer-Encoding: 'chunked'",
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: chunked;foo=bar',
  'Transfer-Encoding: ,chunked',
  'Transfer-Encoding: chunked,',
  'Transfer-Encoding: cow',
  'Transfer-Encoding: identity',
  'Transfer-Encoding:',
  'Transfer-Encoding: \x0bchunked',
  'Transfer-Encoding: \x0cchunked',
  'Transfer-Encoding: chunked\x00',
  'Transfer-Encoding: \xa0chunked',
  'Transfer-Encoding: chunked\x0b',
  ' Transfer-Encoding: chunked',
  '\tTransfer-Encoding: chunked',
  'X: y\r\n Transfer-Encoding: chunked',
  'Transfer-Encoding:\r\n chunked',
  'X: y\nTransfer-Encoding: chunked',
  'X: y\rTransfer-Encoding: chunked',
  'Transfer_Encoding: chunked',
  'Transfer-Encoding\x00: chunked',
  'Transfer-Encoding\t: chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
  'TRANSFER-ENCODING: chunked',
  'tRANSFER-ENCODING: chunked',
  'Transfer-\u00e9ncoding: chunked',
  'Foo: bar\r\n\rTransfer-Encoding: chunked',
  ': chunked\r\nTransfer-Encoding: chunked',
  'Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked',
  'Connection: keep-alive, Content-Length\r\nTransfer-Encoding: chunked',
]

const LENGTHS = [
  'Content-Length: 0',
  'Content-Length: 5',
  'Content-Length: +5',
  'Content-Length: -1',
  'Content-Length: 5 ',
  'Content-Length: 0x5',
  'Content-Length: 5e0',
  'Content-Length: 5.0',
  'Content-Length: 05',
  'Content-Length: 0_5',
  'Content-Length: 5, 5',
  'Content-Length: 5,0',
  'Content-Length: ٥',
  'Content-Length: 5\x00',
  'Content-Length: "5"',
  'Content-Length:',
  'Content-Length: 99999999999999999999',
  'Content-Length: 18446744073709551621',
  'Content-Length : 5',
  'Content-Length\t: 5',
  ' Content-Length: 5',
  'Content_Length: 5',
  'Content-Length: 5\r\nContent-Length: 0',
  'Content-Length: 0\r\nContent-Length: 5',
  'Content-Length: 5\r\nContent-Length: 5',
  'content-length: 5\r\nCONTENT-LENGTH: 6',
  'Content-Length:\r\n 5',
  'Content-Length: 5\r\n 0',
  'X: y\nContent-Length: 5',
  'X: y\rContent-Length: 5',
  'Connection: Content-Length\r\nContent-Length: 5',
]

const CHUNKED_BODIES = [
  '0\r\n\r\n',
  '5\r\nhello\r\n0\r\n\r\n',
  '5;ext=1\r\nhello\r\n0\r\n\r\n',
  '5;ext="a\r\nb"\r\nhello\r\n0\r\n\r\n',
  '5;\nhello\r\n0\r\n\r\n',
  '5\nhello\n0\n\n',
  '5\r\nhello\n0\r\n\r\n',
  '5\r\nhelloX\r\n0\r\n\r\n',
  '0x5\r\nhello\r\n0\r\n\r\n',
  '+5\r\nhello\r\n0\r\n\r\n',
  '-5\r\nhello\r\n0\r\n\r\n',
  ' 5\r\nhello\r\n0\r\n\r\n',
  '5 \r\nhello\r\n0\r\n\r\n',
  '5\r\r\nhello\r\n0\r\n\r\n',
  '05\r\nhello\r\n00\r\n\r\n',
  '5\x00\r\nhello\r\n0\r\n\r\n',
  'g\r\nhello\r\n0\r\n\r\n',
  '\r\nhello\r\n0\r\n\r\n',
  'ffffffffffffffff5\r\nhello\r\n0\r\n\r\n',
  '100000000000000005\r\nhello\r\n0\r\n\r\n',
  '5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n',
  '5\r\nhello\r\n0\r\nContent-Length: 50\r\n\r\n',
  '5\r\nhello\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n',
  '5\r\nhello\r\n0\r\nHost: evil\r\n\r\n',
  '5\r\nhello\r\n0\r\n: x\r\n\r\n',
  '5\r\nhello\r\n0\r\nX y: z\r\n\r\n',
  '5\r\nhello\r\n0\r\nX: y\nZ: w\r\n\r\n',
  '5\r\nhello\r\n0\r\n folded\r\n\r\n',
  '5\r\nhello\r\n0\n\r\n',
  '5\r\nhello\r\n0\r\n\n',
  '2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n',
  `5;${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`,
]

const LINES = [
  'GET  / HTTP/1.1',
  'GET /\tx HTTP/1.1',
  'GET / x HTTP/1.1',
  'GET / HTTP/1.1 ',
  'GET / HTTP/1.2',
  'GET / HTTP/2.0',
  'GET / HTTP/0.9',
  'GET / HTTP/01.1',
  'GET / HTTP/1.01',
  'GET / http/1.1',
  'GET / HTTP/1.1\x00',
  'GET / HTTPS/1.1',
  'GET /',
  ' GET / HTTP/1.1',
  'GET\t/ HTTP/1.1',
  'GET\x0b/ HTTP/1.1',
  'G\x00ET / HTTP/1.1',
  'GET /\x00 HTTP/1.1',
  'GET /\x01 HTTP/1.1',
  'GET /\x7f HTTP/1.1',
  'GET /#fragment HTTP/1.1',
  'GET /a#/../admin/secret HTTP/1.1',
  'GET admin/secret HTTP/1.1',
  'GET ?x HTTP/1.1',
  'GET * HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'CONNECT internal:80 HTTP/1.1',
  'CONNECT / HTTP/1.1',
  'PRI * HTTP/2.0',
  'GET http://evil.example/ HTTP/1.1',
  'GET http://evil.example/admin/secret HTTP/1.1',
  `GET http://${HOST}@evil.example/ HTTP/1.1`,
  `GET http://${HOST}:80@evil.example/ HTTP/1.1`,
  `GET http://${HOST}/admin/secret HTTP/1.1`,
  `GET HTTP://${HOST.toUpperCase()}/admin/secret HTTP/1.1`,
  `GET https://${HOST}/%61dmin/secret HTTP/1.1`,
  `GET http://${HOST} HTTP/1.1`,
  `GET //${HOST}/admin/secret HTTP/1.1`,
  'GET /admin/secret HTTP/1.1',
  'GET /%61dmin/secret HTTP/1.1',
  'GET /%2561dmin/secret HTTP/1.1',
  'GET /x/../admin/secret HTTP/1.1',
  'GET /x/%2e%2e/admin/secret HTTP/1.1',
  'GET //admin/secret HTTP/1.1',
  'GET /\\admin\\secret HTTP/1.1',
  'GET /admin;x/secret HTTP/1.1',
  'GET /admin%2fsecret HTTP/1.1',
  'GET /ADMIN/secret HTTP/1.1',
  'GET /.;/admin/secret HTTP/1.1',
  'GET /./admin/secret HTTP/1.1',
  'GET /%c0%afadmin/secret HTTP/1.1',
  'GET /admin%00/secret HTTP/1.1',
  'POST /admin/secret HTTP/1.1',
  'get /admin/secret HTTP/1.1',
  'FOO / HTTP/1.1',
  'GET /a%0d%0aX-Injected:%201 HTTP/1.1',
]

const HEADER_LINES = [
  'X-A: b\rX-B: c',
  'X-A: b\nX-B: c',
  'X-A: b\n\nGET /admin/secret HTTP/1.1',
  'X-A: b\r\r\nX-B: c',
  'X-A: b\x00c',
  'X-A: b\x01c',
  'X-A: b\x7fc',
  'X A: b',
  'X-A : b',
  'X-A',
  ': b',
  '(X): b',
  'X-A\x00: b',
  'X-A: b\r\n  folded',
  'X-A: b\r\n\tfolded',
  ' X-A: b',
  `Host: ${HOST}`,
  'Host: evil.example',
  'host: evil.example',
  'Host:',
  'Host : evil.example',
  'Connection: Host',
  'Connection: Sallyport-Key, X-Forwarded-For',
  'Connection: close, Content-Length',
  'Expect: 200-ok',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'Upgrade: WebSocket\r\nConnection: Upgrade\r\nContent-Length: 5',
  'Upgrade: websocket\r\nConnection: Upgrade\r\nTransfer-Encoding: chunked',
  'X-HTTP-Method-Override: PUT',
  'X-Original-URL: /admin/secret',
  'X-Rewrite-URL: /admin/secret',
  'Forwarded: for=1.1.1.1',
  'X-Forwarded-Host: evil.example',
  'x_forwarded_host: evil.example',
  'Sallyport-Assertion: forged',
  'SALLYPORT_ASSERTION: forged',
  'Sallyport-Key: rk_live_other',
  'sallyport_key: x',
  'Cookie: __Host-sallyport=x',
  `X-Long: ${'a'.repeat(70_000)}`,
  Array.from({ length: 250 }, (_, index) => `X-${index}: 1`).join('\r\n'),
]

const ENDINGS = ['\n', '\r', '\n\r', '\r\n\n', '\n\r\n', '\r\r\n', '\x00\r\n']

function* vectors(): Generator<Vector> {
  for (const [index, encoding] of TRANSFER_ENCODINGS.entries()) {
    yield { name: `te ${index}`, bytes: post([encoding], `0\r\n\r\n${SMUGGLED}`) }
    yield {
      name: `te ${index} then length`,
      bytes: post([encoding, 'Content-Length: 5'], `0\r\n\r\n${SMUGGLED}`),
    }
    yield {
      name: `length then te ${index}`,
      bytes: post([`Content-Length: ${SMUGGLED.length + 5}`, encoding], `0\r\n\r\n${SMUGGLED}`),
    }
    yield { name: `te ${index} in 1.0`, bytes: post([encoding], `0\r\n\r\n${SMUGGLED}`, 'POST / HTTP/1.0') }
  }
  for (const [index, length] of LENGTHS.entries()) {
    yield { name: `length ${index}`, bytes: post([length], `hello${SMUGGLED}`) }
    yield { name: `length ${index} on GET`, bytes: post([length], `hello${SMUGGLED}`, 'GET / HTTP/1.1') }
  }
  for (const [index, body] of CHUNKED_BODIES.entries())
    yield { name: `chunks ${index}`, bytes: post(['Transfer-Encoding: chunked'], body + SMUGGLED) }
  for (const [index, line] of LINES.entries())
    yield { name: `line ${index}`, bytes: post([], SMUGGLED, line) }
  for (const [index, header] of HEADER_LINES.entries()) {
    yield { name: `header ${index}`, bytes: post([header], SMUGGLED, 'GET / HTTP/1.1') }
    const reversed = ['GET / HTTP/1.1', header, ...BASE, '', SMUGGLED].join('\r\n')
    yield { name: `header ${index} first`, bytes: reversed }
  }
  for (const [index, ending] of ENDINGS.entries())
    yield {
      name: `ending ${index}`,
      bytes: ['GET / HTTP/1.1', ...BASE].join(ending) + ending + ending + SMUGGLED,
    }
}

/** Sends a vector and waits until the gate closes, or is quiet. */
function send(port: number, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let timer = setTimeout(() => socket.destroy(), 1_000)
    socket.on('data', () => {
      clearTimeout(timer)
      timer = setTimeout(() => socket.destroy(), 60)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
    socket.write(Buffer.from(bytes, 'latin1'))
    // Half-closed: a vector that leaves the gate waiting for more ends here.
    setTimeout(() => socket.end(), 40)
  })
}

/** The requests in what one origin connection received, by RFC 9112 to the letter; throws where it is anything else. */
function parseStrictly(received: string): { line: string; headers: string[] }[] {
  const requests: { line: string; headers: string[] }[] = []
  let at = 0
  while (at < received.length) {
    const end = received.indexOf('\r\n\r\n', at)
    assert.ok(end >= 0, `no end of head in ${JSON.stringify(received.slice(at))}`)
    const [line = '', ...headers] = received.slice(at, end).split('\r\n')
    assert.match(line, /^[A-Z]+ [!-~\x80-\xff]+ HTTP\/1\.1$/)
    for (const header of headers)
      assert.match(header, /^[!#$%&'*+.^_`|~0-9A-Za-z-]+: ?[\t\x20-\x7e\x80-\xff]*$/)
    const valuesOf = (name: string): string[] =>
      headers
        .filter((header) => header.toLowerCase().startsWith(`${name}:`))
        .map((header) => header.slice(name.length + 1).trim())
    const lengths = valuesOf('content-length')
    const encodings = valuesOf('transfer-encoding')
    assert.ok(lengths.length + encodings.length <= 1, 'one framing header at most')
    assert.equal(valuesOf('host').length, 1)
    at = end + 4
    if (encodings.length === 1) at = endOfChunks(received, at)
    else at += Number(lengths[0] ?? 0)
    requests.push({ line, headers })
  }
  return requests
}

function endOfChunks(received: string, from: number): number {
  let at = from
  for (;;) {
    const end = received.indexOf('\r\n', at)
    const size = received.slice(at, end)
    if (end < 0) return received.length // the client left in the middle; the connection was closed with it
    assert.match(size, /^[0-9a-f]+$/)
    at = end + 2 + Number.parseInt(size, 16)
    if (size === '0') return received.indexOf('\r\n\r\n', end) + 4
    if (at >= received.length) return received.length
    assert.equal(received.slice(at, at + 2), '\r\n')
    at += 2
  }
}

async function openBlockingDoor(
  context: Parameters<typeof openTestDoor>[0],
  originPort: number,
): Promise<TestDoor> {
  const rule = { id: 'no-admin', pathPrefix: '/admin', methods: [], status: 403, enabled: true }
  return await openTestDoor(context, originPort, { site: { blockRules: [rule] } })
}

test('no vector reaches the origin as anything but one recorded, well-framed request', async (context) => {
  const all = [...vectors()]
  assert.ok(all.length >= 300, `${all.length} vectors`)
  const origin = await startRawOrigin((socket) => socket.write(OK))
  context.after(origin.close)
  const door = await openBlockingDoor(context, origin.port)
  const GROUP = 16
  for (let from = 0; from < all.length; from += GROUP)
    await Promise.all(all.slice(from, from + GROUP).map(({ bytes }) => send(door.port, bytes)))
  await sleep(300)
  const recorded = new Map(door.recorder.events.map((event) => [event.id, event]))
  let seen = 0
  for (const received of origin.received)
    for (const { line, headers } of parseStrictly(received)) {
      seen++
      const id = headers.find((header) => header.startsWith('Sallyport-Request-Id: '))?.slice(22) ?? ''
      const event = recorded.get(id)
      assert.ok(event, `not in the record: ${line}\n${headers.join('\n')}`)
      assert.equal(line, `${event.method} ${event.target} HTTP/1.1`)
      assert.doesNotMatch(line, /admin/i)
      assert.ok(!headers.some((header) => header.includes(KEY) || header.startsWith('X-Smuggled')), line)
    }
  assert.ok(seen > 20, `only ${seen} were forwarded: the test would prove nothing`)
  const forwarded = door.recorder.events.filter((event) => event.outcome === 'origin')
  assert.ok(forwarded.length >= seen, 'each forwarded request has its record')
  assert.ok(door.recorder.events.some((event) => event.reason === 'block_rule'))
  const malformed = door.recorder.events.filter((event) => event.reason === 'malformed_request')
  assert.ok(malformed.length > 100, `${malformed.length} refused as malformed and recorded`)
  const measured = await (await fetch(`http://127.0.0.1:${door.door.admin.port}/metrics`)).text()
  const counted = /^sallyport_requests_total\{outcome="gate",reason="malformed_request"\} (\d+)$/m.exec(
    measured,
  )?.[1]
  assert.equal(Number(counted), malformed.length, 'each is counted, too')
})

test('after any vector the connection is closed or the next request on it is judged by itself', async (context) => {
  const origin = await startRawOrigin((socket) => socket.write(OK))
  context.after(origin.close)
  const door = await openBlockingDoor(context, origin.port)
  const all = [...vectors()]
  for (let from = 0; from < all.length; from += 16)
    await Promise.all(
      all.slice(from, from + 16).map(({ bytes }) => {
        const stranger = `GET /stranger HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`
        return send(door.port, bytes + stranger)
      }),
    )
  assert.ok(!origin.received.some((received) => /^GET \/stranger/m.test(received)))
})

test('an origin that only says 101 gets no bytes of the researcher as requests', async (context) => {
  const answers: Record<string, string> = {
    '/bare': 'HTTP/1.1 101 Whatever\r\n\r\n',
    '/upgrade': 'HTTP/1.1 101 Whatever\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    '/other': SWITCHED.replace('Accept: s', 'Accept: t'),
    '/twice': SWITCHED.replace(/Sec.*\r\n/, '$&$&'),
  }
  const origin = await startRawOrigin((socket, head) => socket.write(answers[head.split(' ')[1] ?? ''] ?? OK))
  context.after(origin.close)
  const { port, recorder } = await openBlockingDoor(context, origin.port)
  for (const path of Object.keys(answers))
    await send(port, `GET ${path} HTTP/1.1\r\n${[...BASE, ...ASKED].join('\r\n')}\r\n\r\n${SMUGGLED}`)
  assert.ok(!origin.received.some((received) => received.includes('X-Smuggled')))
  const events = await recorder.waitFor(8)
  assert.deepEqual(
    events.map(({ target, status, reason }) => `${target} ${status} ${reason}`),
    Object.keys(answers).flatMap((path) => [`${path} 502 origin_malformed`, '/admin/secret 403 block_rule']),
  )
})

test('what an origin answers to a body that it took for a request reaches nobody else', async (context) => {
  const late: (() => void)[] = []
  const origin = await startRawOrigin((socket, head) => {
    if (head.startsWith('GET /in-body')) late.push(() => socket.write(OK.replace('ok', 'no')))
    else if (head.startsWith('GET /other')) for (const answer of late.splice(0)) answer()
    // After what is late, as on any connection.
    if (!head.startsWith('GET /in-body')) setImmediate(() => socket.write(OK))
  })
  context.after(origin.close)
  const { port, snapshots } = await openTestDoor(context, origin.port)
  const other = 'rk_live_other'
  snapshots.putResearcher(researcher({ id: 'researcher-2', keyHashes: [hashOf(other)] }))
  const body = `GET /in-body HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`
  const posted = await sendRaw(port, post([`Content-Length: ${body.length}`, 'Connection: close'], body))
  assert.match(posted.text, /ok$/)
  assert.equal(late.length, 1)
  const headers = `Host: ${HOST}\r\nSallyport-Key: ${other}\r\nConnection: close`
  const answered = await sendRaw(port, `GET /other HTTP/1.1\r\n${headers}\r\n\r\n`)
  assert.match(answered.text, /ok$/)
  assert.equal(origin.connections, 2)
})
