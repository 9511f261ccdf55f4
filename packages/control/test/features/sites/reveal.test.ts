/** A gateway reveals a site's credentials to a researcher; the organization's audit log says so. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { GATEWAY_TOKEN, startTestControl } from '../../support/control.ts'

const control = await startTestControl()
after(() => control.close())

const reveal = (token: string, body: unknown) =>
  fetch(`${control.url}/gateway/reveal`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

test('credentials are revealed within the organization, and each reveal is audited', async () => {
  const { keys } = await control.createOrganization('reveal')
  const other = await control.createOrganization('other')
  const owner = { key: keys.owner }
  const body = { originName: 'example.com', credentials: 'user: ada' }
  const siteId = (await control.call('POST', '/api/Sites', { ...owner, body })).json.id
  const invite = async (key: string) =>
    (await control.call('POST', '/api/Hackers', { key, body: { email: 'a@example.com' } })).json.id
  const asked = { gatewayId: 'g', siteId, requestId: crypto.randomUUID() }
  const mine = { ...asked, researcherId: await invite(keys.owner) }
  const revealed = await reveal(GATEWAY_TOKEN, mine)
  assert.equal(revealed.status, 200)
  assert.deepEqual(await revealed.json(), { credentials: 'user: ada' })
  assert.equal((await reveal('wrong', mine)).status, 401)
  assert.equal((await reveal(GATEWAY_TOKEN, { ...mine, siteId: 'x' })).status, 400)
  const foreign = { ...asked, researcherId: await invite(other.keys.owner) }
  assert.equal((await reveal(GATEWAY_TOKEN, foreign)).status, 404)
  const log = await control.call('GET', '/api/AuditLog', owner)
  const entries = log.json.items.filter(
    (entry: { action: string }) => entry.action === 'site.credentials.reveal',
  )
  assert.equal(entries.length, 1)
  assert.equal(entries[0].actor.kind, 'researcher')
  assert.ok(!log.text.includes('user: ada'))
})
