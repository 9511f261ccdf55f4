/** The data plane connects to no address that is forbidden, in whatever spelling an origin names it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRawOrigin } from '../../support/raw-origin.ts'
import { request, sendRaw, site, startTestDataPlane, testSettings } from '../../support/test-data-plane.ts'

for (const host of [
  '127.0.0.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '127.1',
  '::1',
  'localhost',
  '::ffff:127.0.0.1',
])
  test(`an origin named ${host} is not connected to unless loopback is allowed`, async (context) => {
    const origin = await startRawOrigin(context)
    const config = { origin: { scheme: 'http', host, port: origin.port } } as const
    const settings = testSettings({ allowPrivateOrigins: [] })
    const { port } = await startTestDataPlane(context, origin.port, { settings, site: config })
    const answer = await sendRaw(port, request('GET /'), 400)
    assert.equal(answer.status, 502)
    assert.match(answer.text, /origin_forbidden_address|origin_unreachable/)
    assert.equal(origin.connections, 0)
    assert.equal(site(1).id, 'site-1')
  })
