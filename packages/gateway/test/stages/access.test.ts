/** Who may enter, and how fast access ends: keys, invitations, sessions, lists, windows; streams and WebSockets too. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RateLimitPolicy } from '@sallyport/contract'
import type { Counters } from '../../src/stages/limit/counters.ts'
import { startRawOrigin } from '../support/raw-origin.ts'
import {
  GATE_HOST,
  HOST,
  hashOf,
  KEY,
  request,
  researcher,
  sendRaw,
  site,
  startTestDataPlane,
} from '../support/test-data-plane.ts'
import { ASKED, SWITCHED } from '../support/websocket.ts'

/** An origin that answers `/stream` without end, and anything else with `ok`. */
async function streamingOrigin(context: TestContext): Promise<number> {
  const origin = createServer((message, response) => {
    if (message.url !== '/stream') return response.end('ok')
    response.write('begin')
    const timer = setInterval(() => response.write('more'), 20)
    return response.on('close', () => clearInterval(timer))
  })
  origin.on('upgrade', (message, socket) => {
    socket.write(SWITCHED)
    socket.on('data', (chunk: Buffer) => socket.write(chunk))
    socket.on('error', () => {})
    assert.match(message.headers['sallyport-assertion'] as string, /^eyJ/)
  })
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve))
  context.after(() => {
    origin.closeAllConnections()
    origin.close()
  })
  return (origin.address() as AddressInfo).port
}

/** Opens a connection, sends, and says when the gate closed it. */
function watch(
  port: number,
  bytes: string,
): { received: () => string; closedAt: Promise<number>; send(bytes: Buffer): void } {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString('latin1')))
  socket.on('error', () => {})
  socket.write(bytes)
  const closedAt = new Promise<number>((resolve) => socket.on('close', () => resolve(Date.now())))
  return {
    received: () => text,
    closedAt,
    send: (more) => void socket.write(more),
  }
}

const UPGRADE = request('GET /socket', ...ASKED)
/** A masked text frame of a client: `hi`, with a mask of zeros. */
const HI = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69])

for (const [name, close] of [
  ['the site is disabled', (dataPlane, port) => dataPlane.snapshots.putSite(site(port, { enabled: false }))],
  [
    'the site is given a list without the researcher',
    (dataPlane, port) => dataPlane.snapshots.putSite(site(port, { access: 'listed' })),
  ],
  [
    'the researcher is paused',
    (dataPlane) => dataPlane.snapshots.putResearcher(researcher({ paused: true })),
  ],
  ['the key is revoked', (dataPlane) => dataPlane.snapshots.putResearcher(researcher({ keyHashes: [] }))],
  [
    'the researcher expires by the clock',
    (dataPlane) => dataPlane.snapshots.putResearcher(researcher({ expiresAt: Date.now() + 300 })),
  ],
  [
    'the site closes by the clock',
    (dataPlane, port) => dataPlane.snapshots.putSite(site(port, { stopsAt: Date.now() + 300 })),
  ],
] as [string, (dataPlane: Awaited<ReturnType<typeof startTestDataPlane>>, port: number) => void][])
  test(`when ${name}, streams and WebSockets are cut within a second and nothing enters any more`, async (context) => {
    const originPort = await streamingOrigin(context)
    const dataPlane = await startTestDataPlane(context, originPort)
    const stream = watch(dataPlane.port, request('GET /stream'))
    const tunnel = watch(dataPlane.port, UPGRADE)
    for (let waited = 0; !tunnel.received().includes('101') && waited < 3_000; waited += 10) await sleep(10)
    tunnel.send(HI)
    const isRunning = () => stream.received().includes('begin') && tunnel.received().endsWith('hi')
    for (let waited = 0; !isRunning() && waited < 3_000; waited += 10) await sleep(10)
    assert.match(stream.received(), /begin/)
    assert.match(tunnel.received(), /^HTTP\/1\.1 101 [\s\S]*hi$/)
    const from = Date.now()
    close(dataPlane, originPort)
    assert.ok((await stream.closedAt) - from < 1_000)
    assert.ok((await tunnel.closedAt) - from < 1_000)
    const after = await sendRaw(dataPlane.port, request('GET /'))
    assert.ok(after.status === 401 || after.status === 403 || after.status === 503, String(after.status))
    const events = await dataPlane.recorder.waitFor(4)
    const cut = events.filter((event) => event.reason === 'access_ended')
    assert.deepEqual(cut.map((event) => event.kind).sort(), ['request', 'websocket_close'])
    const closed = cut.find((event) => event.kind === 'websocket_close')
    assert.deepEqual([closed?.messagesIn, closed?.messagesOut], [1, 1])
  })

