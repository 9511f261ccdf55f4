/** What many do at once to the same thing. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { startTestControl } from '../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const { keys, orgId } = await control.createOrganization('races')
const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  control.call(method, path, { key: keys.owner, headers, ...(body !== undefined && { body }) })
const AT_ONCE = 50
const atOnce = <T>(work: (index: number) => Promise<T>, count = AT_ONCE): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

async function createSite() {
  const { json } = await call('POST', '/api/Sites', { originName: 'races.example.com' })
  return json
}

test('of fifty changes of one version, one happens and the others are told', async () => {
  const { id } = await createSite()
  const answers = await atOnce((index) =>
    call('PATCH', `/api/Sites/${id}`, { instructions: `writer ${index}` }, { 'if-match': '"1"' }),
  )
  const done = answers.filter(({ status }) => status === 200)
  assert.equal(done.length, 1)
  assert.ok(answers.every(({ status }) => status === 200 || status === 412))
  assert.equal((await call('GET', `/api/Sites/${id}`)).json.instructions, done[0]?.json.instructions)
})

test('of fifty changes of different fields without a version, none is lost', async () => {
  const { id } = await createSite()
  const changes = [
    { instructions: 'kept' },
    { rateLimit: 'fixed' },
    { blockList: '[{"id":"one","pathPrefix":"/admin"}]' },
    { credentials: 'kept too' },
    { isActive: true },
  ]
  const answers = await atOnce((index) => call('PATCH', `/api/Sites/${id}`, changes[index % changes.length]))
  assert.ok(answers.every(({ status }) => status === 200))
  const { json } = await call('GET', `/api/Sites/${id}`)
  assert.deepEqual(
    [
      json.instructions,
      json.rateLimit,
      JSON.parse(json.blockList)[0].pathPrefix,
      json.credentials,
      json.isActive,
    ],
    ['kept', 'fixed', '/admin', 'kept too', true],
  )
})

test('of fifty charges against a hundred credits, exactly as many succeed as are covered', async () => {
  const answers = await atOnce((index) =>
    call('POST', '/api/Organization/charge', { amount: 7, reason: `${index}` }),
  )
  const done = answers.filter(({ status }) => status === 201)
  assert.equal(done.length, Math.floor(100 / 7))
  assert.ok(answers.every(({ status, json }) => status === 201 || json.code === 'insufficient_credits'))
  const balances = done.map(({ json }) => json.balance).toSorted((one, other) => other - one)
  assert.deepEqual(
    balances,
    Array.from({ length: 14 }, (_, index) => 100 - 7 * (index + 1)),
  )
  assert.equal((await call('GET', '/api/Organization')).json.credits, 2)
})

test('twenty creations under one Idempotency-Key are one, with one answer', async () => {
  const body = { email: 'once@example.com' }
  const answers = await atOnce(() => call('POST', '/api/Hackers', body, { 'idempotency-key': 'k 1' }), 20)
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  assert.equal((await call('GET', '/api/Hackers')).json.items.length, 1)
  const another = await call(
    'POST',
    '/api/Hackers',
    { email: 'else@example.com' },
    { 'idempotency-key': 'k 1' },
  )
  assert.equal(another.json.code, 'idempotency_conflict')
})

test('of twenty creations of one gated name, one is made', async () => {
  const body = { originName: 'name.example.com', gatedName: 'wanted.gate.localhost' }
  const answers = await atOnce(() => call('POST', '/api/Sites', body), 20)
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(answers.filter(({ json }) => json.code === 'gated_name_taken').length, 19)
})

test('pausing all, listing and removing at once ends in no error and an intact audit log', async () => {
  const hackers = await atOnce(async (index) => {
    const { json } = await call('POST', '/api/Hackers', { email: `many${index}@example.com` })
    return json.id as string
  }, 20)
  const answers = await atOnce((index) => {
    if (index % 4 === 0) return call('POST', '/api/Hackers/bulk', { action: 'pause', all: true })
    if (index % 4 === 1) return call('PATCH', `/api/Hackers/${hackers[index % 20]}`, { paused: false })
    if (index % 4 === 2) return call('GET', '/api/Hackers')
    return call('DELETE', `/api/Hackers/${hackers[index % 20]}`)
  })
  assert.ok(answers.every(({ status }) => status < 500))
  assert.equal((await call('GET', '/api/AuditLog/verify')).json.isIntact, true)
})

/** Changes a row and commits only once `work` waits for it. Answers what `work` does. */
async function whileChanging<Answer>(
  sql: string,
  values: readonly string[],
  work: () => Promise<Answer>,
): Promise<Answer> {
  const changer = new Client({ connectionString: control.settings.migrationDatabaseUrl })
  await changer.connect()
  await changer.query(`BEGIN; SET LOCAL app.org_id = '${orgId}'`)
  assert.equal((await changer.query(sql, [...values])).rowCount, 1)
  let isAnswered = false
  const working = work().finally(() => {
    isAnswered = true
  })
  const isWaiting = async (): Promise<boolean> =>
    (await changer.query(`SELECT 1 FROM pg_locks WHERE NOT granted`)).rows.length > 0
  while (!isAnswered && !(await isWaiting())) await delay(10)
  await changer.query('COMMIT')
  const answer = await working
  await changer.end()
  return answer
}

