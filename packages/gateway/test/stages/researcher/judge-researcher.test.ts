import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEY, requestWith, sendRaw, startTestDataPlane } from '../../support/test-data-plane.ts'

test('a key of another organization and two keys do not enter', async (context) => {
  const { port, snapshots, send } = await startTestDataPlane(context, 1)
  snapshots.putOtherOrganization('other', 'rk_live_other')
  const other = await sendRaw(port, requestWith('rk_live_other', 'GET /'))
  assert.equal(other.status, 401)
  assert.match(other.text, /unknown_credential/)
  assert.equal((await send('GET /', `Sallyport-Key: ${KEY}`)).status, 400)
})
