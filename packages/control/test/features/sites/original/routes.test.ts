/** The calls on sites of the original interface, as a script made for it sends them: plain `fetch`, its paths and fields. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '../../../../src/database/database.ts'
import { startTestControl } from '../../../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const mine = await control.createOrganization('mine')
const other = await control.createOrganization('other')

interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a script looks into answers of every shape
  readonly json: any
}

/** A call as a script makes it, with the key of `mine` unless another is given. */
async function send(method: string, path: string, body?: unknown, key = mine.keys.admin): Promise<Answered> {
  const response = await fetch(control.url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, json: await response.json().catch(() => undefined) }
}

const createSite = async () => {
  const { status, json } = await send('POST', '/api/sites', { originName: `https://${newId()}.example.com` })
  assert.equal(status, 201)
  return json
}
const pointersOf = ({ json }: Answered): string[] => [
  ...new Set<string>(json.errors.map(({ path }: { path: string }) => path)),
]
const auditOf = async (siteId: string): Promise<{ action: string; before: unknown; after: unknown }[]> =>
  (await send('GET', `/api/AuditLog?target=${siteId}`)).json.items

test('a site is enabled and disabled by GET, as often as one likes', async () => {
  const { id } = await createSite()
  for (const [verb, isActive] of [
    ['enable', true],
    ['enable', true],
    ['disable', false],
    ['disable', false],
  ]) {
    const { status, json } = await send('GET', `/api/sites/${verb}/${id}`)
    assert.deepEqual([status, json.id, json.isActive], [200, id, isActive])
  }
  assert.equal((await send('GET', `/api/sites/enable/${id}`, undefined, mine.keys.viewer)).status, 403)
})

test('start and stop make the window in which a site is open', async () => {
  const { id } = await createSite()
  const [startDate, stopDate] = ['2090-07-01T08:00:00Z', '2090-07-05T18:00:00Z']
  const started = await send('POST', '/api/sites/start', { id, startDate })
  assert.deepEqual([started.status, started.json.isActive], [200, false], 'closed until it starts')
  assert.equal(started.json.startDate, '2090-07-01T08:00:00.000Z')
  const stopped = await send('POST', '/api/sites/stop', { id, stopDate })
  assert.equal(stopped.json.stopDate, '2090-07-05T18:00:00.000Z')
  assert.equal(stopped.json.startDate, '2090-07-01T08:00:00.000Z')
  assert.equal((await send('GET', `/api/sites/enable/${id}`)).json.isActive, true, 'enabling overrides it')

  const past = await send('POST', '/api/sites/start', { id, startDate: '2024-07-01T08:00:00Z' })
  assert.equal(past.json.isActive, true)
  const over = await send('POST', '/api/sites/stop', { id, stopDate: '2024-07-05T18:00:00Z' })
  assert.equal(over.json.isActive, false)
  for (const [call, body, pointer] of [
    ['stop', { id, stopDate: '2024-01-01T00:00:00Z' }, '/stopDate'],
    ['stop', { id, stopDate: 'tomorrow' }, '/stopDate'],
    ['stop', { id }, '/stopDate'],
    ['start', { id, startDate: '2024-07-01' }, '/startDate'],
    ['start', { startDate }, '/id'],
  ] as const) {
    const answer = await send('POST', `/api/sites/${call}`, body)
    assert.equal(answer.status, 400)
    assert.deepEqual(pointersOf(answer), [pointer])
  }
})

test('credentials and instructions are replaced one by one', async () => {
  const { id } = await createSite()
  const credentials = 'Username: tester@example.com\nPassword: TestPass123!'
  assert.equal(
    (await send('POST', '/api/sites/credentials', { id, credentials })).json.credentials,
    credentials,
  )
  const instructions = 'Scope: all paths under /api. Out of scope: /admin.'
  const { json } = await send('POST', '/api/sites/instructions', { id, instructions })
  assert.deepEqual([json.credentials, json.instructions], [credentials, instructions])
  const seen = await send('GET', `/api/sites/${id}`, undefined, mine.keys.viewer)
  assert.equal(seen.json.credentials, '***')
  const audited = JSON.stringify(await auditOf(id))
  assert.ok(audited.includes('Out of scope') && !audited.includes('TestPass123'))
  assert.equal((await send('POST', '/api/sites/credentials', { id, credentials: '' })).json.credentials, '')
})

