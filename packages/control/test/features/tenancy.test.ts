/** From the other side: whatever one organization asks for, nothing of another one changes or shows. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { OPERATIONS } from '@sallyport/contract'
import { startTestControl } from '../support/control.ts'
import { createFixture, exampleRequest } from '../support/fixtures.ts'

const control = await startTestControl()
after(() => control.close())
const victim = await createFixture(control, 'victim')
const intruder = await createFixture(control, 'intruder')
/** Streams without an end; their filters are tested with the analytics. */
const ENDLESS = new Set(['analyticsTail'])

/** What the control plane writes without being asked: uses of keys, attempts to deliver. */
const CHANGED_BY_ITSELF = [
  'last_used_at',
  'attempts',
  'next_attempt_at',
  'last_attempt_at',
  'outcome',
  'failing_since',
]

/** A digest of every row of an organization, in every tenant table. */
async function digestOf(orgId: string): Promise<Record<string, string>> {
  return control.database.read(orgId, async (tx) => {
    const tables = await tx.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND column_name = 'org_id'
         AND table_name NOT IN ('config_revisions', 'notification_states', 'notification_sightings', 'site_routes')`,
    )
    const digests: Record<string, string> = {}
    for (const { name } of tables) {
      const rows = await tx.query<{ row: string }>(
        `SELECT to_jsonb(t) - $1::text[] AS row FROM ${name} t ORDER BY 1`,
        [CHANGED_BY_ITSELF],
      )
      assert.ok(
        rows.every(({ row }) => JSON.stringify(row).includes(orgId)),
        name,
      )
      digests[name] = createHash('sha256').update(JSON.stringify(rows)).digest('hex')
    }
    return digests
  })
}

test('no operation of one organization changes or shows a thing of another', async () => {
  const before = await digestOf(victim.orgId)
  assert.ok(Object.keys(before).length > 15)
  const secrets = [...Object.values(victim.ids), ...Object.values(victim.keys)].filter((id) => id !== '')
  for (const operation of OPERATIONS) {
    if (ENDLESS.has(operation.id)) continue
    // Asked for with the identifiers of the other organization, its own name for the tenant, and both.
    for (const ids of [
      victim.ids,
      { ...victim.ids, orgId: intruder.orgId },
      { ...intruder.ids, orgId: victim.orgId },
    ]) {
      const { path, options } = exampleRequest(operation, ids, intruder.keys.owner)
      const answer = await control.call(operation.method, path, options)
      assert.ok(answer.status < 500, `${operation.id} answered ${answer.status}: ${answer.text}`)
      const sent = path + JSON.stringify(options.body ?? '')
      for (const secret of secrets)
        assert.ok(sent.includes(secret) || !answer.text.includes(secret), `${operation.id} shows ${secret}`)
    }
  }
  assert.deepEqual(await digestOf(victim.orgId), before)
})

test('lists hold the things of their own organization only', async () => {
  for (const operation of OPERATIONS) {
    if (operation.method !== 'GET' || operation.path.includes('{') || ENDLESS.has(operation.id)) continue
    const answer = await control.call('GET', operation.path, { key: victim.keys.owner })
    assert.ok(!answer.text.includes(intruder.orgId), operation.id)
    for (const id of Object.values(intruder.ids)) assert.ok(!answer.text.includes(id), operation.id)
  }
})

test('a name that another organization uses tells no more than that it is taken', async () => {
  const { json: site } = await control.call('GET', `/api/Sites/${victim.ids.siteId}`, {
    key: victim.keys.owner,
  })
  const asIntruder = (body: unknown) => control.call('POST', '/api/Sites', { key: intruder.keys.owner, body })
  const derived = await asIntruder({ originName: site.originName })
  assert.equal(derived.status, 201, 'an origin that another organization has is not refused')
  assert.notEqual(derived.json.gatedName, site.gatedName)
  const taken = await asIntruder({ originName: 'mine.example.com', gatedName: site.gatedName })
  assert.equal(taken.json.detail, 'This gated name is taken.')
  const sameAddress = await control.call('POST', '/api/Hackers', {
    key: intruder.keys.owner,
    body: { email: 'only-the-victim-knows@example.com' },
  })
  assert.equal(sameAddress.status, 201)
})
