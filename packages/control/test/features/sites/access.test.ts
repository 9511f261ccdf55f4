import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { callerOf, startTestControl } from '../../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const { keys } = await control.createOrganization('access')
const call = callerOf(control, keys.owner)

test('operation 5 says who may enter and why', async () => {
  const site = (await call('POST', '/api/Sites', { originName: 'a.example.com', isActive: true })).json
  const hacker = (await call('POST', '/api/Hackers', { email: 'in@example.com' })).json
  const validate = async (more: object = {}) => {
    const body = { siteId: site.id, email: 'IN@example.com', id: hacker.id, ...more }
    const answer = await call('GET', '/api/Sites/validateHacker', body)
    assert.equal(answer.status, 200, answer.text)
    return `${answer.json.allowed} ${answer.json.reason}`
  }
  assert.equal(await validate(), 'true admitted_all')
  assert.equal(await validate({ email: 'out@example.com' }), 'false unknown_researcher')
  await call('POST', '/api/Sites/allowedHackerType', { id: site.id, allowedHackerType: true })
  assert.equal(await validate(), 'false researcher_not_listed')
  const listed = await call('PUT', `/api/Sites/${site.id}/hackers`, { ids: [hacker.id] })
  assert.deepEqual(listed.json, { siteId: site.id, hasCustomList: true, ids: [hacker.id] })
  assert.equal(await validate(), 'true admitted_listed')
  await call('PATCH', `/api/Hackers/${hacker.id}`, { paused: true })
  assert.equal(await validate(), 'false researcher_paused')
  await call('POST', '/api/Organization/stop')
  assert.equal(await validate(), 'false organization_closed')
  await call('POST', '/api/Organization/resume')
  const query = await call('GET', `/api/Sites/validateHacker?siteId=${site.id}&id=${hacker.id}`)
  assert.equal(query.json.email, 'in@example.com')
  assert.equal((await call('GET', '/api/Sites/validateHacker', {})).status, 400)
})