test('a request that a stage kept waiting while its access ended goes no further', async (context) => {
  const origin = await startRawOrigin()
  context.after(origin.close)
  const waiting: (() => void)[] = []
  const budget = { allowed: true, remaining: 5, resetMs: 0 }
  const counters: Counters = {
    async acquire() {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return { refusedBy: null, site: budget, researcher: undefined, release: null }
    },
    peek: () => ({ site: budget, researcher: undefined }),
    close: async () => {},
  }
  const { port, recorder, snapshots } = await startTestDataPlane(context, origin.port, {
    site: { rateLimit: 'p' },
    counters,
  })
  const limit = { kind: 'fixed', limit: 10, windowMs: 1_000 } as const
  const policy: RateLimitPolicy = { name: 'p', site: limit, perResearcher: null }
  snapshots.apply({ type: 'put', kind: 'policy', id: 'p', value: policy })
  const answer = sendRaw(port, request('GET /'))
  for (let waited = 0; waiting.length === 0 && waited < 2_000; waited += 10) await sleep(10)
  snapshots.putResearcher(researcher({ paused: true }))
  waiting[0]?.()
  assert.equal((await answer).status, 403)
  assert.equal((await recorder.waitFor(1))[0]?.reason, 'access_ended')
  assert.equal(origin.connections, 0)
})

test('a WebSocket is two events, and what the firewall found stands in the first alone', async (context) => {
  const firewall = { mode: 'observe' as const, overrides: [], exclusions: [] }
  const { port, recorder, snapshots } = await startTestDataPlane(context, await streamingOrigin(context), {
    site: { firewall },
  })
  const attack = UPGRADE.replace('/socket', '/socket?id=1%27%20union%20select%20password%20from%20users--%20')
  const tunnel = watch(port, attack)
  for (let waited = 0; !tunnel.received().includes('101') && waited < 3_000; waited += 10) await sleep(10)
  snapshots.putResearcher(researcher({ paused: true }))
  const [opened, closed] = await recorder.waitFor(2)
  assert.deepEqual([opened?.kind, opened?.status], ['websocket_open', 101])
  assert.ok(opened?.hits.some((hit) => hit.class === 'sql_injection'))
  assert.deepEqual([closed?.kind, closed?.inspection, closed?.hits], ['websocket_close', 'full', []])
  assert.equal(closed?.id, opened?.id)
})

test('of fifty WebSockets of a paused researcher none is left', async (context) => {
  const originPort = await streamingOrigin(context)
  const dataPlane = await startTestDataPlane(context, originPort)
  const tunnels = Array.from({ length: 50 }, () => watch(dataPlane.port, UPGRADE))
  const areOpen = () => tunnels.every((tunnel) => tunnel.received().includes('101'))
  for (let waited = 0; !areOpen() && waited < 3_000; waited += 10) await sleep(10)
  assert.ok(areOpen())
  let left = tunnels.length
  for (const { closedAt } of tunnels) void closedAt.then(() => left--)
  dataPlane.snapshots.putResearcher(researcher({ paused: true }))
  // Within the snapshot's own swap, and not by and by with the ticks.
  await sleep(150)
  assert.equal(left, 0)
})

