/** A body that takes its time: what its sender may do is what they may do once it is there. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { callerOf, startTestControl } from '../../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const { orgId, keys } = await control.createOrganization('slow bodies')
const asOwner = callerOf(control, keys.owner)
const BODY = JSON.stringify({ email: 'late@example.com', role: 'owner' })
/** Longer than keys are remembered, and than a request is believed to be of whoever sent its head. */
const PAUSE_MS = 700

/** Sends the head and some of the body, the rest after `meanwhile` and a pause; resolves to the status. */
async function inviteSlowly(key: string, meanwhile: () => Promise<unknown>): Promise<number> {
  const outgoing = request(`${control.url}/api/Members`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': String(BODY.length),
    },
  })
  const answered = new Promise<number>((resolve, reject) => {
    outgoing.once('error', reject)
    outgoing.once('response', (incoming) => {
      incoming.resume()
      resolve(incoming.statusCode ?? 0)
    })
  })
  outgoing.write(BODY.slice(0, 5))
  await delay(200)
  await meanwhile()
  await delay(PAUSE_MS)
  outgoing.end(BODY.slice(5))
  return answered
}

async function createKey(): Promise<{ readonly id: string; readonly key: string }> {
  const { json } = await asOwner('POST', '/api/ApiKeys', { name: 'slow', role: 'owner' })
  return json
}

test('who is let in no more while a body is on its way changes nothing by it', async () => {
  const { id, key } = await createKey()
  assert.equal(await inviteSlowly(key, () => asOwner('DELETE', `/api/ApiKeys/${id}`)), 401)
  assert.deepEqual((await asOwner('GET', '/api/Members')).json.items, [])
})

test('a role that is lowered while a body is on its way is the one that counts', async () => {
  const { id, key } = await createKey()
  const lower = () =>
    control.database.write(orgId, (tx) =>
      tx.query(`UPDATE api_keys SET role = 'admin' WHERE org_id = $1 AND id = $2`, [orgId, id]),
    )
  assert.equal(await inviteSlowly(key, lower), 403)
  assert.deepEqual((await asOwner('GET', '/api/Members')).json.items, [])
})

test('who is still let in is served, however long the body took', async () => {
  const { key } = await createKey()
  assert.equal(await inviteSlowly(key, async () => {}), 201)
})
