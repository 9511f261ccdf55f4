/** The proxy port over real sockets: whom it lets in, where it leads, and that what is said twice must be the same. */
import assert from 'node:assert/strict'
import { connect as connectHttp2 } from 'node:http2'
import { type TestContext, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { DEFAULT_GATEWAY_LIMITS } from '../../../src/settings.ts'
import { makeCertificate } from '../../support/certificates.ts'
import { startRawOrigin } from '../../support/raw-origin.ts'
import { streamingOrigin } from '../../support/streams.ts'
import {
  GATE_HOST,
  HOST,
  hashOf,
  researcher,
  researcherKey,
  SESSION_KEY,
  site,
  startTestDataPlane,
} from '../../support/test-data-plane.ts'
import { ASKED } from '../../support/websocket.ts'

const KEY = researcherKey(1)
const EVE_KEY = researcherKey(2)
const basic = (key: string): string => `Basic ${Buffer.from(`ada:${key}`).toString('base64')}`
const shown = (key: string): string => `Proxy-Authorization: ${basic(key)}`
const PROXY_NAME = 'proxy.gate.localhost'

async function openGate(context: TestContext, originPort?: number, limits = DEFAULT_GATEWAY_LIMITS) {
  const origin = await startRawOrigin(context)
  const directory = temporaryFolder(context)
  for (const name of [HOST, PROXY_NAME, 'eve.gate.localhost']) makeCertificate(directory, name, name)
  const gate = await startTestDataPlane(context, originPort ?? origin.port, {
    settings: { tls: { directory, port: 0, proxyPort: 0 }, limits },
  })
  gate.snapshots.putInstallation({ sessionKey: SESSION_KEY, gateUrl: `https://${GATE_HOST}` })
  gate.snapshots.putResearcher(researcher({ keyHashes: [hashOf(KEY)] }))
  gate.snapshots.putOtherOrganization('eves', EVE_KEY)
  const eves = { id: 'site-2', orgId: 'eves', gatedName: 'eve.gate.localhost' }
  gate.snapshots.putSite(site(origin.port, eves))
  return {
    ...gate,
    originPort: origin.port,
    received: () => origin.received.join(''),
    proxyPort: gate.dataPlane.proxy?.port ?? 0,
    httpsPort: gate.dataPlane.https?.port ?? 0,
  }
}
type Gate = Awaited<ReturnType<typeof openGate>>

const openOuter = ({ proxyPort }: Gate, protocols: string[] = []): Promise<TLSSocket> =>
  secured(
    connect({
      port: proxyPort,
      servername: PROXY_NAME,
      rejectUnauthorized: false,
      ALPNProtocols: protocols,
    }),
  )

function secured(socket: TLSSocket): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    socket.once('secureConnect', () => resolve(socket))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('closed')))
    socket.on('error', () => {})
  })
}

/** All that comes until a text is there, or the end. */
async function readUntil(socket: TLSSocket, wanted: RegExp): Promise<string> {
  let text = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += (chunk as Buffer).toString('latin1')
    if (wanted.test(text)) break
  }
  return text
}

const END = /\r\n\r\n/

/** Sends lines to the proxy port, and answers what comes until the end of the connection. */
async function ask(gate: Gate, ...lines: string[]): Promise<string> {
  const outer = await openOuter(gate)
  outer.write(Buffer.from([...lines, '', ''].join('\r\n'), 'latin1'))
  return await readUntil(outer, /^never/)
}

/** A tunnel to a gated host, with TLS of its own in it. */
async function openTunnel(gate: Gate, key = KEY, host = HOST, protocols = ['http/1.1']): Promise<TLSSocket> {
  const outer = await openOuter(gate)
  outer.write(`CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}:443\r\n${shown(key)}\r\n\r\n`)
  assert.match(await readUntil(outer, END), /^HTTP\/1\.1 200 /)
  return await secured(
    connect({ socket: outer, servername: host, rejectUnauthorized: false, ALPNProtocols: protocols }),
  )
}

const request = (...lines: string[]): string => [...lines, '', ''].join('\r\n')

