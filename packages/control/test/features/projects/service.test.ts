import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { callerOf, startTestControl } from '../../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const { keys } = await control.createOrganization('projects')
const call = callerOf(control, keys.owner)
const other = await control.createOrganization('other')

test('operation 1 creates and replaces an item with its project, and refuses what is not its', async () => {
  const body = {
    name: 'item',
    project: { name: 'project', isRetestNeeded: true, launchDate: '2026-01-01T00:00:00+02:00' },
  }
  const made = await call('PUT', '/api/Projects/updateProjectItem', body)
  assert.equal(made.status, 200, made.text)
  assert.equal(made.json.project.launchDate, '2025-12-31T22:00:00.000Z')
  assert.equal(made.json.projectId, made.json.project.id)
  assert.equal('endDate' in made.json.project, false)
  const echoed = await call('PUT', '/api/Projects/updateProjectItem', { ...made.json, name: 'renamed' })
  assert.equal(echoed.status, 200, echoed.text)
  assert.deepEqual(echoed.json, { ...made.json, name: 'renamed' })
  const path = '/api/Projects/updateProjectItem'
  assert.equal((await call('PUT', path, { ...made.json, extra: 1 })).status, 400)
  const deep = await call('PUT', path, { ...made.json, project: { ...made.json.project, extra: 1 } })
  assert.deepEqual(deep.json.errors[0].path, '/project/extra')
  assert.equal((await call('PUT', path, { ...made.json, projectId: other.orgId })).status, 400)
  assert.equal((await call('PUT', path, { ...made.json, orgId: other.orgId })).status, 404)
  assert.equal((await callerOf(control, other.keys.owner)('PUT', path, made.json)).status, 404)
  const items = await call('GET', `/api/Projects/${made.json.projectId}/items`)
  assert.deepEqual(items.json, { items: [echoed.json], next: null })
  assert.equal((await call('DELETE', `/api/Projects/${made.json.projectId}`)).status, 204)
  assert.equal((await call('GET', `/api/Projects/items/${made.json.id}`)).status, 404)
})

test('an item that is sent back with its project undoes no change that another has made of that', async () => {
  const path = '/api/Projects/updateProjectItem'
  const { json: one } = await call('PUT', path, { name: 'one', project: { name: 'as read' } })
  const { json: two } = await call('PUT', path, { name: 'two', project: one.project })
  const read = (id: string) => call('GET', `/api/Projects/items/${id}`)
  const sendBack = ({ json, headers }: Awaited<ReturnType<typeof read>>) =>
    control.call('PUT', path, {
      key: keys.owner,
      body: { ...json, location: '/here' },
      headers: { 'if-match': headers.get('etag') ?? '' },
    })
  const asRead = await read(one.id)
  await call('PUT', `/api/Projects/${one.projectId}`, { name: 'renamed' })
  assert.equal((await sendBack(asRead)).status, 412)
  const again = await read(one.id)
  await call('PUT', path, { ...two, project: { ...one.project, name: 'renamed with the other item' } })
  assert.equal((await sendBack(again)).status, 412)
  const last = await read(one.id)
  assert.equal((await sendBack(await read(two.id))).status, 200)
  assert.equal((await sendBack(last)).status, 200, 'a change of another item alone stands in nobody’s way')
  assert.equal((await call('GET', `/api/Projects/${one.projectId}`)).json.name, 'renamed with the other item')
})

test('twenty items that change their project at once all do', async () => {
  const path = '/api/Projects/updateProjectItem'
  const { json: project } = await call('POST', '/api/Projects', { name: 'shared' })
  const items = await Promise.all(
    Array.from({ length: 20 }, async () => (await call('PUT', path, { name: 'item', project })).json),
  )
  const answers = await Promise.all(
    items.map((item, index) => call('PUT', path, { ...item, project: { ...project, name: `by ${index}` } })),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
})
