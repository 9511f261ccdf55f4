/** Changes of state, told exactly once however many look at the same time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../../src/database/database.ts'
import { tellChanges } from '../../../src/notify/sources/watch-states.ts'
import { addOrganization, openTestDatabase } from '../../support/database.ts'

const { database, owner } = await openTestDatabase()
const orgId = await addOrganization(database, 'acme')
await database.write(orgId, (tx) =>
  tx.query(
    `INSERT INTO notification_destinations (org_id, id, kind, name, target, types, created_by, created_at)
     VALUES ($1, $2, 'webhook', 'all', 'sealed', $3, 'test', now() - interval '1 minute')`,
    [orgId, newId(), ['researcher.paused', 'gateway.behind', 'origin.failing', 'origin.recovered']],
  ),
)
const fail = (error: unknown): void => assert.fail(String(error))
/** Looks from several control planes at once, and returns what has been told of a type since the beginning. */
async function look(type: string): Promise<number> {
  await Promise.all(Array.from({ length: 8 }, () => tellChanges(database, fail)))
  const rows = await database.read(orgId, (tx) =>
    tx.query(
      'SELECT 1 FROM notifications n JOIN notification_deliveries d ON d.notification_id = n.id WHERE type = $1',
      [type],
    ),
  )
  return rows.length
}

test('each pause of a researcher is told once', async () => {
  const pause = (paused: boolean): Promise<unknown> =>
    database.write(orgId, (tx) =>
      tx.query(
        `INSERT INTO researchers (org_id, id, email, created_by, paused)
         VALUES ($1, '019a0000-0000-7000-8000-000000000001', 'r@example.com', 'test', $2)
         ON CONFLICT (id) DO UPDATE SET paused = $2`,
        [orgId, paused],
      ),
    )
  await pause(true)
  assert.equal(await look('researcher.paused'), 1)
  assert.equal(await look('researcher.paused'), 1)
  await pause(false)
  assert.equal(await look('researcher.paused'), 1)
  await pause(true)
  assert.equal(await look('researcher.paused'), 2)
})

test('an origin fails until it is found well; that nobody knows how it is is no recovery', async () => {
  const [siteId] = await database.write(orgId, (tx) =>
    tx.query<{ id: string }>(
      `INSERT INTO sites (org_id, id, origin_name, origin_scheme, origin_host, origin_port, gated_name, is_enabled,
         starts_at, stops_at, created_by)
       VALUES ($1, $2, 'a', 'https', 'a.example.com', 443, 'a.gate.localhost', true, now(), now(), 'test') RETURNING id`,
      [orgId, newId()],
    ),
  )
  const find = async (state: string, sinceSecondsAgo = 0): Promise<number[]> => {
    const since = Date.now() - sinceSecondsAgo * 1_000
    const health = state === 'unknown' ? [] : [{ siteId: siteId?.id, state, reason: '', since }]
    await database.writeInstallation((tx) =>
      tx.query(
        `INSERT INTO gateways (id, revision, seen_at, health, assertion_keys, journal)
         VALUES ('there', 1000000, now() + interval '30 seconds', $1, '{"keys": []}', '{}')
         ON CONFLICT (id) DO UPDATE SET health = $1`,
        [JSON.stringify(health)],
      ),
    )
    return [await look('origin.failing'), await look('origin.recovered')]
  }
  assert.deepEqual(await find('failing', 30), [0, 0], 'for no minute yet')
  assert.deepEqual(await find('failing', 90), [1, 0])
  assert.deepEqual(await find('open'), [1, 0], 'worse, and not well for that')
  assert.deepEqual(await find('unknown'), [1, 0])
  assert.deepEqual(await find('healthy'), [1, 0])
  assert.deepEqual(await find('failing', 90), [2, 0])
  assert.deepEqual(await find('healthy'), [2, 1])
})

test('a gateway is behind that has not taken the last change for a minute', async () => {
  await database.writeInstallation((tx) =>
    tx.query(
      `INSERT INTO gateways (id, revision, seen_at, health, assertion_keys, journal)
       VALUES ('slow', 0, now() + interval '30 seconds', '[]', '{"keys": []}', '{}')`,
    ),
  )
  assert.equal(await look('gateway.behind'), 0)
  await owner.query('ALTER TABLE audit_log NO FORCE ROW LEVEL SECURITY')
  await owner.query(`UPDATE audit_log SET time = now() - interval '2 minutes'`)
  assert.equal(await look('gateway.behind'), 1)
  assert.equal(await look('gateway.behind'), 1)
})
