import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { createCipher } from '../../src/secrets/cipher.ts'
import { startTestControl } from '../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const { keys, orgId } = await control.createOrganization('secrets')
const SECRET = 'the words nobody may read'

test('credentials are nowhere in the database or the audit log in the clear', async () => {
  const body = { originName: 'secrets.example.com', credentials: SECRET }
  const { json } = await control.call('POST', '/api/Sites', { key: keys.owner, body })
  assert.equal(json.credentials, SECRET)
  await control.call('PATCH', `/api/Sites/${json.id}`, {
    key: keys.owner,
    body: { credentials: `${SECRET} 2` },
  })
  const rows = await control.database.read(orgId, (tx) =>
    tx.query('SELECT to_jsonb(s) AS row FROM sites s UNION ALL SELECT to_jsonb(a) FROM audit_log a'),
  )
  assert.ok(rows.length >= 3)
  assert.doesNotMatch(JSON.stringify(rows), /nobody may read/)
})

test('a sealed text opens nowhere else, and not when it was altered', () => {
  const cipher = createCipher(randomBytes(32))
  const sealed = cipher.encrypt('text', 'here')
  assert.equal(cipher.decrypt(sealed, 'here'), 'text')
  assert.throws(() => cipher.decrypt(sealed, 'there'))
  const altered = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA')
  assert.throws(() => cipher.decrypt(altered, 'here'))
})
