/** The checks of a project by HTTP: what is set, what the record says of it, and what other organizations see of it. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { ProjectCheck, ProjectChecks, TrafficEvent } from '@sallyport/contract'
import { callerOf, postBatch, startTestControl } from '../../support/control.ts'
import { event, hit } from '../../support/traffic.ts'

const control = await startTestControl()
after(() => control.close())
const shop = await control.createOrganization('shop')
const other = await control.createOrganization('other')
const call = callerOf(control, shop.keys.owner)
const callOther = callerOf(control, other.keys.owner)
const ANN = randomUUID()
const BEN = randomUUID()
const DAY_MS = 86_400_000
let site: string
let second: string
let foreignSite: string
let project: string

const get = { get: { responses: { 200: { description: 'There it is.' } } } }
const definitionOf = (...paths: string[]) => ({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: Object.fromEntries(paths.map((path) => [path, get])),
})

before(async () => {
  site = (await call('POST', '/api/Sites', { originName: 'shop.example.com' })).json.id
  second = (await call('POST', '/api/Sites', { originName: 'second.example.com' })).json.id
  foreignSite = (await callOther('POST', '/api/Sites', { originName: 'foreign.example.com' })).json.id
  for (const id of [site, second]) await define(id, '/orders', '/orders/{id}', '/untouched')
  project = (await call('POST', '/api/Projects', { name: 'Test' })).json.id
  const on = (siteId: string, route: string, given: Partial<TrafficEvent>) =>
    event({ orgId: shop.orgId, siteId, route, path: route, target: route, ...given })
  const reached = { outcome: 'origin', status: 200, researcherId: ANN } as const
  const refused = { outcome: 'firewall', reason: 'firewall', status: 403, researcherId: BEN } as const
  const injection = [hit()]
  await post([
    ...Array.from({ length: 3 }, () => on(site, '/orders', { ...reached, hits: injection })),
    ...Array.from({ length: 2 }, () => on(site, '/orders', { ...refused, hits: injection })),
    on(site, '/orders', { ...refused, hits: [hit({ class: 'xss', rule: 'crs-941-100' })] }),
    on(site, '/orders', { ...reached, hits: [] }),
    on(site, '/orders/{id}', { ...reached, status: 500, hits: injection }),
    on(second, '/orders', { ...reached, hits: injection }),
    on(second, '/orders', { ...reached, hits: injection, time: Date.now() - 40 * DAY_MS }),
  ])
})

async function define(id: string, ...paths: string[]): Promise<void> {
  const saved = await call('PUT', `/api/Sites/${id}/definition`, definitionOf(...paths))
  assert.equal(saved.status, 204, saved.text)
}

const post = (events: Parameters<typeof postBatch>[1]): Promise<void> => postBatch(control, events)

const addItem = async (name: string, projectId = project): Promise<string> =>
  (await call('PUT', '/api/Projects/updateProjectItem', { name, projectId })).json.id

async function setCheck(item: string, body: object): Promise<void> {
  const answer = await call('PUT', `/api/Projects/items/${item}/check`, body)
  assert.equal(answer.status, 200, answer.text)
}

async function checksOf(id: string, query = ''): Promise<ProjectChecks> {
  const answer = await call('GET', `/api/Projects/${id}/checks${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

/** Of an item that is made for it, in the project that holds nothing else. */
async function listedAs(body: object, query = ''): Promise<ProjectCheck> {
  const own = (await call('POST', '/api/Projects', { name: 'of one' })).json.id
  const item = await addItem('one', own)
  await setCheck(item, body)
  const [check] = (await checksOf(own, query)).items
  assert.ok(check)
  return check
}

