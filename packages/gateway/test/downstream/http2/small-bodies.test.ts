/** A body that turns out to be too much with its last frame is refused, and nothing else happens. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../record/support.ts'
import { FrameClient } from '../../support/http2/frame-client.ts'
import { startHttp2DataPlane } from '../../support/http2/http2-client.ts'
import { GATE_HOST } from '../../support/test-data-plane.ts'

for (const sizes of [[1, 5_000], [3_000, 3_000], [5_000], [5_000, 1], [1, 1, 5_000, 1]])
  test(`a body of ${sizes.join(' and ')} bytes is more than the gate's own host takes`, async (context) => {
    const { dataPlane, recorder } = await startHttp2DataPlane(context, 1, {
      gateUrl: `https://${GATE_HOST}`,
    })
    const client = await FrameClient.open(context, dataPlane, GATE_HOST)
    const frames = sizes.map((size) => Buffer.alloc(size, 'x'))
    const fields = [
      ['content-type', 'application/json'],
      ['sec-fetch-site', 'same-origin'],
    ] as const
    const answer = client.request('/api/session', frames, ...fields)
    await until(() => answer.ended, 'the refusal')
    const [event] = await recorder.waitFor(1)
    assert.deepEqual([event?.status, event?.reason], [413, 'body_too_large'])
  })
