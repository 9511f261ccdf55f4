/** Which name an origin is told as its own, and what becomes of both names in headers. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { SiteConfig } from '@sallyport/contract'
import { startHttp2DataPlane } from '../../../support/http2/http2-client.ts'
import { startRawOrigin } from '../../../support/raw-origin.ts'
import { HOST, KEY, sendRaw, site, startTestDataPlane } from '../../../support/test-data-plane.ts'
import { ASKED, SWITCHED } from '../../../support/websocket.ts'

const KEPT = { keepsGatedHost: true }
/** As clients name the site: a port that is none of the gate's, so that it is known again. */
const GATED = `${HOST}:8443`

/** A request with these headers through a gate with such a site: what the origin saw of it, and what came back. */
async function exchange(
  context: TestContext,
  changes: Partial<SiteConfig>,
  headers: readonly string[],
  answered: (origin: string) => readonly string[] = () => [],
) {
  const origin = await startRawOrigin(context, (socket) =>
    socket.write(
      ['HTTP/1.1 302 Found', 'Content-Length: 0', ...answered(`127.0.0.1:${origin.port}`), '', ''].join(
        '\r\n',
      ),
    ),
  )
  const gate = await startTestDataPlane(context, origin.port, { site: changes })
  const lines = ['MOVE /a HTTP/1.1', `Host: ${GATED}`, `Sallyport-Key: ${KEY}`, ...headers, '', '']
  const { text } = await sendRaw(gate.port, lines.join('\r\n'))
  const seen = (origin.received[0] ?? '').split('\r\n')
  return { own: `127.0.0.1:${origin.port}`, seen, answer: text.split('\r\n'), gate }
}

const valuesOf = (lines: readonly string[], name: string): readonly string[] =>
  lines.flatMap((line) => (line.startsWith(`${name}: `) ? [line.slice(name.length + 2)] : []))

const NAMING = [
  `Origin: http://${GATED}`,
  `Referer: http://${GATED}/page`,
  `Destination: http://${GATED}/b`,
  'X-Forwarded-Host: forged.example',
]

test('an origin is told its own name, and knows the client by that', async (context) => {
  for (const changes of [{}, { keepsGatedHost: false }]) {
    const { own, seen } = await exchange(context, changes, NAMING)
    assert.deepEqual(valuesOf(seen, 'Host'), [own])
    assert.deepEqual(valuesOf(seen, 'Origin'), [`http://${own}`])
    assert.deepEqual(valuesOf(seen, 'Referer'), [`http://${own}/page`])
    assert.deepEqual(valuesOf(seen, 'Destination'), [`http://${own}/b`])
    assert.deepEqual(valuesOf(seen, 'X-Forwarded-Host'), [GATED])
  }
})

test('an origin that is told the gated name is told it wherever it compares', async (context) => {
  const { seen } = await exchange(context, KEPT, NAMING)
  assert.deepEqual(valuesOf(seen, 'Host'), [GATED])
  assert.deepEqual(valuesOf(seen, 'Origin'), [`http://${GATED}`])
  assert.deepEqual(valuesOf(seen, 'Referer'), [`http://${GATED}/page`])
  assert.deepEqual(valuesOf(seen, 'Destination'), [`http://${GATED}/b`])
  assert.deepEqual(valuesOf(seen, 'X-Forwarded-Host'), [GATED])
  assert.deepEqual(valuesOf(seen, 'Sallyport-Gated-Name'), [HOST])
})

test('a destination by the name of the origin becomes gated, one elsewhere is dropped still', async (context) => {
  const origin = await startRawOrigin(context)
  const gate = await startTestDataPlane(context, origin.port, { site: KEPT })
  const destinations = [
    `http://127.0.0.1:${origin.port}/b`,
    'http://elsewhere.example/b',
    `http://${HOST}.elsewhere.example/b`,
    `http://${HOST}?/b`,
  ]
  for (const destination of destinations) await gate.send('MOVE /a', `Destination: ${destination}`)
  const heads = origin.received.join('').match(/^MOVE .*\r\n(?:.+\r\n)*\r\n/gm) ?? []
  assert.deepEqual(
    heads.map((head) => /^Destination: (.*)$/im.exec(head)?.[1]),
    [`http://${HOST}/b`, undefined, undefined, undefined],
  )
})

test('both names lead to the gated one, and others where they led', async (context) => {
  const values = (own: string): readonly string[] => [
    `http://${GATED}/a`,
    `//${GATED}/b`,
    `https://${own}/c`,
    `//${own}/d`,
    `http://${HOST}/e`,
    'https://elsewhere.example/f',
    '/g',
  ]
  const { answer } = await exchange(context, KEPT, [], (own) =>
    values(own).map((value) => `Content-Location: ${value}`),
  )
  assert.deepEqual(valuesOf(answer, 'Content-Location'), [
    `http://${GATED}/a`,
    `//${GATED}/b`,
    `http://${GATED}/c`,
    `http://${GATED}/d`,
    `http://${HOST}/e`,
    'https://elsewhere.example/f',
    '/g',
  ])
})