test('a check begins as nothing, is replaced whole, and is in the audit log by what changed', async () => {
  const item = await addItem('begins')
  const path = `/api/Projects/items/${item}/check`
  const nothing = { state: 'not_started', dueDate: null, note: '', attackClasses: [], ties: [] }
  assert.deepEqual((await call('GET', path)).json, nothing)
  const body = {
    ...{ state: 'issues', dueDate: '2026-12-18', note: 'Names are not escaped.', attackClasses: ['xss'] },
    ties: [{ siteId: site, method: 'GET', template: '/orders/{id}' }, { siteId: second }],
  }
  const made = await call('PUT', path, body)
  assert.deepEqual([made.status, made.json], [200, body])
  const again = await call('PUT', path, body)
  assert.equal(again.headers.get('etag'), made.headers.get('etag'))
  const outdated = await control.call('PUT', path, {
    ...{ key: shop.keys.owner, body: { state: 'passed' } },
    headers: { 'if-match': '"1"' },
  })
  assert.equal(outdated.status, 412)
  assert.deepEqual((await call('PUT', path, { state: 'passed' })).json, { ...nothing, state: 'passed' })
  // Operation 1 knows nothing of checks, and leaves them alone.
  const kept = { id: item, name: 'renamed', projectId: project }
  assert.equal((await call('PUT', '/api/Projects/updateProjectItem', kept)).status, 200)
  assert.equal((await call('GET', path)).json.state, 'passed')
  const log = await call('GET', `/api/AuditLog?target=${item}`)
  const entries = log.json.items.filter((one: { action: string }) => one.action === 'projectItem.setCheck')
  assert.equal(entries.length, 2)
  assert.deepEqual(entries[1].before, { name: 'begins', ...nothing })
  assert.deepEqual(entries[1].after, { name: 'begins', ...body })
})

test('what is wrong is a 400 that names the field', async () => {
  const item = await addItem('refused')
  const tie = { siteId: site, method: 'GET', template: '/orders' }
  const longTie = (index: number) => ({ ...tie, template: `/${index}`.padEnd(2_048, 'x') })
  for (const [body, path] of [
    [{ state: 'done' }, '/state'],
    [{ state: 'accepted' }, '/note'],
    [{ state: 'not_applicable', note: ' ' }, '/note'],
    [{ state: 'passed', dueDate: '2026-02-30' }, '/dueDate'],
    [{ state: 'passed', dueDate: '0000-01-01' }, '/dueDate'],
    [{ state: 'passed', dueDate: '2026-12-18T00:00:00Z' }, '/dueDate'],
    [{ state: 'passed', note: 'x'.repeat(2_001) }, '/note'],
    [{ state: 'passed', attackClasses: ['of_their_own'] }, '/attackClasses/0'],
    [{ state: 'passed', attackClasses: ['xss', 'xss'] }, '/attackClasses'],
    [{ state: 'passed', ties: [tie, tie] }, '/ties/1'],
    [{ state: 'passed', ties: [{ siteId: site, method: 'GET' }] }, '/ties/0/template'],
    [{ state: 'passed', ties: [{ siteId: site, template: '/a' }] }, '/ties/0/template'],
    [{ state: 'passed', ties: [{ ...tie, template: 'orders' }] }, '/ties/0/template'],
    [{ state: 'passed', ties: [{ ...tie, method: 'GET /' }] }, '/ties/0/method'],
    [{ state: 'passed', ties: [tie, { siteId: 'nonsense' }] }, '/ties/1/siteId'],
    [{ state: 'passed', ties: Array.from({ length: 21 }, () => ({ siteId: randomUUID() })) }, '/ties'],
    [{ state: 'passed', ties: Array.from({ length: 101 }, () => tie) }, '/ties'],
    [{ state: 'passed', ties: Array.from({ length: 33 }, (_, index) => longTie(index)) }, '/ties'],
    [{ state: 'passed', extra: 1 }, '/extra'],
  ] as const) {
    const answer = await call('PUT', `/api/Projects/items/${item}/check`, body)
    assert.equal(answer.status, 400, JSON.stringify(body))
    assert.equal(answer.json.errors[0].path, path)
  }
})

