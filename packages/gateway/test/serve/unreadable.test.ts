/** What cannot be read, or is too much, is its sender's all the same, and its answer names its record. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { DEFAULT_GATEWAY_LIMITS } from '../../src/settings.ts'
import { startHttp2DataPlane } from '../support/http2/http2-client.ts'
import { sessionOfResearcher } from '../support/test-browser.ts'
import { GATE_HOST, HOST, KEY, sendRaw, site, startTestDataPlane } from '../support/test-data-plane.ts'

const head = (line: string, ...lines: string[]): string =>
  [line, `Host: ${HOST}`, ...lines, `Sallyport-Key: ${KEY}`, '', ''].join('\r\n')
const SESSION = sessionOfResearcher()
const LONG = 'x'.repeat(70_000)

/** Bytes that are refused before they are judged: what they are, how they are answered, and whose they are. */
const REFUSED: readonly (readonly [what: string, bytes: string, answer: string, researcherId: string])[] = [
  [
    'two lengths',
    head('POST / HTTP/1.1', 'Content-Length: 1', 'Content-Length: 1'),
    '400 malformed_request',
    'researcher-1',
  ],
  [
    'a disguised length',
    head('POST / HTTP/1.1', 'Content_Length: 1'),
    '400 malformed_request',
    'researcher-1',
  ],
  [
    'a coding nobody knows',
    head('POST / HTTP/1.1', 'Transfer-Encoding: x'),
    '501 malformed_request',
    'researcher-1',
  ],
  [
    'another name in the target',
    head('GET http://b.example/ HTTP/1.1'),
    '421 misdirected_request',
    'researcher-1',
  ],
  ['a long target', head(`GET /${'a'.repeat(40_000)} HTTP/1.1`), '414 head_too_large', 'researcher-1'],
  [
    'many headers',
    head('GET / HTTP/1.1', ...Array.from({ length: 250 }, (_, index) => `X-${index}: 1`)),
    '431 head_too_large',
    'researcher-1',
  ],
  [
    'a long body',
    head('POST / HTTP/1.1', 'Content-Length: 9999999999999'),
    '413 body_too_large',
    'researcher-1',
  ],
  [
    'a head that never ends',
    head('GET / HTTP/1.1').replace(/\r\n$/, `X: ${LONG}`),
    '431 head_too_large',
    'researcher-1',
  ],
  ['a bare LF', head('GET / HTTP/1.1', 'A: b\nC: d'), '400 malformed_request', 'researcher-1'],
  [
    'lines that end at LF',
    head('GET / HTTP/1.1').replaceAll('\r\n', '\n'),
    '400 malformed_request',
    'researcher-1',
  ],
  ['a folded line', head('GET / HTTP/1.1', 'A: b', ' c'), '400 malformed_request', 'researcher-1'],
  ['a control byte', head('GET /a\x01 HTTP/1.1'), '400 malformed_request', 'researcher-1'],
  ['a version nobody speaks', head('GET / HTTP/7.5'), '400 malformed_request', 'researcher-1'],
  [
    'a session',
    `GET  / HTTP/1.1\r\nHost: ${HOST}\r\nCookie: ${SESSION}\r\n\r\n`,
    '400 malformed_request',
    'researcher-1',
  ],
  ['a key twice', head('GET  / HTTP/1.1', `Sallyport-Key: ${KEY}`), '400 malformed_request', ''],
  ['a readable key twice', head('GET / HTTP/1.1', `Sallyport-Key: ${KEY}`), '400 malformed_request', ''],
  ['a wrong key', head('GET  / HTTP/1.1').replace(KEY, 'rk_live_wrong'), '400 malformed_request', ''],
  [
    'a key in the body',
    `GET  / HTTP/1.1\r\nHost: ${HOST}\r\n\r\nSallyport-Key: ${KEY}\r\n\r\n`,
    '400 malformed_request',
    '',
  ],
  ['no request at all', '\x16\x03\x01\x02\x00\x01\x00\x01', '400 malformed_request', ''],
]

test('a request that is malformed or too long is recorded under who sent it', async (context) => {
  const { port, recorder } = await startTestDataPlane(context, 1)
  for (const [what, bytes, expected, researcherId] of REFUSED) {
    const before = recorder.events.length
    const { text, closed } = await sendRaw(port, bytes)
    const event = (await recorder.waitFor(before + 1))[before]
    assert.equal(`${event?.status} ${event?.reason}`, expected, what)
    assert.equal(event?.researcherId, researcherId, what)
    assert.equal(event?.credential === 'none', researcherId === '', what)
    assert.match(
      text,
      new RegExp(`^HTTP/1\\.1 ${event?.status} [\\s\\S]*Sallyport-Request-Id: ${event?.id}\r\n`),
      what,
    )
    assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, what)
    assert.ok(closed, what)
    assert.ok(!JSON.stringify(event).includes(KEY), what)
  }
})