test('over TLS, an origin that knows nothing of it leads back to TLS, by HTTP/2 too', async (context) => {
  const origin = await startRawOrigin(context, (socket, head) => {
    const host = /^host: (.*)$/im.exec(head)?.[1]
    socket.write(`HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: http://${host}/next\r\n\r\n`)
  })
  const gate = await startHttp2DataPlane(context, origin.port, { site: KEPT })
  const { headers } = await gate.send({ ':path': '/', 'sallyport-key': KEY })
  const authority = /^Host: (.*)$/m.exec(origin.received[0] ?? '')?.[1]
  assert.ok(authority?.startsWith(HOST), authority)
  assert.equal(headers.location, `https://${authority}/next`)
})

test('over TLS, an origin that has the gated name from X-Forwarded-Host leads back to TLS', async (context) => {
  const origin = await startRawOrigin(context, (socket, head) => {
    const host = /^x-forwarded-host: (.*)$/im.exec(head)?.[1]
    socket.write(`HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: http://${host}/next\r\n\r\n`)
  })
  const gate = await startHttp2DataPlane(context, origin.port)
  const { headers } = await gate.send({ ':path': '/', 'sallyport-key': KEY })
  const authority = /^X-Forwarded-Host: (.*)$/m.exec(origin.received[0] ?? '')?.[1]
  assert.equal(headers.location, `https://${authority}/next`)
})

test('over TLS, an origin by http that believes what it is told of scheme and port leads to the gate', async (context) => {
  const origin = await startRawOrigin(context, (socket, head) => {
    const port = /^x-forwarded-port: (.*)$/im.exec(head)?.[1]
    const urls = [
      `https://127.0.0.1:${port}/a`,
      'https://127.0.0.1/b',
      '//127.0.0.1:443/c',
      'http://127.0.0.1/d',
      'https://127.0.0.1:9/e',
      'https://127.0.0.2/f',
    ]
    const lines = urls.map((url) => `Link: <${url}>`)
    socket.write(['HTTP/1.1 200 OK', 'Content-Length: 0', ...lines, '', ''].join('\r\n'))
  })
  const gate = await startHttp2DataPlane(context, origin.port)
  const { headers } = await gate.send({ ':path': '/', 'sallyport-key': KEY })
  const authority = /^X-Forwarded-Host: (.*)$/m.exec(origin.received[0] ?? '')?.[1]
  assert.deepEqual(String(headers.link).split(', '), [
    `<https://${authority}/a>`,
    `<https://${authority}/b>`,
    '<//127.0.0.1:443/c>',
    '<http://127.0.0.1/d>',
    '<https://127.0.0.1:9/e>',
    '<https://127.0.0.2/f>',
  ])
})

test('the name of the origin is found where browsers find it: behind backslashes, more slashes and a user', async (context) => {
  const values = (own: string): readonly string[] => [
    `http://ada:b@c@${own}/a`,
    `//ada@${own}`,
    `http:\\\\${own}\\b`,
    `/\\${own}/c?d`,
    `https:///${own}/e`,
    `http://${own}@elsewhere.example/f`,
    `\\\\elsewhere.example@/${own}`,
    `/${own}/g`,
    `http:${own}/h`,
  ]
  const { own, answer, gate } = await exchange(context, {}, [], (own) =>
    values(own).map((value) => `Location: ${value}`),
  )
  assert.deepEqual(valuesOf(answer, 'Location'), [
    `http://ada:b@c@${GATED}/a`,
    `http://ada@${GATED}`,
    `http://${GATED}\\b`,
    `http://${GATED}/c?d`,
    `http://${GATED}/e`,
    ...values(own).slice(5),
  ])
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual(event?.leadsTo, ['elsewhere.example'])
})

test('a WebSocket is asked for at the gated name', async (context) => {
  const origin = await startRawOrigin(context, (socket) => socket.write(SWITCHED))
  const gate = await startTestDataPlane(context, origin.port, { site: KEPT })
  const { status } = await gate.send('GET /socket', `Origin: http://${HOST}`, ...ASKED)
  assert.equal(status, 101)
  const seen = (origin.received[0] ?? '').split('\r\n')
  assert.deepEqual([valuesOf(seen, 'Host'), valuesOf(seen, 'Origin')], [[HOST], [`http://${HOST}`]])
})

test('a change of the setting is in force with the next request of a connection', async (context) => {
  const origin = await startRawOrigin(context)
  const gate = await startTestDataPlane(context, origin.port)
  const hosts = (): unknown[] =>
    [...origin.received.join('').matchAll(/^Host: (.*)$/gim)].map(([, host]) => host)
  await gate.send('GET /')
  gate.snapshots.putSite(site(origin.port, KEPT))
  await gate.send('GET /')
  gate.snapshots.putSite(site(origin.port))
  await gate.send('GET /')
  const own = `127.0.0.1:${origin.port}`
  assert.deepEqual(hosts(), [own, HOST, own])
})
