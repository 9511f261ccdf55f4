/** Answers that share a window of their connection which is full end as answers do, and not by a reset. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../record/support.ts'
import { FrameClient, type SeenStream } from '../../support/http2/frame-client.ts'
import { startHttp2DataPlane } from '../../support/http2/http2-client.ts'
import { startRawOrigin } from '../../support/raw-origin.ts'
import { researcher } from '../../support/test-data-plane.ts'

/** Streams in all, in rounds of as many at once. */
const STREAMS = Number(process.env.SALLYPORT_TEST_STREAMS ?? 600)
const AT_ONCE = 100

/** An origin that answers `/<status>/<bytes>`, in chunks of which the last comes later where the path ends in `chunks`. */
const startSizedOrigin = (context: TestContext) =>
  startRawOrigin(context, (socket, head) => {
    const [, status, bytes, how] = head.split(' ')[1]?.split('/') ?? []
    const body = 'y'.repeat(Number(bytes))
    if (how !== 'chunks') {
      socket.write(`HTTP/1.1 ${status} X\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
      return
    }
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n`
    socket.write(`HTTP/1.1 ${status} X\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`)
    setTimeout(() => socket.write('0\r\n\r\n'), 5)
  })

async function receiveAll(client: FrameClient, streams: readonly SeenStream[], grant: number): Promise<void> {
  const isOver = (stream: SeenStream): boolean => stream.ended || stream.resets.length > 0
  for (let waitedMs = 0; !streams.every(isOver) && waitedMs < 20_000; waitedMs += 2) {
    if (client.window < grant) client.grant(grant)
    await sleep(2)
  }
}

for (const [what, path, bytes] of [
  ['of a length', '/200/13107', 13_107],
  ['in chunks', '/200/20000/chunks', 20_000],
  ['of next to nothing', '/200/700', 700],
  ['of nothing', '/200/0', 0],
] as const)
  test(`answers ${what} are whole, have their end, and are not reset`, async (context) => {
    const origin = await startSizedOrigin(context)
    const { dataPlane, recorder } = await startHttp2DataPlane(context, origin.port)
    const client = await FrameClient.open(context, dataPlane)
    for (let begun = 0; begun < STREAMS; begun += AT_ONCE) {
      const streams = Array.from({ length: AT_ONCE }, () => client.request(path))
      await receiveAll(client, streams, 10_000)
    }
    const ends = new Set([...client.streams.values()].map((stream) => JSON.stringify(stream)))
    assert.deepEqual([...ends], [JSON.stringify({ bytes, ended: true, resets: [] })])
    const events = await recorder.waitFor(STREAMS)
    assert.deepEqual([...new Set(events.map(({ status, reason }) => `${status} ${reason}`))], ['200 '])
  })

test('an upload that is refused unread has its whole answer and its end, and is over', async (context) => {
  const { dataPlane, recorder, snapshots } = await startHttp2DataPlane(context, 1)
  snapshots.putResearcher(researcher({ paused: true }))
  const client = await FrameClient.open(context, dataPlane)
  const count = 80
  const page = client.request('/', [Buffer.from('hello')])
  await until(() => page.ended, 'the first answer')
  client.grant(Math.max(0, Math.ceil(page.bytes / 2)))
  const streams = Array.from({ length: count }, () => client.request('/', [Buffer.from('hello')]))
  await receiveAll(client, streams, Math.ceil(page.bytes / 2))
  for (const stream of streams) assert.deepEqual([stream.bytes, stream.ended], [page.bytes, true])
  const events = await recorder.waitFor(count + 1)
  assert.deepEqual([...new Set(events.map(({ reason }) => reason))], ['researcher_paused'])
})