test('addresses go on the list of a site, once each, and off it', async () => {
  const { id: siteId } = await createSite()
  const list = async () => (await send('GET', `/api/sites/getHackers/${siteId}`)).json
  assert.deepEqual(await list(), [])
  const known = await send('POST', '/api/Hackers', { email: 'bob@example.com' })
  const added = await send('POST', '/api/sites/addHacker', { siteId, email: 'Bob@Example.com' })
  assert.deepEqual(added.json, [{ id: known.json.id, email: 'bob@example.com', siteId }])
  const two = await send('POST', '/api/sites/addHacker', { siteId, email: 'alice@example.com' })
  assert.deepEqual(
    two.json.map(({ email }: { email: string }) => email),
    ['alice@example.com', 'bob@example.com'],
  )
  assert.deepEqual(await list(), two.json)
  const again = await send('POST', '/api/sites/addHacker', { siteId, email: 'BOB@example.com' })
  assert.deepEqual([again.status, pointersOf(again)], [400, ['/email']])

  const [alice] = two.json
  const check = async () =>
    (await send('GET', `/api/Sites/validateHacker?siteId=${siteId}&email=${alice.email}`)).json
  assert.equal(
    (await send('POST', '/api/sites/allowedHackerType', { id: siteId, allowedHackerType: true })).status,
    200,
  )
  await send('GET', `/api/sites/enable/${siteId}`)
  assert.equal((await check()).reason, 'admitted_listed')

  const wrong = await send('POST', '/api/sites/removeHacker', { ...alice, email: 'bob@example.com' })
  assert.deepEqual([wrong.status, pointersOf(wrong)], [400, ['/email']])
  const removed = await send('POST', '/api/sites/removeHacker', alice)
  assert.deepEqual([removed.status, removed.json], [200, {}])
  assert.equal((await send('POST', '/api/sites/removeHacker', alice)).status, 404)
  assert.equal((await check()).reason, 'researcher_not_listed')
  assert.deepEqual(
    (await auditOf(siteId)).map(({ action }) => action).filter((action) => action.endsWith('Hacker')),
    ['site.removeHacker', 'site.addHacker', 'site.addHacker'],
  )
})

test('an address that nobody has becomes a researcher without a key or invitation', async () => {
  const { id: siteId } = await createSite()
  const { json } = await send('POST', '/api/sites/addHacker', { siteId, email: 'new@example.com' })
  const { id } = json[0]
  assert.equal((await send('GET', `/api/Hackers/${id}`)).json.email, 'new@example.com')
  assert.deepEqual((await send('GET', `/api/Hackers/${id}/keys`)).json.items, [])
  const [entry] = await auditOf(siteId)
  assert.deepEqual(entry?.after, { id, email: 'new@example.com', isNew: true })
  const invited = await control.database.read(mine.orgId, (tx) =>
    tx.query('SELECT 1 FROM researcher_invitations WHERE researcher_id = $1', [id]),
  )
  assert.equal(invited.length, 0)
})

test('the same address, put on the lists of many sites at once, is one researcher', async () => {
  const sites = await Promise.all(Array.from({ length: 8 }, createSite))
  const email = 'everywhere@example.com'
  const answers = await Promise.all(
    sites.flatMap(({ id }) => [1, 2].map(() => send('POST', '/api/sites/addHacker', { siteId: id, email }))),
  )
  assert.deepEqual(
    answers.map(({ status }) => status).sort(),
    [...sites.map(() => 200), ...sites.map(() => 400)],
    'one of two on each list',
  )
  const { json } = await send('GET', '/api/Hackers?search=everywhere')
  assert.equal(json.items.length, 1)
})