test('another organization has neither the check nor its sites', async () => {
  const item = await addItem('ours')
  const path = `/api/Projects/items/${item}/check`
  const foreign = await call('PUT', path, { state: 'passed', ties: [{ siteId: foreignSite }] })
  assert.deepEqual([foreign.status, foreign.json.errors[0].path], [400, '/ties/0/siteId'])
  assert.equal((await callOther('GET', path)).status, 404)
  assert.equal((await callOther('PUT', path, { state: 'passed' })).status, 404)
  for (const asked of ['checks', 'checks/export'])
    assert.equal((await callOther('GET', `/api/Projects/${project}/${asked}`)).status, 404)
  assert.equal((await call('GET', path)).json.state, 'not_started')
})

test('the verdict is what the record has of the operations and classes that are tied', async () => {
  const ties = [{ siteId: site, method: 'GET', template: '/orders' }]
  const { verdict } = await listedAs({ state: 'in_progress', attackClasses: ['sql_injection', 'lfi'], ties })
  assert.ok(verdict?.lastSeen)
  assert.deepEqual(verdict, {
    ...{ operations: 1, untested: 0, requests: 7, attempts: 5, reachedOrigin: 3, refusedByGate: 2 },
    ...{ verdicts: { reached: 3, firewall: 2 }, verdict: 'reached', hackers: [ANN, BEN].sort() },
    ...{ untried: ['lfi'], lastSeen: verdict.lastSeen, isPartial: false },
  })
  const refused = await listedAs({ state: 'passed', attackClasses: ['xss'], ties })
  assert.deepEqual(
    [refused.verdict?.verdict, refused.verdict?.reachedOrigin, refused.verdict?.attempts],
    ['firewall', 0, 1],
  )
})

test('a tie to a whole site counts each operation once, over all classes and both sites', async () => {
  const ties = [{ siteId: site }, { siteId: site, method: 'GET', template: '/orders' }, { siteId: second }]
  const { verdict } = await listedAs({ state: 'in_progress', ties })
  assert.deepEqual(
    [verdict?.operations, verdict?.untested, verdict?.requests, verdict?.attempts, verdict?.verdict],
    [6, 3, 9, 8, 'server_error'],
  )
  assert.ok(verdict?.untried.includes('lfi') && !verdict.untried.includes('xss'))
  const untied = await listedAs({ state: 'in_progress' })
  assert.deepEqual([untied.ties, untied.verdict], [[], null])
})

test('an operation and a site that are gone are said to be, and what is renamed is not', async () => {
  const gone = (await call('POST', '/api/Sites', { originName: 'gone.example.com' })).json.id
  await define(gone, '/kept/{id}', '/dropped')
  const own = (await call('POST', '/api/Projects', { name: 'of what goes' })).json.id
  const item = await addItem('one', own)
  const tie = (template: string) => ({ siteId: gone, method: 'GET', template })
  const ties = [tie('/kept/{id}'), tie('/dropped')]
  await setCheck(item, { state: 'in_progress', ties })
  await define(gone, '/kept/{orderId}')
  const statuses = async () => (await checksOf(own)).items[0]?.ties.map(({ status }) => status)
  assert.deepEqual(await statuses(), ['in_force', 'vanished'])
  assert.equal((await call('DELETE', `/api/Sites/${gone}`)).status, 204)
  assert.deepEqual(await statuses(), ['site_removed', 'site_removed'])
  const [{ verdict } = {}] = (await checksOf(own)).items
  assert.deepEqual([verdict?.operations, verdict?.attempts], [0, 0])
  // It stays tied while other things of it change, and is never tied anew.
  await setCheck(item, { state: 'issues', ties })
  const anew = await call('PUT', `/api/Projects/items/${await addItem('new', own)}/check`, {
    state: 'issues',
    ties,
  })
  assert.equal(anew.json.errors[0].path, '/ties/0/siteId')
})

