/** An inspection that fails by a fault of its own lets nothing pass, as any stage does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRawOrigin } from '../../support/raw-origin.ts'
import { request, sendRaw, startTestDataPlane, testSettings } from '../../support/test-data-plane.ts'

test('a body of which the inspection fails is refused, and is not counted as being inspected for ever', async (context) => {
  const origin = await startRawOrigin(context)
  const { dataPlane, port, recorder } = await startTestDataPlane(context, origin.port, {
    site: { firewall: { mode: 'enforce', overrides: [], exclusions: [] } },
    settings: { limits: { ...testSettings().limits, streamsPerResearcherMax: 1 } },
  })
  const engine = dataPlane.engines.current
  const { inspect } = engine
  const fail = async (): Promise<void> => {
    throw new Error('a fault')
  }
  engine.inspect = (...asked) => Object.assign(inspect.call(engine, ...asked), { inspectBody: fail })
  const post = `${request('POST /upload', 'Content-Type: text/plain', 'Content-Length: 5')}hello`
  for (let round = 0; round < 2; round += 1) assert.equal((await sendRaw(port, post)).status, 500)
  const events = await recorder.waitFor(2)
  assert.deepEqual(
    events.map(({ outcome, reason }) => `${outcome} ${reason}`),
    ['gate gate_error', 'gate gate_error'],
  )
  assert.equal(origin.connections, 0)
})
