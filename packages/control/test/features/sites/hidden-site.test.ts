/** A site of an earlier version may have the name that is the gate's own now: the operator is told of it, and of no other. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { warnOfHiddenSite } from '../../../src/features/sites/hidden-site.ts'
import { startTestControl } from '../../support/control.ts'

const control = await startTestControl()
after(control.close)

test('a site that has the name of the gate’s own host is warned of, and others are not', async () => {
  const { orgId, keys } = await control.createOrganization('First')
  const ids: string[] = []
  for (const gatedName of ['portal.gate.localhost', 'shop.gate.localhost']) {
    const body = { originName: 'https://shop.example', gatedName }
    const { status, json } = await control.call('POST', '/api/Sites', { key: keys.owner, body })
    assert.equal(status, 201)
    ids.push(json.id)
  }
  const warned: object[] = []
  const warn = (fields: object, line: string) => warned.push({ ...fields, line })
  await warnOfHiddenSite(control.database, 'sallyport.gate.localhost', warn)
  assert.deepEqual(warned, [])
  await warnOfHiddenSite(control.database, 'portal.gate.localhost', warn)
  const line = `no request reaches the site portal.gate.localhost: that is the gate's own host. Give the site another name, or the gate by SALLYPORT_GATE_HOST`
  assert.deepEqual(warned, [{ siteId: ids[0], orgId, line }])
})