test('block rules are written and read as a string, with * for all methods', async () => {
  const { id } = await createSite()
  const read = async () => JSON.parse((await send('GET', `/api/sites/${id}/blocklist`)).json.blockListJson)
  assert.deepEqual(await read(), [])
  const rules = [
    { pathPrefix: '/admin', methods: ['*'], status: 403, enabled: true },
    { pathPrefix: '/internal', methods: ['POST', 'PUT', 'DELETE'], status: 404, enabled: false },
  ]
  const write = (blockListJson: string, siteId = id) =>
    send('POST', '/api/sites/blocklist', { siteId, blockListJson })
  const written = await write(JSON.stringify(rules))
  assert.deepEqual([written.status, written.json], [200, {}])
  const stored = await read()
  assert.deepEqual(
    stored.map(({ id: _id, ...rule }: { id: string }) => rule),
    rules,
  )
  assert.equal((await write(JSON.stringify(stored))).status, 200, 'what is read can be written')
  assert.deepEqual(await read(), stored)
  const own = JSON.parse((await send('GET', `/api/sites/${id}`)).json.blockList)
  assert.deepEqual(own[0].methods, [])
  await write('[]')
  assert.deepEqual(await read(), [])
  for (const [text, words] of [
    ['[', 'is not valid JSON'],
    ['{}', ''],
    ['[{"pathPrefix":"admin","status":403}]', 'rule 0, pathPrefix'],
    ['[{"pathPrefix":"/a","status":200}]', 'rule 0, status'],
    ['[{"pathPrefix":"/a","methods":["*x"]}]', 'rule 0, methods.0'],
    ['[{"pathPrefix":"/a","verbs":["*"]}]', 'rule 0, verbs'],
  ] as const) {
    const answer = await write(text)
    assert.equal(answer.status, 400, text)
    assert.deepEqual(pointersOf(answer), ['/blockListJson'])
    assert.ok(answer.json.errors[0].message.includes(words), answer.json.errors[0].message)
  }
})

test('the list of sites is filtered and sorted by the names of the original interface', async () => {
  const organization = await control.createOrganization('sorted')
  const key = organization.keys.admin
  for (const name of ['beta', 'alpha', 'gamma'])
    await send(
      'POST',
      '/api/sites',
      { originName: `https://${name}.example.org`, isActive: name !== 'beta' },
      key,
    )
  const names = async (query: string) =>
    (await send('GET', `/api/sites?${query}`, undefined, key)).json.map(
      ({ originName }: { originName: string }) => new URL(originName).hostname.split('.')[0],
    )
  assert.deepEqual(await names('orderBy=originName'), ['alpha', 'beta', 'gamma'])
  assert.deepEqual(await names('orderBy=isActive&searchTerm=EXAMPLE'), ['beta', 'gamma', 'alpha'])
  assert.deepEqual(await names('isActive=true&searchTerm=A.example'), ['gamma', 'alpha'])
  assert.deepEqual(await names('isActive=false'), ['beta'])
  assert.deepEqual(await names('searchTerm=%25'), [])
  for (const [query, pointer] of [
    ['orderBy=version', 'query/orderBy'],
    ['orderBy=id&limit=2', 'query/orderBy'],
    ['isActive=maybe', 'query/isActive'],
    [`searchTerm=${'x'.repeat(300)}`, 'query/searchTerm'],
  ] as const) {
    const answer = await send('GET', `/api/sites?${query}`, undefined, key)
    assert.deepEqual([answer.status, pointersOf(answer)], [400, [pointer]])
  }
})

test('another organization finds, changes and learns nothing', async () => {
  const { id } = await createSite()
  await send('POST', '/api/sites/addHacker', { siteId: id, email: 'secret@example.com' })
  const [entry] = (await send('GET', `/api/sites/getHackers/${id}`)).json
  const before = [await send('GET', `/api/sites/${id}`), await send('GET', `/api/sites/getHackers/${id}`)]
  const calls = (siteId: string, hackerId: string) =>
    [
      ['GET', `/api/sites/enable/${siteId}`],
      ['POST', '/api/sites/start', { id: siteId, startDate: '2024-07-01T08:00:00Z' }],
      ['POST', '/api/sites/stop', { id: siteId, stopDate: '2090-07-01T08:00:00Z' }],
      ['POST', '/api/sites/credentials', { id: siteId, credentials: 'mine' }],
      ['POST', '/api/sites/instructions', { id: siteId, instructions: 'mine' }],
      ['GET', `/api/sites/getHackers/${siteId}`],
      ['POST', '/api/sites/addHacker', { siteId, email: 'intruder@example.com' }],
      ['POST', '/api/sites/removeHacker', { siteId, id: hackerId, email: 'secret@example.com' }],
      ['GET', `/api/sites/${siteId}/blocklist`],
      ['POST', '/api/sites/blocklist', { siteId, blockListJson: '[]' }],
    ] as const
  const asked = async (siteId: string, hackerId: string) => {
    const answers = []
    for (const [method, path, body] of calls(siteId, hackerId)) {
      const { status, json } = await send(method, path, body, other.keys.owner)
      answers.push({ path: path.replace(siteId, ''), status, code: json.code, detail: json.detail })
    }
    return answers
  }
  const foreign = await asked(id, entry.id)
  assert.deepEqual(foreign, await asked(newId(), newId()))
  assert.ok(foreign.every(({ status }) => status === 404))
  const after = [await send('GET', `/api/sites/${id}`), await send('GET', `/api/sites/getHackers/${id}`)]
  assert.deepEqual(after, before)
  // A researcher of the one is not found in the other: each has its own with the same address.
  const own = await send('POST', '/api/sites', { originName: 'https://own.example.com' }, other.keys.owner)
  const body = { siteId: own.json.id, email: 'secret@example.com' }
  const added = await send('POST', '/api/sites/addHacker', body, other.keys.owner)
  assert.notEqual(added.json[0].id, entry.id)
})

