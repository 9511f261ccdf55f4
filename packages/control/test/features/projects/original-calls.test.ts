/** The calls on projects of the original interface, by its paths and fields. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '../../../src/database/database.ts'
import { callerOf, startTestControl } from '../../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const mine = await control.createOrganization('mine')
const other = await control.createOrganization('other')
const call = callerOf(control, mine.keys.admin)
const asOther = callerOf(control, other.keys.owner)

test('a project is made, replaced by the id in the body, and read', async () => {
  const body = {
    name: 'Q3',
    description: 'scope',
    launchDate: '2025-07-01T09:00:00Z',
    endDate: '2025-07-14T17:00:00Z',
  }
  const created = await call('POST', '/api/projects', body)
  assert.equal(created.status, 201)
  const { description: _gone, ...kept } = created.json
  const replaced = await call('PUT', '/api/projects', {
    ...kept,
    note: 'Scoping call completed.',
    isRetestNeeded: true,
  })
  assert.equal(replaced.status, 200, replaced.text)
  const { json } = await call('GET', `/api/projects/${created.json.id}`)
  assert.deepEqual(json, replaced.json)
  assert.deepEqual(
    [json.note, json.description, json.isRetestNeeded, json.creationDate],
    ['Scoping call completed.', null, true, created.json.creationDate],
  )
  assert.equal((await call('PUT', '/api/projects', { name: 'no id' })).json.errors[0].path, '/id')
  assert.equal((await call('PUT', '/api/projects', { id: newId(), name: 'unknown' })).status, 404)
  assert.equal((await call('PUT', '/api/projects', { ...kept, orgId: other.orgId })).status, 404)
})

test('items are made in a project, updated, and listed over all projects, page by page where asked', async () => {
  const organization = await control.createOrganization('items')
  const own = callerOf(control, organization.keys.admin)
  const [one, two] = [
    await own('POST', '/api/projects', { name: 'a' }),
    await own('POST', '/api/projects', { name: 'b' }),
  ]
  const made = []
  for (const { json } of [one, two, one]) {
    const answer = await own('POST', '/api/projects/createProjectItem', {
      name: 'customer-portal',
      projectId: json.id,
    })
    assert.equal(answer.status, 201, answer.text)
    assert.deepEqual([answer.json.projectId, answer.json.type, answer.json.location], [json.id, null, null])
    made.push(answer.json)
  }
  const listed = await own('GET', '/api/projects/getProjectItems')
  assert.deepEqual(
    listed.json,
    made.toReversed().map(({ project: _project, ...item }) => item),
  )
  const first = await own('GET', '/api/projects/getProjectItems?limit=2')
  assert.equal(first.json.length, 2)
  const next = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  const second = await own('GET', next)
  assert.deepEqual([...first.json, ...second.json], listed.json)
  assert.equal(second.headers.get('link'), null)

  const { id, projectId } = made[0]
  const updated = await own('PUT', '/api/projects/updateProjectItem', {
    id,
    projectId,
    name: 'portal',
    type: 'web',
  })
  const read = await own('GET', `/api/projects/getProjectItem/${id}`)
  assert.deepEqual([read.json, read.json.type], [updated.json, 'web'])
  for (const [body, pointer] of [
    [{ name: 'x' }, '/projectId'],
    [{ projectId }, '/name'],
    [{ name: ' ', projectId }, '/name'],
    [{ name: 'x', projectId, id }, '/id'],
    [{ name: 'x', projectId, more: 1 }, '/more'],
  ] as const) {
    const answer = await own('POST', '/api/projects/createProjectItem', body)
    assert.deepEqual([answer.status, answer.json.errors[0].path], [400, pointer])
  }
})

test('another organization finds and changes none of them', async () => {
  const project = await call('POST', '/api/projects', { name: 'hidden' })
  const item = await call('POST', '/api/projects/createProjectItem', {
    name: 'hidden',
    projectId: project.json.id,
  })
  for (const [projectId, itemId] of [
    [project.json.id, item.json.id],
    [newId(), newId()],
  ]) {
    const answers = [
      await asOther('PUT', '/api/projects', { id: projectId, name: 'taken' }),
      await asOther('POST', '/api/projects/createProjectItem', { name: 'x', projectId }),
      await asOther('GET', `/api/projects/getProjectItem/${itemId}`),
    ]
    for (const { status, json } of answers) assert.deepEqual([status, json.code], [404, 'not_found'])
  }
  assert.deepEqual((await asOther('GET', '/api/projects/getProjectItems')).json, [])
  assert.equal((await call('GET', `/api/projects/${project.json.id}`)).json.name, 'hidden')
})
