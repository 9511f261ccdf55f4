import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { listenForTest } from '../../../test/support/loopback.ts'
import { beginSpan, inSpan, isTracing, startTracing, type TraceHeaders, traceHeaders } from '../src/index.ts'
import { type SpanReceiver, startSpanReceiver } from './support/span-receiver.ts'

/** Traces one thing, of which the receiver gets the spans. */
async function traced(
  receiver: Pick<SpanReceiver, 'url'>,
  act: () => Promise<unknown>,
  given: {
    readonly part?: number
    readonly authorization?: string
    readonly failed?: (reason: string) => void
  } = {},
): Promise<void> {
  const { part = 1, authorization = null, failed = (reason) => assert.fail(reason) } = given
  const process = { service: 'tested', instance: 'here', version: '1.0.0', failed }
  const stop = await startTracing({ url: receiver.url, authorization, part }, process)
  try {
    await act()
  } finally {
    await stop()
  }
}

async function openReceiver(context: TestContext, status?: number): Promise<SpanReceiver> {
  const receiver = await startSpanReceiver(status)
  context.after(receiver.close)
  return receiver
}

test('while nothing is traced, things are done and nothing is said of them', async () => {
  const stop = await startTracing(null, { service: '', instance: '', version: '', failed: assert.fail })
  assert.equal(isTracing(), false)
  assert.equal(beginSpan({ name: 'a', kind: 'internal' }), null)
  assert.equal(await inSpan({ name: 'a', kind: 'internal' }, async () => 7), 7)
  assert.deepEqual(traceHeaders(), {})
  await stop()
})

test('what is done within a span is its child, over promises and timers', async (context) => {
  const receiver = await openReceiver(context)
  await traced(receiver, () =>
    inSpan({ name: 'outer', kind: 'server', attributes: { size: 3, part: 0.5, on: true } }, async () => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      await Promise.all([
        inSpan({ name: 'left', kind: 'client' }, async () => undefined),
        inSpan({ name: 'right', kind: 'internal' }, async () => undefined),
      ])
    }),
  )
  const { spans } = receiver
  const outer = spans.find(({ name }) => name === 'outer')
  assert.ok(outer)
  assert.deepEqual([outer.service, outer.instance, outer.parentSpanId], ['tested', 'here', undefined])
  assert.deepEqual(outer.attributes, { size: 3, part: 0.5, on: true })
  assert.ok(outer.endedAt - outer.startedAt >= 4)
  const children = spans.filter(({ name }) => name !== 'outer')
  assert.deepEqual(children.map(({ name }) => name).sort(), ['left', 'right'])
  for (const { traceId, parentSpanId } of children)
    assert.deepEqual([traceId, parentSpanId], [outer.traceId, outer.spanId])
})

test('a callee that is told the headers belongs to the same trace', async (context) => {
  const receiver = await openReceiver(context)
  let headers: TraceHeaders = {}
  await traced(receiver, async () => {
    await inSpan({ name: 'call', kind: 'client' }, async () => {
      headers = traceHeaders()
    })
    beginSpan({ name: 'answer', kind: 'server', caller: headers })?.end({ status: 204 })
  })
  const [call, answer] = receiver.spans
  assert.equal(headers.traceparent, `00-${call?.traceId}-${call?.spanId}-01`)
  assert.deepEqual([answer?.traceId, answer?.parentSpanId], [call?.traceId, call?.spanId])
  assert.deepEqual(answer?.attributes, { status: 204 })
})

test('headers that name no trace, or none that can be, begin one', async (context) => {
  const receiver = await openReceiver(context)
  const hostile = [
    '',
    'x'.repeat(100_000),
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'again'],
  ]
  await traced(receiver, async () => {
    for (const traceparent of hostile)
      beginSpan({ name: 'answer', kind: 'server', caller: { traceparent } })?.end()
    beginSpan({ name: 'answer', kind: 'server', caller: {} })?.end()
  })
  assert.equal(receiver.spans.length, hostile.length + 1)
  assert.deepEqual(new Set(receiver.spans.map(({ parentSpanId }) => parentSpanId)), new Set([undefined]))
  assert.equal(new Set(receiver.spans.map(({ traceId }) => traceId)).size, hostile.length + 1)
})

test('who joins a trace keeps to what was decided where it began', async (context) => {
  const receiver = await openReceiver(context)
  const caller = (flags: string) => ({
    traceparent: `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flags}`,
  })
  const answer = async () => {
    beginSpan({ name: 'left out', kind: 'server', caller: caller('00') })?.end()
    beginSpan({ name: 'kept', kind: 'server', caller: caller('01') })?.end()
  }
  await traced(receiver, answer, { part: 0 })
  await traced(receiver, answer, { part: 1 })
  assert.deepEqual(
    receiver.spans.map(({ name }) => name),
    ['kept', 'kept'],
  )
})

test('nothing is kept of traces that begin where their part is none', async (context) => {
  const receiver = await openReceiver(context)
  const outer = () => inSpan({ name: 'outer', kind: 'internal' }, async () => traceHeaders())
  await traced(receiver, outer, { part: 0 })
  assert.deepEqual(receiver.spans, [])
})

test('a span that ended in the past says when, and one that failed says that', async (context) => {
  const receiver = await openReceiver(context)
  await traced(receiver, async () => {
    const span = beginSpan({ name: 'past', kind: 'server', startedAt: 1_790_000_000_000.5 })
    span?.end({}, { failed: true, endedAt: 1_790_000_000_020.75 })
    span?.end({ late: true })
    await inSpan({ name: 'broken', kind: 'client' }, () => Promise.reject(new Error('no'))).catch(
      () => undefined,
    )
  })
  const [past, broken] = receiver.spans
  assert.deepEqual([past?.startedAt, past?.endedAt], [1_790_000_000_000.5, 1_790_000_000_020.75])
  assert.deepEqual([past?.failed, past?.attributes, broken?.failed], [true, {}, true])
})

test('the authorization is shown, and nothing is handed to where a redirect leads', async (context) => {
  const receiver = await openReceiver(context, 307)
  const reasons: string[] = []
  await traced(receiver, async () => beginSpan({ name: 'a', kind: 'internal' })?.end(), {
    authorization: 'Bearer secret',
    failed: (reason) => void reasons.push(reason),
  })
  assert.equal(receiver.headers.length, 1)
  assert.equal(receiver.headers[0]?.authorization, 'Bearer secret')
  assert.equal(reasons.length, 1)
})

test('a collector that is away or silent keeps nothing from ending', async (context) => {
  const reasons: string[] = []
  const silent = createServer((socket) => void socket.on('data', () => socket.destroy()))
  const { port } = await listenForTest(context, silent)
  for (const url of [`http://127.0.0.1:${port}/v1/traces`, 'http://127.0.0.1:1/v1/traces'])
    await traced({ url }, async () => beginSpan({ name: 'a', kind: 'internal' })?.end(), {
      failed: (reason) => void reasons.push(reason),
    })
  assert.equal(reasons.length, 2)
})

test('it is begun once in a thread', async (context) => {
  const receiver = await openReceiver(context)
  const process = { service: 'tested', instance: 'here', version: '1.0.0', failed: assert.fail }
  const settings = { url: receiver.url, authorization: null, part: 1 }
  await traced(receiver, async () => {
    await assert.rejects(startTracing(settings, process), /already/)
  })
  assert.equal(isTracing(), false)
})
