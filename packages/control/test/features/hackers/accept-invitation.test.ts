/** An invitation is used up once, whoever asks and however many at once; a lost answer can be had again, for a minute. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { GATEWAY_TOKEN, startTestControl } from '../../support/control.ts'

const control = await startTestControl()
after(() => control.close())

const ATTEMPT = 'a'.repeat(22)
const OTHER = 'b'.repeat(22)

async function accept(invitation: string, more: object = {}, token = GATEWAY_TOKEN) {
  const secret = invitation.split('#token=')[1] ?? ''
  const body = {
    gatewayId: 'g',
    tokenHash: createHash('sha256').update(secret).digest('hex'),
    attempt: ATTEMPT,
    requestId: crypto.randomUUID(),
    keepResearcherId: '',
    ...more,
  }
  const answer = await fetch(`${control.url}/gateway/invitations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, json: answer.status === 200 ? await answer.json() : null }
}

async function invited() {
  const { orgId, keys } = await control.createOrganization('invitations')
  const body = { email: 'ada@example.com' }
  const { json } = await control.call('POST', '/api/Hackers', { key: keys.owner, body })
  return { orgId, key: keys.owner, id: json.id as string, link: json.invitation as string }
}

test('an invitation is used up by the first attempt, which alone is answered again', async () => {
  const { orgId, key, id, link } = await invited()
  assert.match(link, /^http:\/\/sallyport\.gate\.localhost:7080\/invitation#token=[\w-]{32}$/)
  assert.equal((await accept(link, {}, 'wrong')).status, 401)
  assert.equal((await accept(link, { keepResearcherId: crypto.randomUUID() })).status, 409)
  const accepted = await accept(link, { keepResearcherId: id })
  assert.deepEqual(accepted.json, { researcherId: id, orgId, sessionGeneration: 1 })
  assert.deepEqual((await accept(link)).json, accepted.json)
  assert.equal((await accept(link, { attempt: OTHER })).status, 404)
  await control.database.write(orgId, (tx) =>
    tx.query("UPDATE researcher_invitations SET expires_at = expires_at - interval '61 seconds'"),
  )
  assert.equal((await accept(link)).status, 404, 'after a minute')
  const log = await control.call('GET', '/api/AuditLog', { key })
  const entries = log.json.items.filter(
    ({ action }: { action: string }) => action === 'researcher.acceptInvitation',
  )
  assert.equal(entries.length, 1)
  assert.deepEqual(entries[0].actor, { kind: 'researcher', id, email: 'ada@example.com' })
  assert.deepEqual(entries[0].target, { kind: 'hacker', id })
})

test('of many attempts at once one gets in', async () => {
  const { link } = await invited()
  const attempts = Array.from({ length: 12 }, (_none, number) => `${number}`.padStart(22, '0'))
  const answers = await Promise.all(attempts.map((attempt) => accept(link, { attempt })))
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  assert.equal(answers.filter(({ status }) => status === 404).length, 11)
})

test('ended sessions, a lapsed link and a removed researcher leave nothing to accept, and no attempt to repeat', async () => {
  const { orgId, key, id, link } = await invited()
  const invite = async () =>
    (await control.call('POST', `/api/Hackers/${id}/invite`, { key, body: { days: 1 } })).json.invitation
  const open = await invite()
  assert.equal((await accept(link)).status, 200)
  assert.equal((await control.call('POST', `/api/Hackers/${id}/endSessions`, { key })).status, 200)
  assert.equal((await accept(link)).status, 404)
  assert.equal((await accept(open)).status, 404)
  const next = await invite()
  assert.equal((await accept(next)).json.sessionGeneration, 2)
  const lapsed = await invite()
  await control.database.write(orgId, (tx) =>
    tx.query("UPDATE researcher_invitations SET expires_at = now() - interval '1 second'"),
  )
  assert.equal((await accept(lapsed)).status, 404)
  const last = await invite()
  assert.equal((await control.call('DELETE', `/api/Hackers/${id}`, { key })).status, 204)
  assert.equal((await accept(last)).status, 404)
})

test('what a gateway asks is bounded', async () => {
  const { link } = await invited()
  for (const wrong of [
    { tokenHash: 'x' },
    { attempt: 'short' },
    { requestId: 'x' },
    { keepResearcherId: 'x' },
    { gatewayId: '' },
  ])
    assert.equal((await accept(link, wrong)).status, 400, JSON.stringify(wrong))
  assert.equal((await accept('#token=unknown')).status, 404)
})