test('a tunnel ends at the gate, and all its requests are of who opened it', async (context) => {
  const gate = await openGate(context)
  const inner = await openTunnel(gate)
  assert.equal(inner.getPeerCertificate().subject.CN, HOST)
  for (const line of ['GET /one?a=%zz', 'FOO /two']) {
    inner.write(request(`${line} HTTP/1.1`, `Host: ${HOST}`, 'X-Kept: yes'))
    assert.match(await readUntil(inner, /ok$/), /^HTTP\/1\.1 200 /)
  }
  inner.write(request('GET /three HTTP/1.1', `Host: ${HOST}`, `Sallyport-Key: ${KEY}`))
  assert.match(await readUntil(inner, /ok$/), /^HTTP\/1\.1 200 /)
  assert.match(gate.received(), /^GET \/one\?a=%zz HTTP\/1\.1\r\nHost: 127[\s\S]*^FOO \/two HTTP/m)
  assert.doesNotMatch(gate.received(), /proxy-|rk_live/i)
  for (const { researcherId, credential, scheme, host, clientAddress } of await gate.recorder.waitFor(3))
    assert.deepEqual(
      [researcherId, credential, scheme, host, clientAddress],
      ['researcher-1', 'key', 'https', HOST, '127.0.0.1'],
    )
})

test('a client that says HTTP/1.0 in ALPN is served', async (context) => {
  const gate = await openGate(context)
  const outer = await openOuter(gate, ['http/1.0'])
  outer.write(request(`GET https://${HOST}/ HTTP/1.0`, `Host: ${HOST}`, shown(KEY)))
  assert.match(await readUntil(outer, /^never/), /^HTTP\/1\.1 200 OK[\s\S]*ok$/)
})

test('HTTP/2 and WebSockets go through a tunnel', async (context) => {
  const gate = await openGate(context)
  const tunnel = await openTunnel(gate, KEY, HOST, ['h2'])
  const session = connectHttp2(`https://${HOST}`, { createConnection: () => tunnel })
  context.after(() => session.destroy())
  const statusOf = (headers: Record<string, string>) =>
    new Promise<unknown>((resolve) => {
      const stream = session.request(headers)
      stream.once('response', (answer) => resolve(answer[':status']))
      stream.resume()
    })
  assert.equal(await statusOf({ ':path': '/h2' }), 200)
  assert.equal(await statusOf({ ':path': '/', ':authority': 'eve.gate.localhost' }), 421)
  const streaming = await openGate(context, await streamingOrigin(context))
  const socket = await openTunnel(streaming)
  socket.write(request('GET /socket HTTP/1.1', `Host: ${HOST}`, ...ASKED))
  assert.match(await readUntil(socket, END), /^HTTP\/1\.1 101 /)
  socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]))
  assert.match(await readUntil(socket, /hi$/), /hi$/)
})

test('in a tunnel the name of TLS, the Host and a key must be those of CONNECT', async (context) => {
  const gate = await openGate(context)
  for (const [status, lines] of [
    [421, ['GET / HTTP/1.1', 'Host: eve.gate.localhost']],
    [421, [`GET http://eve.gate.localhost/ HTTP/1.1`, `Host: ${HOST}`]],
    [421, ['GET / HTTP/1.1', `Host: ${GATE_HOST}`]],
    [400, ['GET / HTTP/1.1', `Host: ${HOST}`, `Sallyport-Key: ${EVE_KEY}`]],
    [400, ['GET / HTTP/1.1', `Host: ${HOST}`, 'Sallyport-Key: rk_live_other']],
    [400, ['GET / HTTP/1.1', `Host: ${HOST}`, `Authorization: ${basic(EVE_KEY)}`]],
    [400, [`CONNECT ${HOST}:443 HTTP/1.1`, `Host: ${HOST}`]],
  ] as const) {
    const inner = await openTunnel(gate)
    inner.write(request(...lines))
    assert.match(await readUntil(inner, /^never/), new RegExp(`^HTTP/1\\.1 ${status} `), lines.join())
  }
  // TLS was opened for another name than the tunnel.
  const outer = await openOuter(gate)
  outer.write(`CONNECT ${HOST}:443 HTTP/1.1\r\n${shown(KEY)}\r\n\r\n`)
  await readUntil(outer, END)
  const inner = await secured(
    connect({ socket: outer, servername: 'eve.gate.localhost', rejectUnauthorized: false }),
  )
  inner.write(request('GET / HTTP/1.1', 'Host: eve.gate.localhost'))
  assert.match(await readUntil(inner, /^never/), /^HTTP\/1\.1 421 /)
  assert.equal(gate.received(), '')
})