test('no record shows the token of an invitation or the code of a sign-in, wherever and whenever it is opened', async (context) => {
  const origin = await startRawOrigin()
  context.after(origin.close)
  const { port, recorder, snapshots } = await startTestDataPlane(context, origin.port)
  const token = 'Zq3-x_9Kd0Zq3-x_9Kd0Zq3-x_9Kd0Zq'
  const open = (target: string, ...more: string[]) =>
    sendRaw(port, [`GET ${target} HTTP/1.1`, ...more, '', ''].join('\r\n'), 30)
  const here = `Host: ${HOST}`
  const link = `/.sallyport/invite?token=${token}`
  await open(link, 'Host: unknown.example')
  await open(`/.sallyport/invite/?token=${token}`, here)
  await open(`//.Sallyport/invite?Token=${token}`, here)
  await open(`/.sallyport%2Finvite%3Ftoken%3D${token}`, here)
  await open(`/.sallyport/invite?${token}`, here)
  await open(`/.sallyport/invite?token=%5a${token.slice(1)}`, here)
  await open(`http://${HOST}${link}`, here)
  await open(`${link} x`, here)
  await open(link, here, here)
  await open(link, 'Host: a b')
  await open(`/%252esallyport/invite?token=${token}`, here)
  await open(`/login?next=https://${HOST}${link}`, here, `Sallyport-Key: ${KEY}`)
  const invitation = `https://sallyport.gate.localhost/invitation#token=${token}`
  for (const target of [
    `/login?next=${invitation.replace('#', '%23')}`,
    `/login?next=${encodeURIComponent(invitation)}`,
    `/login?next=${encodeURIComponent(encodeURIComponent(invitation))}`,
    `/Invitation/?from=mail&token=${token}`,
  ])
    await open(target, here, `Sallyport-Key: ${KEY}`)
  snapshots.putSite(site(origin.port, { enabled: false }))
  await open(link, here)
  const code = `/.sallyport/enter?code=${token}.1.${token}.${token}`
  await open(code, here)
  await open(code, 'Host: unknown.example')
  await open(`/.sallyport%2Fenter%3Fcode%3D${token}.${token}`, here)
  await open(`${code} x`, here)
  const gate = `Host: ${GATE_HOST}`
  for (const target of [
    `/invitation?token=${token}`,
    `/invitation%23token=${token}`,
    `/api/${token}?a=${token}`,
  ])
    for (const line of [gate, `${gate}\r\nContent-Length: x`]) await open(target, line)
  const events = await recorder.waitFor(27)
  assert.equal(events.length, 27)
  for (const event of events) {
    assert.match(
      event.target,
      /(?:invit|enter).*(?:token|code)(?:=|%(?:25)?3D)\*\*\*$|^\/invitation(?:%23token=\*\*\*)?$|^\/api\/\*\*\*$/i,
    )
    assert.ok(!JSON.stringify(event).includes(token.slice(1)), event.target)
  }
})

test('what is sent to a path like that of invitations stays in the record', async (context) => {
  const origin = await startRawOrigin()
  context.after(origin.close)
  const { port, recorder } = await startTestDataPlane(context, origin.port)
  const target = '/search?q=.sallyport/invite&token=%27%20OR%201=1--&x=/../../etc/passwd'
  await sendRaw(port, request(`GET ${target}`))
  const [event] = await recorder.waitFor(1)
  assert.equal(event?.target, target)
})

test('strangers cannot tell an unknown name from a closed site, nor learn of the origin', async (context) => {
  const { port, snapshots } = await startTestDataPlane(context, 1)
  snapshots.putSite(site(1, { enabled: false }))
  const pages = await Promise.all(
    [HOST, 'nobody.gate.localhost'].map((host) =>
      sendRaw(port, `GET / HTTP/1.1\r\nHost: ${host}\r\nAccept: text/html\r\n\r\n`),
    ),
  )
  const [closed, unknown] = pages.map((page) => page.text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID'))
  assert.equal(closed, unknown)
  assert.doesNotMatch(closed ?? '', /127\.0\.0\.1/)
})

test('a key of another organization and two keys do not enter', async (context) => {
  const { port, snapshots } = await startTestDataPlane(context, 1)
  snapshots.apply(
    { type: 'put', kind: 'organization', id: 'other', value: { id: 'other', name: 'Other', open: true } },
    {
      type: 'put',
      kind: 'researcher',
      id: 'r2',
      value: researcher({
        id: 'r2',
        orgId: 'other',
        keyHashes: [hashOf('rk_live_other')],
      }),
    },
  )
  const other = await sendRaw(port, `GET / HTTP/1.1\r\nHost: ${HOST}\r\nSallyport-Key: rk_live_other\r\n\r\n`)
  assert.equal(other.status, 401)
  assert.match(other.text, /unknown_credential/)
  assert.equal((await sendRaw(port, request('GET /', `Sallyport-Key: ${KEY}`))).status, 400)
})
