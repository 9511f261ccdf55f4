/**
 * Raw-socket attempts at request smuggling and desynchronization, towards an origin that records raw bytes. Whatever a
 * vector does: the origin never sees a request that is not in the record, nor one that a block rule should have stopped,
 * nor the credential; and the bytes it sees are exactly one well-framed request for each one that was forwarded.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { blockRule } from '../../../../test/support/block-rule.ts'
import { Silence } from '../../../../test/support/silence.ts'
import { BASE, post, SMUGGLED, vectors } from '../support/desync-vectors.ts'
import { OK, startRawOrigin } from '../support/raw-origin.ts'
import { parseStrictly } from '../support/strict-requests.ts'
import { HOST, KEY, sendRaw, startTestDataPlane, type TestDataPlane } from '../support/test-data-plane.ts'
import { ASKED, SWITCHED } from '../support/websocket.ts'

/** Sends a vector and waits until the gate closes, or is quiet. */
function send(port: number, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const silence = new Silence(() => socket.destroy())
    // Half-closed: a vector that leaves the gate waiting for more ends here.
    const patience = new Silence(() => socket.end())
    silence.await(1_000)
    patience.await(40)
    socket.on('data', () => silence.await(60))
    socket.on('error', () => {})
    socket.on('close', () => {
      silence.stop()
      patience.stop()
      resolve()
    })
    socket.write(Buffer.from(bytes, 'latin1'))
  })
}

async function startBlockingDataPlane(
  context: Parameters<typeof startTestDataPlane>[0],
  originPort: number,
): Promise<TestDataPlane> {
  const rule = blockRule('no-admin', '/admin')
  return await startTestDataPlane(context, originPort, { site: { blockRules: [rule] } })
}

test('no vector reaches the origin as anything but one recorded, well-framed request', async (context) => {
  const all = [...vectors()]
  assert.ok(all.length >= 300, `${all.length} vectors`)
  const origin = await startRawOrigin(context, (socket) => socket.write(OK))
  const dataPlane = await startBlockingDataPlane(context, origin.port)
  const GROUP = 16
  for (let from = 0; from < all.length; from += GROUP)
    await Promise.all(all.slice(from, from + GROUP).map(({ bytes }) => send(dataPlane.port, bytes)))
  await sleep(300)
  const recorded = new Map(dataPlane.recorder.events.map((event) => [event.id, event]))
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
  const forwarded = dataPlane.recorder.events.filter((event) => event.outcome === 'origin')
  assert.ok(forwarded.length >= seen, 'each forwarded request has its record')
  assert.ok(dataPlane.recorder.events.some((event) => event.reason === 'block_rule'))
  const malformed = dataPlane.recorder.events.filter((event) => event.reason === 'malformed_request')
  assert.ok(malformed.length > 100, `${malformed.length} refused as malformed and recorded`)
  const measured = await (await fetch(`http://127.0.0.1:${dataPlane.dataPlane.admin.port}/metrics`)).text()
  const ofMalformed =
    /^sallyport_requests_total\{method="\w+",outcome="gate",reason="malformed_request"\} (\d+)$/gm
  const counted = Array.from(measured.matchAll(ofMalformed), ([, count]) => Number(count))
  assert.equal(
    counted.reduce((total, count) => total + count),
    malformed.length,
    'each is counted, too',
  )
})

test('after any vector the connection is closed or the next request on it is judged by itself', async (context) => {
  const origin = await startRawOrigin(context, (socket) => socket.write(OK))
  const dataPlane = await startBlockingDataPlane(context, origin.port)
  const all = [...vectors()]
  for (let from = 0; from < all.length; from += 16)
    await Promise.all(
      all.slice(from, from + 16).map(({ bytes }) => {
        const stranger = `GET /stranger HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`
        return send(dataPlane.port, bytes + stranger)
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
  const origin = await startRawOrigin(context, (socket, head) =>
    socket.write(answers[head.split(' ')[1] ?? ''] ?? OK),
  )
  const { port, recorder } = await startBlockingDataPlane(context, origin.port)
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
  const origin = await startRawOrigin(context, (socket, head) => {
    if (head.startsWith('GET /in-body')) late.push(() => socket.write(OK.replace('ok', 'no')))
    else if (head.startsWith('GET /other')) for (const answer of late.splice(0)) answer()
    // After what is late, as on any connection.
    if (!head.startsWith('GET /in-body')) setImmediate(() => socket.write(OK))
  })
  const { port, snapshots } = await startTestDataPlane(context, origin.port)
  const other = 'rk_live_other'
  snapshots.putOther(other)
  const body = `GET /in-body HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`
  const posted = await sendRaw(port, post([`Content-Length: ${body.length}`, 'Connection: close'], body))
  assert.match(posted.text, /ok$/)
  assert.equal(late.length, 1)
  const headers = `Host: ${HOST}\r\nSallyport-Key: ${other}\r\nConnection: close`
  const answered = await sendRaw(port, `GET /other HTTP/1.1\r\n${headers}\r\n\r\n`)
  assert.match(answered.text, /ok$/)
  assert.equal(origin.connections, 2)
})
