import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { callerOf, startTestControl } from '../../support/control.ts'

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

test('many verifications of one organization leave the database to the others', async () => {
  const other = await control.createOrganization('second')
  const database = new Client({ connectionString: control.settings.migrationDatabaseUrl })
  await database.connect()
  // A log that takes long: none of them goes on before this ends.
  await database.query('BEGIN; LOCK TABLE audit_heads IN ACCESS EXCLUSIVE MODE')
  const verifying = Array.from({ length: 40 }, () => control.call('GET', '/api/AuditLog/verify', owner))
  const isLocked = async () =>
    (await database.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rows.length >= 2
  while (!(await isLocked())) await sleep(10)
  const answer = await Promise.race([
    control.call('GET', '/api/Organization', { key: other.keys.viewer }),
    sleep(5_000, { status: 0 }),
  ])
  await database.query('ROLLBACK')
  await database.end()
  assert.equal(answer.status, 200)
  const verified = await Promise.all(verifying)
  assert.ok(verified.some(({ json }) => json.isIntact === true))
  for (const { status, json, headers } of verified)
    assert.ok(status === 200 || (json.code === 'unavailable' && headers.get('retry-after') === '10'))
})

test('a head that is no hash is refused, and so is a viewer', async () => {
  assert.equal((await control.call('GET', '/api/AuditLog/verify?head=x', owner)).status, 400)
  assert.equal((await control.call('GET', '/api/AuditLog/verify', { key: keys.viewer })).status, 403)
})

test('the audit log tells who did what, by page, and is intact', async () => {
  const busy = await control.createOrganization('busy')
  const call = callerOf(control, busy.keys.owner)
  for (let count = 0; count < 6; count++)
    await call('POST', '/api/Sites', { originName: `${count}.example.com` })
  await call('POST', '/api/Hackers', { email: 'ada@example.com' })
  const first = await call('GET', '/api/AuditLog?limit=3')
  assert.equal(first.json.items.length, 3)
  const rest = await call('GET', `/api/AuditLog?limit=500&cursor=${first.json.next}`)
  assert.equal(rest.json.next, null)
  const sequences = [...first.json.items, ...rest.json.items].map(
    ({ sequence }: { sequence: number }) => sequence,
  )
  assert.deepEqual(
    sequences,
    Array.from({ length: sequences.length }, (_, index) => sequences.length - index),
  )
  const sites = await call('GET', '/api/AuditLog?action=site')
  assert.equal(sites.json.items.length, 6)
  assert.ok(sites.json.items.every(({ action }: { action: string }) => action.startsWith('site.')))
  const verified = await call('GET', '/api/AuditLog/verify')
  assert.deepEqual([verified.json.isIntact, verified.json.entries], [true, sequences.length])
})