/** What `curl -F siteId=… -F file=@name` sends. */
async function upload(siteId: string, name: string, text: string, key = mine.keys.admin): Promise<Answered> {
  const body = new FormData()
  body.set('siteId', siteId)
  body.set('file', new File([text], name))
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${control.url}/api/sites/uploadOpenAPISchema`, {
    method: 'POST',
    headers,
    body,
  })
  return { status: response.status, json: await response.json() }
}

test('an OpenAPI document is uploaded as a form, JSON or YAML by its name, and read at the gated name', async () => {
  const { id, gatedName } = await createSite()
  const json = JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'json', version: '1' },
    paths: { '/a': {} },
  })
  const yaml = 'openapi: 3.1.0\ninfo: {title: yaml, version: "1"}\npaths: {/b: {}}\n'
  for (const [name, text, title] of [
    ['openapi.json', json, 'json'],
    ['API.YAML', yaml, 'yaml'],
    ['openapi.yml', yaml, 'yaml'],
  ] as const) {
    const uploaded = await upload(id, name, text)
    assert.deepEqual([uploaded.status, uploaded.json.fileName], [200, name])
    const read = JSON.parse((await send('GET', uploaded.json.url)).json)
    assert.equal(read.info.title, title)
    assert.ok(read.servers[0].url.includes(gatedName))
  }
  for (const [name, text, pointer] of [
    ['openapi.txt', json, '/file'],
    ['openapi', json, '/file'],
    ['a.json', '{"info":{}}', '/file/openapi'],
    ['a.json', '[]', '/file'],
  ] as const) {
    const answer = await upload(id, name, text)
    assert.deepEqual([answer.status, pointersOf(answer)], [400, [pointer]], name + text)
  }
  assert.equal((await upload(id, 'a.json', '{')).json.code, 'malformed_body')
  assert.equal((await upload(id, 'a.json', `"${'x'.repeat(2 ** 24)}"`)).status, 413)
  const foreign = await upload(id, 'a.json', json, other.keys.owner)
  const unknown = await upload(newId(), 'a.json', json, other.keys.owner)
  assert.deepEqual([foreign.status, foreign.json.detail], [unknown.status, unknown.json.detail])
  assert.equal(foreign.status, 404)
  assert.equal((await upload(id, 'a.json', json, mine.keys.viewer)).status, 403)
})

/** Node's parser of forms takes boundaries of 27 characters and more, as clients make them. */
const BOUNDARY = 'boundary-of-a-form-in-the-tests'

test('what is not a form with a file is refused, whatever it says it is', async () => {
  const { id } = await createSite()
  const raw = async (body: string, type = `multipart/form-data; boundary=${BOUNDARY}`) => {
    const headers = { 'content-type': type }
    return control.call('POST', '/api/sites/uploadOpenAPISchema', { key: mine.keys.admin, body, headers })
  }
  const text = (name: string, value: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const many = await raw(`${text('a', '').repeat(2_000)}--${BOUNDARY}--\r\n`)
  assert.deepEqual([many.status, many.json.errors[0].path], [400, ''])
  const without = await raw(`${text('siteId', id)}--${BOUNDARY}--\r\n`)
  assert.deepEqual([without.status, without.json.errors[0].path], [400, '/file'])
  const asText = await raw(`${text('siteId', id)}${text('file', '{}')}--${BOUNDARY}--\r\n`)
  assert.equal(asText.json.errors[0].path, '/file')
  for (const body of [
    '',
    `--${BOUNDARY}`,
    'x'.repeat(1_000),
    text('siteId', id),
    `--${BOUNDARY}\r\n\r\n\r\n--${BOUNDARY}--`,
  ])
    assert.equal((await raw(body)).status, 400, body)
  assert.equal((await raw('{}', 'multipart/form-data')).status, 415)
  assert.equal((await raw('{}', 'multipart/form-data;')).status, 415)
  assert.equal((await raw('{}', 'application/json')).status, 415)
})
