/** The assertion that reaches an origin is valid when it does, whatever became of the request or the clock before. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { OK, startRawOrigin } from '../../support/raw-origin.ts'
import { request, sendRaw, startTestDataPlane } from '../../support/test-data-plane.ts'

const HOUR_MS = 3_600_000

test('an assertion is as old as its arrival, when a request waited and when the clock is set back', async (context) => {
  const heads: string[] = []
  const origin = await startRawOrigin(context, (socket, head) => {
    heads.push(head)
    socket.write(OK)
  })
  const { port, recorder } = await startTestDataPlane(context, origin.port)
  const start = Date.now()
  context.mock.timers.enable({ apis: ['Date'], now: start })
  const ageOfNext = async (): Promise<number> => {
    assert.equal((await sendRaw(port, request('GET /'), 30)).status, 200)
    const assertion = /\r\nSallyport-Assertion: (\S+)/.exec(heads.at(-1) ?? '')?.[1] ?? ''
    return Math.floor(Date.now() / 1000) - (decodeJwt(assertion).iat ?? 0)
  }
  const { intend } = recorder
  recorder.intend = (intent) => {
    context.mock.timers.setTime(start + HOUR_MS)
    return intend.call(recorder, intent)
  }
  assert.equal(await ageOfNext(), 0)
  recorder.intend = intend
  context.mock.timers.setTime(start)
  assert.equal(await ageOfNext(), 0)
  context.mock.timers.setTime(start + 60_000)
  assert.equal(await ageOfNext(), 60)
})
