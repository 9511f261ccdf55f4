import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { streamingOrigin, watch } from '../../support/streams.ts'
import { request, researcher, startTestDataPlane } from '../../support/test-data-plane.ts'
import { ASKED } from '../../support/websocket.ts'

const UPGRADE = request('GET /socket', ...ASKED)

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

test('the answer that opens a WebSocket has its time to the first byte in the record', async (context) => {
  const { port, recorder } = await startTestDataPlane(context, await streamingOrigin(context))
  watch(port, UPGRADE)
  const [opened] = await recorder.waitFor(1)
  assert.deepEqual([opened?.kind, opened?.status], ['websocket_open', 101])
  assert.ok(opened && opened.firstByteUs > 0 && opened.firstByteUs <= opened.durationUs)
})
