/** Nothing under the gate's own path of a gated host goes to an origin, however it is spelled. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRawOrigin } from '../../support/raw-origin.ts'
import { request, sendRaw, startTestDataPlane } from '../../support/test-data-plane.ts'

test('no reading of a path of ours reaches the origin', async (context) => {
  const origin = await startRawOrigin(context)
  const { port, send } = await startTestDataPlane(context, origin.port)
  for (const target of [
    '/.sallyport',
    '/.sallyport/nothing',
    '/.sallyport/api/me',
    '/.sallyport/index.html',
    '/.sallyport/enter/',
    '/.sallyport/api/../x',
    '/%2esallyport/x',
    '/%252esallyport/x',
    '/x/../.sallyport/x',
    '//.sallyport/x',
    '/\\.sallyport\\x',
    '/.SALLYPORT/x',
    '/.sallyport;a=b/x',
    '/.sallyport#x',
    '/.sallyport/#/../../x',
    '/.sallyport/enter#?code=x',
    '/x#/../.sallyport/x',
  ])
    assert.equal((await sendRaw(port, request(`GET ${target}`), 30)).status, 404, target)
  assert.equal(origin.connections, 0)
  assert.equal((await send('GET /sallyport/x?.sallyport')).status, 200)
})