test('the window is that of the project, and a given one counts before it', async () => {
  const day = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
  const attemptsIn = async (body: object, query = '') => {
    const own = (await call('POST', '/api/Projects', { name: 'window', ...body })).json.id
    await setCheck(await addItem('one', own), { state: 'in_progress', ties: [{ siteId: second }] })
    return (await checksOf(own, query)).items[0]?.verdict?.attempts
  }
  assert.equal(await attemptsIn({}), 1)
  assert.equal(await attemptsIn({ launchDate: day(-50) }), 2)
  assert.equal(await attemptsIn({ launchDate: day(-50), endDate: day(-20) }), 1)
  const retest = { isRetestNeeded: true, retestingEnd: day(1) }
  assert.equal(await attemptsIn({ launchDate: day(-50), endDate: day(-20), ...retest }), 2)
  assert.equal(await attemptsIn({ launchDate: day(3), endDate: day(5) }), 1)
  assert.equal(await attemptsIn({ launchDate: day(-50), endDate: day(-45) }), 0)
  assert.equal(await attemptsIn({ endDate: day(-45) }), 0)
  assert.equal(await attemptsIn({ launchDate: day(-50) }, '?gte=now-1d'), 1)
  // From a moment after its end on, what is asked for is until now.
  assert.equal(await attemptsIn({ launchDate: day(-50), endDate: day(-20) }, '?gte=now-1d'), 1)
  const bad = await call('GET', `/api/Projects/${project}/checks?timeZone=Nowhere`)
  assert.deepEqual([bad.status, bad.json.errors[0].path], [400, 'query/timeZone'])
})

test('a check is overdue the day after, where the caller is, unless nothing is left to do', async () => {
  const dayIn = (timeZone: string) =>
    new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format()
  // Of these two, 26 hours apart, the first has always begun another day.
  const [early, late] = ['Pacific/Kiritimati', 'Etc/GMT+12']
  const due = { dueDate: dayIn(late) }
  const isOverdue = async (body: object, zone: string) =>
    (await listedAs(body, `?timeZone=${encodeURIComponent(zone)}`)).isOverdue
  assert.equal(await isOverdue({ state: 'issues', ...due }, late), false)
  assert.equal(await isOverdue({ state: 'issues', ...due }, early), true)
  assert.equal(await isOverdue({ state: 'passed', ...due }, early), false)
  assert.equal(await isOverdue({ state: 'not_started', dueDate: null }, early), false)
})

test('pages end where the sites of their items are as many as one answer reads', async () => {
  const own = (await call('POST', '/api/Projects', { name: 'pages' })).json.id
  const sites: string[] = []
  for (let index = 0; index < 21; index += 1)
    sites.push((await call('POST', '/api/Sites', { originName: `s${index}.example.com` })).json.id)
  for (const half of [sites.slice(0, 12), sites.slice(12)])
    await setCheck(await addItem('some', own), {
      state: 'in_progress',
      ties: half.map((siteId) => ({ siteId })),
    })
  await addItem('without', own)
  const first = await checksOf(own)
  assert.deepEqual([first.items.length, typeof first.next], [2, 'string'])
  const last = await checksOf(own, `?cursor=${first.next}`)
  assert.deepEqual([last.items.length, last.next, last.items[0]?.ties.length], [1, null, 12])
  const file = await call('GET', `/api/Projects/${own}/checks/export`)
  assert.equal(file.text.match(/^(?:some|without),/gm)?.length, 3)
})

test('the file has a row for each item, and no cell is a formula', async () => {
  const own = (await call('POST', '/api/Projects', { name: 'file' })).json.id
  const item = await addItem('=HYPERLINK("http://x")', own)
  await setCheck(item, {
    ...{ state: 'accepted', note: '+1', dueDate: '2020-01-01' },
    ties: [{ siteId: site, method: 'GET', template: '/orders' }],
  })
  const file = await call('GET', `/api/Projects/${own}/checks/export`)
  assert.equal(file.status, 200)
  assert.match(file.headers.get('content-disposition') ?? '', /attachment/)
  const [head, row] = file.text.split('\r\n')
  assert.match(head ?? '', /^name,type,location,state,dueDate,overdue,/)
  assert.match(row ?? '', /^"'=HYPERLINK\(""http:\/\/x""\)",,,accepted,2020-01-01,no,'\+1,,shop-/)
  assert.match(row ?? '', /,1,0,7,6,3,3,reached,2,/)
})
