/** What a gateway serves when its lease runs out: nothing, with a reason of its own, and streams are cut. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { feedPut } from '@sallyport/contract'
import { Lease } from '../../../src/lease/lease.ts'
import { streamingOrigin, watch } from '../../support/streams.ts'
import {
  ask,
  GATE_HOST,
  HOST,
  KEY,
  request,
  sendRaw,
  startTestDataPlane,
} from '../../support/test-data-plane.ts'
import { ASKED } from '../../support/websocket.ts'

const LEASE_MS = 10_000

test('past its lease an organization is answered 503 and its streams are cut; a renewal opens it again', async (context) => {
  let nowMs = 0
  const lease = new Lease(() => ({ monotonicMs: nowMs, wallMs: nowMs }))
  const originPort = await streamingOrigin(context)
  const { port, snapshots, recorder } = await startTestDataPlane(context, originPort, { lease })
  snapshots.apply(feedPut('organization', 'org', { id: 'org', name: 'Org', open: true, leaseMs: LEASE_MS }))
  const before = await sendRaw(port, request('GET /'))
  assert.equal(before.status, 503, 'nothing was ever vouched for')
  lease.vouchedAt(lease.now())
  assert.equal((await sendRaw(port, request('GET /'))).status, 200)

  const stream = watch(port, request('GET /stream'))
  const tunnel = watch(port, request('GET /socket', ...ASKED))
  const isRunning = () => stream.received().includes('begin') && tunnel.received().includes('101')
  for (let waited = 0; !isRunning() && waited < 3_000; waited += 10) await sleep(10)
  assert.ok(isRunning())
  nowMs = LEASE_MS - 1
  await sleep(400)
  assert.equal((await sendRaw(port, request('GET /'))).status, 200)
  const from = Date.now()
  nowMs = LEASE_MS
  const refused = await sendRaw(port, request('GET /'))
  assert.equal(refused.status, 503)
  assert.match(refused.text, /^Retry-After: 5\r$/m)
  assert.match(refused.text, /"reason":"lease_ended"/)
  assert.ok((await stream.closedAt) - from < 1_000)
  assert.ok((await tunnel.closedAt) - from < 1_000)
  const events = await recorder.waitFor(7)
  const cut = events
    .filter(({ reason }) => reason === 'lease_ended')
    .map(({ kind, status }) => [kind, status])
  assert.deepEqual(cut.map(String).sort(), ['request,200', 'request,503', 'request,503', 'websocket_close,0'])

  const stranger = await sendRaw(port, `GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
  assert.equal(stranger.status, 401, 'a stranger learns nothing of it')
  const page = await ask(port, 'GET', new URL(`http://${GATE_HOST}:${port}/api/sites`), {
    headers: { 'Sallyport-Key': KEY },
  })
  assert.deepEqual([page.status, page.json?.reason], [503, 'lease_ended'])
  lease.vouchedAt(lease.now())
  assert.equal((await sendRaw(port, request('GET /'))).status, 200)
})

test('without a lease in its configuration, as of an older control plane, a site is served for ever', async (context) => {
  const originPort = await streamingOrigin(context)
  const { port } = await startTestDataPlane(context, originPort, { lease: new Lease() })
  assert.equal((await sendRaw(port, request('GET /'))).status, 200)
})
