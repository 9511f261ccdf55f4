import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestControl } from '../../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const { keys, orgId } = await control.createOrganization('sites')
const owner = { key: keys.owner }

test('a site is created, limited, listed, disabled and enabled', async () => {
  const created = await control.call('POST', '/api/Sites', {
    ...owner,
    body: { originName: 'https://Shop.example.com:8443', isActive: true, credentials: 'secret words' },
  })
  assert.equal(created.status, 201, created.text)
  const site = created.json
  assert.equal(site.gatedName, 'shop-example-com.gate.localhost')
  assert.equal(site.isActive, true)
  assert.equal(site.orgId, orgId)
  assert.equal(site.credentials, 'secret words')
  assert.equal(created.headers.get('etag'), '"1"')

  const limited = await control.call('POST', '/api/sites/setRateLimiting', {
    ...owner,
    body: { id: site.id, rateLimit: 'fixed' },
  })
  assert.equal(limited.status, 200, limited.text)
  assert.equal(limited.json.rateLimit, 'fixed')
  const unknown = await control.call('POST', '/api/sites/setRateLimiting', {
    ...owner,
    body: { id: site.id, rateLimit: 'nothing' },
  })
  assert.equal(unknown.status, 400)
  assert.match(unknown.json.errors[0].message, /fixed, sliding/)

  const listed = await control.call('GET', '/API/sites', owner)
  assert.deepEqual(listed.json, [limited.json])
  const seenByViewer = await control.call('GET', `/api/Sites/${site.id}`, { key: keys.viewer })
  assert.equal(seenByViewer.json.credentials, '***')

  const disabled = await control.call('GET', `/api/Sites/disable/${site.id}`, owner)
  assert.equal(disabled.status, 200, disabled.text)
  assert.equal(disabled.json.isActive, false)
  assert.deepEqual((await control.call('GET', `/api/Sites/disable/${site.id}`, owner)).json, disabled.json)
  const enabled = await control.call('POST', `/api/Sites/enable/${site.id}`, owner)
  assert.equal(enabled.json.isActive, true)
})