test('who shows no valid key opens no tunnel and learns no names; who does, to sites of their organization alone', async (context) => {
  const gate = await openGate(context)
  const to = (target: string, ...lines: string[]) => ask(gate, `CONNECT ${target} HTTP/1.1`, ...lines)
  const targets = [`${HOST}:443`, 'unknown.example:443', `127.0.0.1:${gate.originPort}`]
  for (const target of targets)
    for (const lines of [
      [],
      [shown(researcherKey(3))],
      [`Proxy-Authorization: Bearer ${KEY}`],
      [`Sallyport-Key: ${KEY}`],
    ]) {
      const answer = await to(target, ...lines)
      assert.match(answer, /^HTTP\/1\.1 407 /, lines.join())
      assert.match(answer, /^Proxy-Authenticate: Basic realm="Sallyport"\r$/m)
    }
  for (const target of [...targets.slice(1), 'eve.gate.localhost:443', `${GATE_HOST}:443`])
    assert.match(await to(target, shown(KEY)), /^HTTP\/1\.1 403 /, target)
  assert.match(await to(`${HOST}:443`, shown(EVE_KEY)), /^HTTP\/1\.1 403 /)
  for (const target of [HOST, `${HOST}:443:443`, '/', `me@${HOST}:443`])
    assert.match(await to(target, shown(KEY)), /^HTTP\/1\.1 400 /, target)
  assert.match(await to(`${HOST}:443`, shown(KEY), shown(KEY)), /^HTTP\/1\.1 400 /)
  const events = await gate.recorder.waitFor(22)
  assert.equal(gate.received(), '')
  const said = (event: (typeof events)[number] | undefined) =>
    event && [event.method, event.target, event.status, event.reason, event.researcherId, event.siteId]
  assert.deepEqual(said(events[0]), ['CONNECT', `${HOST}:443`, 407, 'no_credential', '', 'site-1'])
  assert.deepEqual(said(events[1])?.slice(2), [407, 'unknown_credential', '', 'site-1'])
  const foreign = events.find(({ host, status }) => host === 'eve.gate.localhost' && status === 403)
  // What was asked of another organization's site is that one's to see, and not whose key it was.
  assert.deepEqual(said(foreign)?.slice(3), ['unknown_host', '', 'site-2'])
  assert.doesNotMatch(JSON.stringify(events), /rk_live_[0-9A-Za-z]/)
})

test('a request in absolute form is asked as of the gate, with the key of each request', async (context) => {
  const gate = await openGate(context)
  const outer = await openOuter(gate)
  for (const [line, arrived, scheme] of [
    [`GET http://${HOST}/a/../b?x HTTP/1.1`, 'GET /a/../b?x HTTP/1.1', 'http'],
    [`POST https://${HOST} HTTP/1.1`, 'POST / HTTP/1.1', 'https'],
    [`GET http://${HOST}?q HTTP/1.1`, 'GET /?q HTTP/1.1', 'http'],
  ]) {
    outer.write(request(line ?? '', `Host: ${HOST}`, shown(KEY), 'Proxy-Connection: keep-alive'))
    assert.match(await readUntil(outer, /ok$/), /^HTTP\/1\.1 200 /)
    assert.ok(gate.received().includes(`${arrived}\r\n`), arrived)
    assert.equal(gate.recorder.events.at(-1)?.scheme, scheme)
    assert.match(
      gate.received().slice(gate.received().indexOf(arrived ?? '')),
      new RegExp(`^X-Forwarded-Proto: ${scheme}\\r$`, 'm'),
    )
  }
  assert.doesNotMatch(gate.received(), /proxy-|rk_live/i)
  for (const [status, lines] of [
    [407, [`GET http://${HOST}/ HTTP/1.1`, `Host: ${HOST}`]],
    [407, [`GET http://${HOST}/ HTTP/1.1`, `Host: ${HOST}`, shown(researcherKey(3))]],
    [403, [`GET http://${HOST}/ HTTP/1.1`, `Host: ${HOST}`, shown(EVE_KEY)]],
    [407, ['GET http://unknown.example/ HTTP/1.1', 'Host: unknown.example']],
    [407, ['GET http://unknown.example/ HTTP/1.1', 'Host: unknown.example', shown(researcherKey(3))]],
    [407, [`GET http://${GATE_HOST}/ HTTP/1.1`, `Host: ${GATE_HOST}`]],
    [407, [`GET http://${GATE_HOST}/ HTTP/1.1`, `Host: ${GATE_HOST}`, ...NAVIGATION]],
    [407, [`GET http://${HOST}/ HTTP/1.1`, `Host: ${HOST}`, ...NAVIGATION]],
    [400, ['GET / HTTP/1.1', `Host: ${HOST}`, shown(KEY)]],
    [400, [`GET http://${HOST}/ HTTP/1.1`, `Host: ${HOST}`, shown(KEY), shown(KEY)]],
    [400, [`GET http://${HOST}/ HTTP/1.1`, `Host: ${HOST}`, shown(KEY), `Sallyport-Key: ${EVE_KEY}`]],
    [421, [`GET http://${HOST}/ HTTP/1.1`, 'Host: eve.gate.localhost', shown(KEY)]],
    [
      403,
      [`GET http://127.0.0.1:${gate.originPort}/ HTTP/1.1`, `Host: 127.0.0.1:${gate.originPort}`, shown(KEY)],
    ],
  ] as const)
    assert.match(await ask(gate, ...lines), new RegExp(`^HTTP/1\\.1 ${status} `), lines.join())
  assert.equal(gate.received().match(/ HTTP\/1\.1\r/g)?.length, 3)
  const pages = [HOST, 'unknown.example', 'eve.gate.localhost', GATE_HOST].map((host) =>
    ask(gate, `GET http://${host}/ HTTP/1.1`, `Host: ${host}`, 'Accept: text/html'),
  )
  const bodies = (await Promise.all(pages)).map((page) =>
    page.slice(page.search(END)).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, ''),
  )
  assert.equal(new Set(bodies).size, 1)
})

