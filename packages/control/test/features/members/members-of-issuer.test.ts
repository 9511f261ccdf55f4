/** Members where people sign in with an issuer of the organization's own: none of them has a password here. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestControl } from '../../support/control.ts'
import { oidcSettings } from '../../support/oidc.ts'

const control = await startTestControl({ oidc: oidcSettings() })
after(() => control.close())
const { keys, orgId } = await control.createOrganization('shop')
const owner = { key: keys.owner }

async function addOwner(email: string): Promise<string> {
  const added = await control.call('POST', '/api/Members', { ...owner, body: { email, role: 'owner' } })
  assert.equal(added.json.state, 'active')
  return added.json.id
}

test('an owner can be taken away while another one remains', async () => {
  const [leaves, stays] = [await addOwner('leaves@example.com'), await addOwner('stays@example.com')]
  assert.equal((await control.call('DELETE', `/api/Members/${leaves}`, owner)).status, 204)
  assert.equal((await control.call('DELETE', `/api/Members/${stays}`, owner)).status, 409)
})

test('a new invitation lets another subject take the place', async () => {
  const id = await addOwner('rebound@example.com')
  const bound = `UPDATE members SET issuer = 'https://old.example', subject = 'before' WHERE id = $1`
  await control.database.write(orgId, (tx) => tx.query(bound, [id]))
  assert.equal((await control.call('POST', `/api/Members/${id}/invite`, owner)).status, 201)
  const [member] = await control.database.read(orgId, (tx) =>
    tx.query('SELECT issuer, subject FROM members WHERE id = $1', [id]),
  )
  assert.deepEqual(member, { issuer: null, subject: null })
})
