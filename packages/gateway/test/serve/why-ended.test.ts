/** How fast access ends, of streams and WebSockets, too. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startRawOrigin } from '../support/raw-origin.ts'
import { streamingOrigin, watch } from '../support/streams.ts'
import { request, researcher, site, startTestDataPlane } from '../support/test-data-plane.ts'
import { ASKED } from '../support/websocket.ts'

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
    const after = await dataPlane.send('GET /')
    assert.ok(after.status === 401 || after.status === 403 || after.status === 503, String(after.status))
    const events = await dataPlane.recorder.waitFor(4)
    const cut = events.filter((event) => event.reason === 'access_ended')
    assert.deepEqual(cut.map((event) => event.kind).sort(), ['request', 'websocket_close'])
    const closed = cut.find((event) => event.kind === 'websocket_close')
    assert.deepEqual([closed?.messagesIn, closed?.messagesOut], [1, 1])
  })

test('when a site gets another origin, nothing goes on at the one before, and what comes reaches the new one', async (context) => {
  const originPort = await streamingOrigin(context)
  const { port, snapshots, send, recorder } = await startTestDataPlane(context, originPort)
  const stream = watch(port, request('GET /stream'))
  const tunnel = watch(port, UPGRADE)
  const areOpen = () => stream.received().includes('begin') && tunnel.received().includes('101')
  for (let waited = 0; !areOpen() && waited < 3_000; waited += 10) await sleep(10)
  snapshots.putSite(site(originPort, { instructions: 'Be kind.' }))
  await sleep(300)
  assert.deepEqual(
    recorder.events.map(({ kind }) => kind),
    ['websocket_open'],
    'of the same origin all goes on',
  )
  const other = await startRawOrigin(context)
  snapshots.putSite(site(other.port))
  const closed = Promise.all([stream.closedAt, tunnel.closedAt]).then(() => 'closed')
  assert.equal(await Promise.race([closed, sleep(1_000, 'open')]), 'closed')
  assert.equal((await send('GET /')).status, 200)
  assert.equal(other.connections, 1)
  const cut = (await recorder.waitFor(4)).filter(({ reason }) => reason === 'access_ended')
  assert.deepEqual(cut.map(({ kind }) => kind).sort(), ['request', 'websocket_close'])
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