test('a researcher who is being removed while a site lists them is an unknown one', async () => {
  const site = await createSite()
  const { json: hacker } = await call('POST', '/api/Hackers', { email: 'leaving@example.com' })
  const answer = await whileChanging('DELETE FROM researchers WHERE id = $1', [hacker.id], () =>
    call('PUT', `/api/Sites/${site.id}/hackers`, { ids: [hacker.id] }),
  )
  assert.equal(answer.status, 400, answer.text)
  assert.ok(answer.json.errors[0].message.startsWith(hacker.id))
})

test('a destination that is being removed while it is tested is an unknown one', async () => {
  const body = { kind: 'webhook', name: 'leaving', target: 'http://127.0.0.1:9/', types: [] }
  const { json } = await call('POST', '/api/Notifications/destinations', body)
  const answer = await whileChanging('DELETE FROM notification_destinations WHERE id = $1', [json.id], () =>
    call('POST', `/api/Notifications/destinations/${json.id}/test`),
  )
  assert.equal(answer.status, 404, answer.text)
})

test('a group that waits for another change of it is as that left it', async () => {
  const { json: group } = await call('POST', '/api/SiteGroups', { gatedName: 'raced.gate.localhost' })
  const putIn = `WITH raced AS (UPDATE site_groups SET version = version + 1 WHERE id = $1 RETURNING id)
    UPDATE sites SET group_id = raced.id FROM raced WHERE sites.id = $2`
  const path = `/api/SiteGroups/${group.id}`
  const [one, two] = [await createSite(), await createSite()]
  const removed = await whileChanging(putIn, [group.id, one.id], () => call('DELETE', path))
  assert.equal(removed.json?.code, 'conflict', removed.text)
  const emptied = await whileChanging(putIn, [group.id, two.id], () =>
    call('PUT', `${path}/sites`, { sites: [] }),
  )
  assert.deepEqual(emptied.json.sites, [], emptied.text)
  const [entry] = (await call('GET', '/api/AuditLog?action=siteGroup.setSites&limit=1')).json.items
  assert.deepEqual(
    entry.before.sites.map(({ id }: { id: string }) => id).toSorted(),
    [one.id, two.id].toSorted(),
  )
})

test('sites of a group that are renamed, removed and put into it at once all get an answer', async () => {
  const { json: group } = await call('POST', '/api/SiteGroups', { gatedName: 'busy.gate.localhost' })
  const ids = await atOnce(async () => (await createSite()).id as string, 8)
  const sites = ids.map((id, index) => ({ id, label: `l${index}` }))
  const fill = () => call('PUT', `/api/SiteGroups/${group.id}/sites`, { sites })
  assert.equal((await fill()).status, 200)
  const answers = await atOnce((index) => {
    const path = `/api/Sites/${ids[index % 8]}`
    if (index % 5 === 0) return fill()
    if (index >= 40) return call('DELETE', path)
    return call('PATCH', path, { gatedName: `m${index}.busy.gate.localhost` })
  })
  assert.deepEqual(
    answers.filter(({ status }) => status >= 500).map(({ text }) => text),
    [],
  )
})