test('a header in place of a request line is no part of the record', async (context) => {
  const { port, recorder } = await startTestDataPlane(context, 1)
  for (const line of [`Cookie: ${SESSION}`, `Cookie : ${SESSION}`, `Cookie :${SESSION}`])
    await sendRaw(port, `${line}\r\nHost: ${HOST}\r\n\r\n`)
  const events = await recorder.waitFor(3)
  for (const event of events) assert.equal(event.reason, 'malformed_request')
  assert.ok(!JSON.stringify(events).includes(SESSION.slice(SESSION.indexOf('=') + 1)))
})

test('what cannot be read is recorded with what is known of it', async (context) => {
  const { port, recorder } = await startTestDataPlane(context, 1)
  await sendRaw(port, head('GET /a?b=1  HTTP/1.1', 'User-Agent: curl/8'))
  const [event] = await recorder.waitFor(1)
  assert.deepEqual(
    [
      event?.method,
      event?.target,
      event?.host,
      event?.siteId,
      event?.orgId,
      event?.userAgent,
      event?.responseBytes,
    ],
    ['GET', '/a?b=1', HOST, 'site-1', 'org', 'curl/8', 37],
  )
})

test("a key is nobody's at a site of another organization, and its researcher's where there is no site", async (context) => {
  const { port, snapshots, recorder } = await startTestDataPlane(context, 1)
  snapshots.putOtherOrganization('other', 'rk_live_other')
  const send = (host: string, version: string) =>
    sendRaw(port, `GET / HTTP/${version}\r\nHost: ${host}\r\nSallyport-Key: rk_live_other\r\nA_: b\r\n\r\n`)
  for (const host of [HOST, 'nobody.gate.localhost', GATE_HOST]) await send(host, '7.5')
  await sendRaw(port, 'GET / HTTP/1.1\r\nSallyport-Key: rk_live_other\r\n\r\n')
  assert.deepEqual(
    (await recorder.waitFor(4)).map(
      ({ orgId, siteId, researcherId }) => `${orgId} ${siteId} ${researcherId}`,
    ),
    ['org site-1 ', 'other  researcher-2', 'other  researcher-2', 'other  researcher-2'],
  )
})

test('what a site does not want kept of a request is not kept of one that cannot be read', async (context) => {
  const { port, snapshots, recorder } = await startTestDataPlane(context, 1)
  snapshots.putSite(site(1, { redaction: { queryValues: 'mask', clientAddress: 'drop', userAgent: 'drop' } }))
  await sendRaw(port, head('GET /a?b=secret HTTP/7.5', 'User-Agent: curl/8'))
  const [event] = await recorder.waitFor(1)
  assert.deepEqual(
    [event?.target, event?.clientAddress, event?.userAgent, event?.researcherId],
    ['/a?b=***', '', '', 'researcher-1'],
  )
})

test('a head that is late is recorded under the key that has come', async (context) => {
  const limits = { ...DEFAULT_GATEWAY_LIMITS, drainTimeoutMs: 100, headTimeoutMs: 300 }
  const { port, recorder } = await startTestDataPlane(context, 1, { settings: { limits } })
  const socket = connect(port, '127.0.0.1')
  context.after(() => socket.destroy())
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  const closed = once(socket, 'close')
  socket.write(head('GET /late HTTP/1.1').slice(0, -2))
  const [event] = await recorder.waitFor(1)
  await closed
  assert.deepEqual(
    [event?.status, event?.reason, event?.target, event?.researcherId],
    [408, 'request_timeout', '/late', 'researcher-1'],
  )
  assert.ok(text.includes(`Sallyport-Request-Id: ${event?.id}\r\n`))
})

test('over HTTP/2 somewhat too many headers are refused with a reason, under who sent them', async (context) => {
  const { send, recorder } = await startHttp2DataPlane(context, 1)
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`x-${index}`, '1']))
  assert.equal((await send({ ':path': '/', 'sallyport-key': KEY, ...many })).status, 431)
  const [event] = await recorder.waitFor(1)
  assert.deepEqual([event?.reason, event?.researcherId], ['head_too_large', 'researcher-1'])
})

test("over HTTP/2 a request that is refused unread is its sender's, who keeps the session", async (context) => {
  const { send, session, recorder } = await startHttp2DataPlane(context, 1)
  for (let count = 0; count < 12; count += 1) {
    const { status, headers } = await send({ ':path': `/${'a'.repeat(40_000)}`, 'sallyport-key': KEY })
    const event = (await recorder.waitFor(count + 1))[count]
    assert.deepEqual(
      [status, event?.reason, event?.researcherId, headers['sallyport-request-id']],
      [414, 'head_too_large', 'researcher-1', event?.id],
    )
  }
  assert.ok(!session.closed)
})