const NAVIGATION = ['Accept: text/html', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document']

test("the gate's own host is not asked through it with a key, and no other port takes its credentials", async (context) => {
  const gate = await openGate(context)
  const sites = await ask(
    gate,
    `GET http://${GATE_HOST}/api/sites HTTP/1.1`,
    `Host: ${GATE_HOST}`,
    shown(KEY),
  )
  assert.match(sites, /^HTTP\/1\.1 403 /)
  assert.match((await gate.send('GET /')).text, /401/)
  const direct = await secured(connect({ port: gate.httpsPort, servername: HOST, rejectUnauthorized: false }))
  direct.write(request('GET / HTTP/1.1', `Host: ${HOST}`, shown(KEY)))
  assert.match(await readUntil(direct, /^never/), /^HTTP\/1\.1 401 /)
  assert.equal(gate.received(), '')
})

test('a tunnel does not lead to the gate either where its name becomes that of the gate', async (context) => {
  const gate = await openGate(context)
  const inner = await openTunnel(gate)
  gate.snapshots.putInstallation({ sessionKey: SESSION_KEY, gateUrl: `https://${HOST}` })
  inner.write(request('GET /api/sites HTTP/1.1', `Host: ${HOST}`))
  assert.match(await readUntil(inner, END), /^HTTP\/1\.1 403 /)
})

test('what runs in a tunnel is cut when its key is revoked, and the site closes for it, too', async (context) => {
  const gate = await openGate(context, await streamingOrigin(context))
  const inner = await openTunnel(gate)
  inner.write(request('GET /stream HTTP/1.1', `Host: ${HOST}`))
  await readUntil(inner, /begin/)
  const idle = await openTunnel(gate)
  gate.snapshots.putResearcher(researcher({ keyHashes: [] }))
  await readUntil(inner, /^never/)
  idle.write(request('GET / HTTP/1.1', `Host: ${HOST}`))
  assert.match(await readUntil(idle, /^never/), /^HTTP\/1\.1 401 /)
})

test('heads that are too large, broken or late end, and are recorded; so do tunnels in which nothing is said', async (context) => {
  const gate = await openGate(context)
  assert.match(await ask(gate, `CONNECT ${HOST}:443 HTTP/1.1`, `X: ${'a'.repeat(9_000)}`), /^HTTP\/1\.1 431 /)
  assert.match(await ask(gate, `CONNECT ${HOST}:443 HTTP/1.1`, 'X : a'), /^HTTP\/1\.1 400 /)
  assert.match(await ask(gate, 'CONNECT'), /^HTTP\/1\.1 400 /)
  const slow = await openOuter(gate)
  for (const byte of `CONNECT ${HOST}:443 HTTP/1.1\r\n${shown(KEY)}\r\n\r\n`) {
    slow.write(byte)
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.match(await readUntil(slow, END), /^HTTP\/1\.1 200 /)
  slow.write('GET / HTTP/1.1\r\n\r\n')
  await readUntil(slow, /^never/)
  const silent = await openGate(context, undefined, { ...DEFAULT_GATEWAY_LIMITS, headTimeoutMs: 300 })
  const outer = await openOuter(silent)
  outer.write(`CONNECT ${HOST}:443 HTTP/1.1\r\n${shown(KEY)}\r\n\r\n`)
  assert.match(await readUntil(outer, /^never/), /^HTTP\/1\.1 200 /)
  const events = await gate.recorder.waitFor(3)
  assert.deepEqual(
    events.map(({ status }) => status),
    [431, 400, 400],
  )
})
