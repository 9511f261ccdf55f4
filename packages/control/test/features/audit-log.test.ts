import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Client } from 'pg'
import { startTestControl } from '../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const { keys, orgId } = await control.createOrganization('first')
const owner = { key: keys.owner }
const verify = async (query = '') => (await control.call('GET', `/api/AuditLog/verify${query}`, owner)).json

test('a change is in the log, and the log can be verified with a head that was kept', async () => {
  for (const name of ['one', 'two', 'three']) {
    const created = await control.call('POST', '/api/ApiKeys', { ...owner, body: { name } })
    assert.equal(created.status, 201, created.text)
  }
  const first = await verify()
  assert.deepEqual(first, { isIntact: true, entries: 3, head: first.head, firstBroken: null })
  assert.deepEqual(await verify(`?head=${first.head}`), first)
  const listed = await control.call('GET', '/api/AuditLog', owner)
  assert.equal(listed.json.items[0].hash, first.head)

  const database = new Client({ connectionString: control.settings.migrationDatabaseUrl })
  await database.connect()
  await database.query('DELETE FROM audit_log WHERE org_id = $1 AND sequence = 3', [orgId])
  assert.deepEqual(await verify(), { ...(await verify()), isIntact: false, firstBroken: 3 })
  await database.query(
    `UPDATE audit_heads SET sequence = 2, hash = (SELECT hash FROM audit_log WHERE org_id = $1 AND sequence = 2)
     WHERE org_id = $1`,
    [orgId],
  )
  await database.end()
  assert.equal((await verify()).isIntact, true)
  assert.equal((await verify(`?head=${first.head}`)).isIntact, false)
})

test('a head that is no hash is refused, and so is a viewer', async () => {
  assert.equal((await control.call('GET', '/api/AuditLog/verify?head=x', owner)).status, 400)
  assert.equal((await control.call('GET', '/api/AuditLog/verify', { key: keys.viewer })).status, 403)
})
