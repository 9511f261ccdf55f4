/** Traces of an installation: spans of both planes, joined where a gateway calls the control plane, and by nobody else. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type ReceivedSpan,
  type SpanReceiver,
  startSpanReceiver,
} from '../../packages/tracing/test/support/span-receiver.ts'
import { eventually, type Installation, startInstallation } from '../support/installation.ts'
import { type Origin, startOrigin } from '../support/origin.ts'
import { createSite } from '../support/site.ts'

const HOST = 'shop.gate.localhost'
const SOMEBODYS = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${SOMEBODYS}-b7ad6b7169203331-01`

let receiver: SpanReceiver
let origin: Origin
let installation: Installation

before(async () => {
  receiver = await startSpanReceiver()
  origin = await startOrigin()
  installation = await startInstallation({
    environment: {
      SALLYPORT_TRACES_URL: receiver.url,
      SALLYPORT_TRACES_AUTHORIZATION: 'Bearer collector-token',
      SALLYPORT_TRACES_PART: '1',
      SALLYPORT_GATEWAY_THREADS: '2',
    },
  })
})
after(async () => {
  await installation.remove()
  await origin.close()
  await receiver.close()
})

const find = (test: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> =>
  eventually(async () => receiver.spans.find(test), 20_000)

test('a change, a request and its batch are seen with what they waited for', async () => {
  const site = await createSite(installation, HOST, origin.url)
  const answer = await installation.gate(HOST, '/orders/top-secret?token=hidden', {
    headers: { traceparent },
  })
  assert.equal(answer.status, 200)
  const requestId = String(answer.headers['sallyport-request-id'])

  const change = await find(({ name }) => name === 'sitesCreate')
  assert.equal(change.service, 'sallyport-control')
  assert.equal(change.attributes['http.response.status_code'], 201)
  const stored = await find(
    ({ parentSpanId, name }) => parentSpanId === change.spanId && /change$/.test(name),
  )
  assert.deepEqual([stored.traceId, stored.name], [change.traceId, 'postgresql change'])

  const request = await find(({ attributes }) => attributes['sallyport.request_id'] === requestId)
  assert.equal(request.service, 'sallyport-gateway')
  assert.deepEqual(request.attributes, {
    'http.response.status_code': 200,
    'sallyport.request_id': requestId,
    'sallyport.site_id': site.id,
    'sallyport.outcome': 'origin',
  })
  const firstByte = await find(({ parentSpanId }) => parentSpanId === request.spanId)
  assert.ok(firstByte.endedAt <= request.endedAt && firstByte.endedAt >= request.startedAt)

  const inserted = await find(
    ({ name, parentSpanId }) => name === 'clickhouse insert' && parentSpanId !== undefined,
  )
  const taken = await find(({ spanId }) => spanId === inserted.parentSpanId)
  assert.deepEqual([taken.name, taken.attributes['http.response.status_code']], ['gatewayBatches', 204])
  const sent = await find(({ spanId }) => spanId === taken.parentSpanId)
  assert.deepEqual([sent.service, sent.name], ['sallyport-gateway', 'POST /gateway/batches'])
  assert.deepEqual([inserted.traceId, taken.traceId], [sent.traceId, sent.traceId])
})

test('neither a researcher nor who calls the API has what they send traced under a name of theirs', async () => {
  const answer = await installation.gate(HOST, '/again', { headers: { traceparent } })
  const { controlUrl, firstRun } = installation
  const called = await fetch(`${controlUrl}/api/Sites`, {
    headers: { traceparent, authorization: `Bearer ${firstRun.apiKey}` },
  })
  const stranger = await fetch(`${controlUrl}/gateway/batches`, { method: 'POST', headers: { traceparent } })
  assert.deepEqual([answer.status, called.status, stranger.status], [200, 200, 401])
  const ids = [answer.headers['sallyport-request-id'], called.headers.get('x-request-id')]
  for (const id of ids) await find(({ attributes }) => attributes['sallyport.request_id'] === id)
  assert.deepEqual(
    receiver.spans.filter(({ traceId }) => traceId === SOMEBODYS),
    [],
  )
})

test('nothing of what was asked for, and no secret, is in a trace', async () => {
  await installation.stop()
  const all = JSON.stringify(receiver.spans)
  assert.doesNotMatch(all, /top-secret|hidden|sk_live|rk_live|gate\.localhost/)
  const { firstRun } = installation
  assert.ok(!all.includes(firstRun.apiKey) && !all.includes(firstRun.researcher.key))
  assert.deepEqual(
    new Set(receiver.headers.map(({ authorization }) => authorization)),
    new Set(['Bearer collector-token']),
  )
})
