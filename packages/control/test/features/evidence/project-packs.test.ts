/** Packs of a project: what of it they hold, and what of others they do not. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { archiveOf } from '../../../../evidence-pack/test/support/packs.ts'
import { filesOf, startWithTraffic } from './packs.ts'

const { control, mine, other, admin, siteId, download, check } = await startWithTraffic()
after(() => control.close())

test('the pack of a project has its items and checks, what of the coverage is theirs, and its audit entries', async () => {
  const make = async (method: string, path: string, body: object, key = mine.keys.admin) => {
    const answer = await control.call(method, path, { key, body })
    assert.ok(answer.status < 300, answer.text)
    return answer.json
  }
  const project = (await make('POST', '/api/Projects', { name: 'Winter' })).id
  const secret = (await make('POST', '/api/Projects', { name: 'Nobody else' })).id
  const item = async (name: string, projectId: string) =>
    (await make('PUT', '/api/Projects/updateProjectItem', { name, projectId })).id
  const [tied, untied, removed, foreign] = [
    ...[await item('tied', project), await item('untied', project), await item('removed', project)],
    await item('not of it', secret),
  ]
  const ties = [{ siteId }, { siteId, method: 'GET', template: '/never-there' }]
  await make('PUT', `/api/Projects/items/${tied}/check`, { state: 'passed', ties })
  for (const id of [removed, foreign])
    await make('PUT', `/api/Projects/items/${id}/check`, { state: 'issues' })
  await control.call('DELETE', `/api/Projects/items/${removed}`, admin)
  const made = await download(siteId, `?gte=now-1h&project=${project}`)
  const verified = await check(made)
  assert.deepEqual(verified.problems, [])
  assert.deepEqual(verified.manifest?.project, { id: project, name: 'Winter' })
  const files = await filesOf(made)
  const told = JSON.parse(files.get('project.json') ?? '')
  assert.equal(told.project.name, 'Winter')
  assert.deepEqual(
    told.items.map((one: { id: string; state: string }) => [one.id, one.state]),
    [
      [untied, 'not_started'],
      [tied, 'passed'],
    ],
  )
  const [, ofSite] = told.items
  assert.deepEqual(
    ofSite.ties.map((one: { status: string }) => one.status),
    ['in_force', 'vanished'],
  )
  // What is said of an item is what the coverage in the same pack adds up to.
  const { operations } = JSON.parse(files.get('coverage.json') ?? '')
  assert.equal(
    ofSite.verdict.requests,
    operations.reduce((sum: number, one: { requests: number }) => sum + one.requests, 0),
  )
  const audit = files.get('audit.ndjson') ?? ''
  for (const [id, isTold] of [
    [project, true],
    [tied, true],
    [removed, true],
    [secret, false],
    [foreign, false],
  ] as const)
    assert.equal(audit.includes(id), isTold, id)
  // Without the project, nothing of it: the pack is as it was before there were any.
  const alone = await download(siteId, '?gte=now-1h')
  assert.equal((await filesOf(alone)).has('project.json'), false)
  assert.equal((await check(alone)).manifest?.format, 'sallyport-evidence/2')
  files.set('project.json', (files.get('project.json') ?? '').replace('"passed"', '"issues"'))
  assert.match(
    (await check(await archiveOf(files))).problems.join(),
    /project\.json is not the file that was signed/,
  )
})

test('of ties to other sites the pack of a project tells how many there are, in its audit entries, too', async () => {
  const make = async (method: string, path: string, body?: object) => {
    const answer = await control.call(method, path, { ...admin, ...(body && { body }) })
    assert.ok(answer.status < 300, answer.text)
    return answer.json
  }
  const elsewhere = (await make('POST', '/api/Sites', { originName: 'https://elsewhere.example' })).id
  const project = (await make('POST', '/api/Projects', { name: 'Spring' })).id
  const item = async (name: string) =>
    (await make('PUT', '/api/Projects/updateProjectItem', { name, projectId: project })).id
  const [both, gone] = [await item('tied to both'), await item('tied to another, and removed')]
  const setCheck = (id: string, body: object) => make('PUT', `/api/Projects/items/${id}/check`, body)
  const ties = [{ siteId }, { siteId: elsewhere, method: 'GET', template: '/hidden/{operation}' }]
  await setCheck(both, { state: 'not_started', ties: [{ siteId }] })
  await setCheck(both, { state: 'not_started', ties })
  await setCheck(both, { state: 'passed', note: 'told all the same', ties })
  await setCheck(gone, { state: 'not_started', ties: ties.slice(1) })
  await make('DELETE', `/api/Projects/items/${gone}`)
  const made = await download(siteId, `?gte=now-1h&project=${project}`)
  assert.deepEqual((await check(made)).problems, [])
  const files = await filesOf(made)
  for (const [name, text] of files)
    assert.ok(!text.includes(elsewhere) && !text.includes('/hidden/'), `${name} tells of another site`)
  const audit = files.get('audit.ndjson') ?? ''
  assert.match(audit, /told all the same/)
  assert.match(audit, /tied to another, and removed/)
  const { items } = JSON.parse(files.get('project.json') ?? '')
  assert.deepEqual(
    items.map((one: { tiesElsewhere: number }) => one.tiesElsewhere),
    [1],
  )
})

test('of an item that went to another project the pack tells what was before, and what is once it is back', async () => {
  const make = async (method: string, path: string, body?: object) => {
    const answer = await control.call(method, path, { ...admin, ...(body && { body }) })
    assert.ok(answer.status < 300, answer.text)
    return answer.json
  }
  const [project, another] = [
    (await make('POST', '/api/Projects', { name: 'Autumn' })).id,
    (await make('POST', '/api/Projects', { name: 'Of somebody else' })).id,
  ]
  const put = (body: object) => make('PUT', '/api/Projects/updateProjectItem', body)
  const setCheck = (id: string, note: string) =>
    make('PUT', `/api/Projects/items/${id}/check`, { state: 'issues', note, ties: [] })
  const { id } = await put({ name: 'moved', projectId: project })
  await setCheck(id, 'note of before')
  await put({ id, name: 'moved', projectId: another })
  await setCheck(id, 'confidential note')
  await put({ id, name: 'confidential name', project: { id: another, note: 'confidential project' } })
  const audited = async () => {
    const made = await download(siteId, `?gte=now-1h&project=${project}`)
    assert.deepEqual((await check(made)).problems, [])
    return (await filesOf(made)).get('audit.ndjson') ?? ''
  }
  const away = await audited()
  assert.match(away, /note of before/)
  assert.doesNotMatch(away, /confidential/)
  await put({ id, name: 'back', projectId: project })
  await setCheck(id, 'note of after')
  assert.match(await audited(), /note of after/)
  // It goes, and the project that it goes to is changed, by one call: the text of one entry.
  await put({ id, name: 'gone', project: { id: another, note: 'a confidential move' } })
  await make('DELETE', `/api/Projects/items/${id}`)
  const gone = await audited()
  assert.match(gone, /note of after/)
  assert.doesNotMatch(gone, /a confidential move|"name":"gone"/)
})

test('what an organization paid, and for what, is in no pack', async () => {
  const body = { amount: 1, reason: 'confidential client' }
  const charged = await control.call('POST', '/api/Organization/charge', { key: mine.keys.owner, body })
  assert.equal(charged.status, 201, charged.text)
  const files = await filesOf(await download(siteId, '?gte=now-1h'))
  assert.doesNotMatch(files.get('audit.ndjson') ?? '', /credits|confidential client/)
})

test('a project of another organization is none, and the field is named', async () => {
  const theirs = await control.call('POST', '/api/Projects', {
    key: other.keys.admin,
    body: { name: 'theirs' },
  })
  for (const project of [theirs.json.id, 'nonsense']) {
    const answer = await control.call('GET', `/api/Evidence/${siteId}?project=${project}`, admin)
    assert.deepEqual([answer.status, answer.json.errors[0].path], [400, 'query/project'])
  }
  const mineOfTheirs = await control.call('GET', `/api/Evidence/${siteId}?project=${theirs.json.id}`, {
    key: other.keys.admin,
  })
  assert.equal(mineOfTheirs.status, 404)
})
