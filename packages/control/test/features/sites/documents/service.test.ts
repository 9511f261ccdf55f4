/** Several API definitions a site: named, listed, read cleaned, replaced, removed, and nobody else's. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { buildSchema, introspectionFromSchema } from 'graphql'
import { findOpenApiDocuments } from '../../../../src/features/sites/documents/store.ts'
import { startTestControl, type TestAnswer } from '../../../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const mine = await control.createOrganization('mine')
const other = await control.createOrganization('other')
const owner = { key: mine.keys.owner }

const createSite = async (): Promise<{ id: string; gatedName: string }> =>
  (
    await control.call('POST', '/api/Sites', {
      ...owner,
      body: { originName: `${randomBytes(6).toString('hex')}.example.com` },
    })
  ).json

const definition = (title: string, paths: object = {}): object => ({
  openapi: '3.1.0',
  info: { title, version: '1' },
  servers: [{ url: 'https://internal.example/v1' }],
  paths,
})

const put = (id: string, name: string, body: unknown, key = owner.key, headers = {}): Promise<TestAnswer> =>
  control.call('PUT', `/api/Sites/${id}/document?name=${encodeURIComponent(name)}`, { key, body, headers })
const read = (id: string, name: string, key = owner.key, more = ''): Promise<TestAnswer> =>
  control.call('GET', `/api/Sites/${id}/document?name=${encodeURIComponent(name)}${more}`, { key })
const list = (id: string, key = owner.key): Promise<TestAnswer> =>
  control.call('GET', `/api/Sites/${id}/documents`, { key })
const remove = (id: string, name: string, key = owner.key): Promise<TestAnswer> =>
  control.call('DELETE', `/api/Sites/${id}/document?name=${encodeURIComponent(name)}`, { key })

test('documents are listed with what they are, main first, and read cleaned at the gated name', async () => {
  const { id, gatedName } = await createSite()
  const paths = { '/orders': { get: {}, post: {}, parameters: [] }, '/orders/{id}': { delete: {} } }
  const uploaded = await put(id, 'Orders v2', definition('orders', paths))
  assert.equal(uploaded.status, 200, uploaded.text)
  const swagger = { swagger: '2.0', info: { title: 'old', version: '1' }, paths: {} }
  assert.equal((await put(id, 'Čeština', swagger)).status, 200)
  await control.call('PUT', `/api/Sites/${id}/definition`, { ...owner, body: definition('main') })
  const { items } = (await list(id)).json
  assert.deepEqual(
    items.map(({ name, format, version, operations }: Record<string, unknown>) => [
      name,
      format,
      version,
      operations,
    ]),
    [
      ['main', 'openapi-3.1', 1, 0],
      ['Orders v2', 'openapi-3.1', 1, 3],
      ['Čeština', 'swagger-2.0', 1, 0],
    ],
  )
  assert.ok(items.every(({ by, time }: Record<string, string>) => by !== '' && Date.parse(time ?? '') > 0))
  const orders = (await read(id, 'Orders v2')).json
  assert.doesNotMatch(orders.text, /internal/)
  assert.ok(JSON.parse(orders.text).servers[0].url.includes(gatedName))
  const main = await control.call('GET', `/api/Sites/getAPIdefinition/${id}`, owner)
  assert.equal(JSON.parse(main.json).info.title, 'main')
  assert.equal((await read(id, 'main')).json.text, main.json)
})

test('each upload is the next version, unless it is what is in force', async () => {
  const { id } = await createSite()
  await put(id, 'a', definition('one'))
  const before = (await control.call('GET', `/api/Sites/${id}`, owner)).headers.get('etag')
  const same = await put(id, 'a', definition('one'))
  assert.deepEqual([same.status, same.json.version, same.headers.get('etag')], [200, 1, before])
  const next = await put(id, 'a', definition('two'))
  assert.equal(next.json.version, 2)
  assert.notEqual(next.headers.get('etag'), before)
  assert.match((await read(id, 'a')).json.text, /two/)
  assert.match((await read(id, 'a', owner.key, '&number=1')).json.text, /one/)
  assert.equal((await read(id, 'a', owner.key, '&number=3')).status, 404)
  const stale = await put(id, 'a', definition('three'), owner.key, { 'if-match': before ?? '' })
  assert.equal(stale.status, 412)
})

test('uploads at the same time are versions one after the other', async () => {
  const { id } = await createSite()
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => put(id, 'a', definition(`title ${index}`))),
  )
  assert.deepEqual(
    answers.map(({ json }) => json.version).toSorted(),
    Array.from({ length: 8 }, (_, index) => index + 1),
  )
})

test('names are bounded, and mean what they look like', async () => {
  const { id } = await createSite()
  for (const name of ['', ' ', 'a/b', 'a\u202eb', 'a\0', `a${'b'.repeat(64)}`, '-a', 'a '])
    assert.equal((await put(id, name, definition('a'))).status, 400, JSON.stringify(name))
  assert.equal((await put(id, 'e\u0301', definition('a'))).status, 200)
  assert.equal((await read(id, '\u00e9')).status, 200)
})

test('a site has so many documents, of so many bytes', async () => {
  const { id } = await createSite()
  for (let index = 0; index < 20; index++) await put(id, `document ${index}`, definition('a'))
  const more = await put(id, 'one more', definition('a'))
  assert.deepEqual([more.status, more.json.code], [409, 'conflict'])
  assert.equal((await put(id, 'document 3', definition('b'))).status, 200)
  assert.equal((await remove(id, 'document 3')).status, 204)
  assert.equal((await put(id, 'one more', definition('a'))).status, 200)
})

test('a document that is removed is gone with its versions', async () => {
  const { id } = await createSite()
  await put(id, 'main', definition('one'))
  await put(id, 'main', definition('two'))
  assert.equal((await remove(id, 'main')).status, 204)
  assert.equal((await remove(id, 'main')).status, 204)
  assert.equal((await read(id, 'main')).status, 404)
  assert.equal((await put(id, 'main', definition('three'))).json.version, 1)
  assert.equal((await control.call('DELETE', `/api/Sites/${id}/definition`, owner)).status, 204)
  assert.deepEqual((await list(id)).json.items, [])
})

test('changes are audited, and a viewer makes none', async () => {
  const { id } = await createSite()
  await put(id, 'orders', definition('a'))
  await remove(id, 'orders')
  const { items } = (await control.call('GET', '/api/AuditLog?limit=2', owner)).json
  assert.deepEqual(
    items.map(({ action, target }: { action: string; target: { id: string } }) => [action, target.id]),
    [
      ['site.removeDocument', id],
      ['site.setDocument', id],
    ],
  )
  assert.equal(items[1].after.name, 'orders')
  assert.equal((await put(id, 'orders', definition('a'), mine.keys.viewer)).status, 403)
  assert.equal((await remove(id, 'orders', mine.keys.viewer)).status, 403)
})

test('documents of another organization are not there', async () => {
  const { id } = await createSite()
  await put(id, 'orders', definition('a'))
  const theirs = other.keys.owner
  for (const answer of [
    await list(id, theirs),
    await read(id, 'orders', theirs),
    await put(id, 'orders', definition('b'), theirs),
    await remove(id, 'orders', theirs),
  ])
    assert.equal(answer.status, 404)
  assert.equal((await read(id, 'orders')).json.version, 1)
  const rows = (orgId: string) =>
    control.database.read(orgId, (tx) => findOpenApiDocuments(tx, mine.orgId, id))
  assert.equal((await rows(mine.orgId)).length, 1)
  assert.deepEqual(await rows(other.orgId), [])
})

test('what the version before writes is the document named main', async () => {
  const { id } = await createSite()
  await put(id, 'main', definition('new'))
  const write = (sql: string, values: readonly unknown[]) =>
    control.database.write(mine.orgId, async (tx) => tx.query(sql, values))
  const upsert = `INSERT INTO site_definitions (org_id, site_id, document) VALUES ($1, $2, $3)
    ON CONFLICT (org_id, site_id) DO UPDATE SET document = excluded.document`
  for (const title of ['old', 'older'])
    await write(upsert, [mine.orgId, id, JSON.stringify(definition(title))])
  const main = (await read(id, 'main')).json
  assert.deepEqual([main.version, main.format, main.operations, main.by], [3, 'openapi-3.1', null, ''])
  assert.match(main.text, /older/)
  assert.match((await read(id, 'main', owner.key, '&number=1')).json.text, /new/)
  await write('DELETE FROM site_definitions WHERE site_id = $1', [id])
  assert.deepEqual((await list(id)).json.items, [])
})

const versions = (id: string, name: string, key = owner.key): Promise<TestAnswer> =>
  control.call('GET', `/api/Sites/${id}/document/versions?name=${name}`, { key })
const compare = (id: string, from: number, to: number, key = owner.key): Promise<TestAnswer> =>
  control.call('GET', `/api/Sites/${id}/document/difference?name=a&from=${from}&to=${to}`, { key })
const restore = (id: string, number: number, key = owner.key): Promise<TestAnswer> =>
  control.call('POST', `/api/Sites/${id}/document/restore`, { key, body: { name: 'a', number } })

test('the last twenty versions are kept, and it is said how many there were before', async () => {
  const { id } = await createSite()
  for (let index = 1; index <= 24; index++) await put(id, 'a', definition(`title ${index}`))
  const { items, dropped } = (await versions(id, 'a')).json
  assert.deepEqual([items.length, items[0].version, items.at(-1).version, dropped], [21, 24, 4, 3])
  assert.equal((await read(id, 'a', owner.key, '&number=3')).status, 404)
  assert.match((await read(id, 'a', owner.key, '&number=4')).json.text, /title 4/)
})

test('a version is brought back as the next one, once', async () => {
  const { id } = await createSite()
  await put(id, 'a', definition('one'))
  await put(id, 'a', definition('two', { '/b': { get: {} } }))
  const back = await restore(id, 1)
  assert.deepEqual([back.status, back.json.version, back.json.operations], [200, 3, 0], back.text)
  assert.match((await read(id, 'a')).json.text, /one/)
  const { items } = (await versions(id, 'a')).json
  assert.deepEqual(
    items.map((item: { restoredFrom: number | null }) => item.restoredFrom),
    [1, null, null],
  )
  assert.equal((await restore(id, 1)).json.version, 3)
  assert.equal((await restore(id, 9)).status, 404)
  assert.equal((await restore(id, 2, mine.keys.viewer)).status, 403)
  const [entry] = (await control.call('GET', '/api/AuditLog?limit=1', owner)).json.items
  assert.deepEqual([entry.action, entry.after.restoredFrom], ['site.restoreDocument', 1])
})

test('versions are compared as operations see them', async () => {
  const { id } = await createSite()
  await put(id, 'a', definition('one', { '/b': { get: {}, post: {} } }))
  await put(id, 'a', definition('two', { '/b': { get: { deprecated: true } } }))
  const { json } = await compare(id, 1, 2)
  assert.deepEqual([json.total, json.breaking], [2, 1])
  assert.deepEqual(
    json.changes.map(({ kind, operation }: Record<string, string>) => `${kind} ${operation}`),
    ['operation-removed POST /b', 'operation-deprecated GET /b'],
  )
  assert.equal((await compare(id, 2, 1)).json.breaking, 0)
  assert.equal((await compare(id, 1, 3)).status, 404)
})

test('versions of another organization are not there', async () => {
  const { id } = await createSite()
  await put(id, 'a', definition('one'))
  await put(id, 'a', definition('two'))
  const theirs = other.keys.owner
  for (const answer of [
    await versions(id, 'a', theirs),
    await compare(id, 1, 2, theirs),
    await restore(id, 1, theirs),
  ])
    assert.equal(answer.status, 404)
  assert.equal((await read(id, 'a')).json.version, 2)
})

const SCHEMA = `"""Of a shop."""
type Query { orders(limit: Int): [Order!] order(id: ID!): Order }
type Mutation { cancel(id: ID!): Boolean }
type Order { id: ID! note: String }
`
const putSchema = (
  id: string,
  name: string,
  body: string,
  type = 'application/graphql',
): Promise<TestAnswer> => put(id, name, body, owner.key, { 'content-type': type })

test('a GraphQL schema is a document, as its definition or as an introspection', async () => {
  const { id } = await createSite()
  const taken = await putSchema(id, 'shop', SCHEMA)
  assert.deepEqual([taken.status, taken.json.format, taken.json.operations], [200, 'graphql', 3], taken.text)
  assert.equal((await read(id, 'shop')).json.text, SCHEMA)
  const introspection = introspectionFromSchema(buildSchema(SCHEMA))
  for (const body of [introspection, { data: introspection }]) {
    const answer = await put(id, 'introspected', body)
    assert.deepEqual([answer.status, answer.json.operations, answer.json.version], [200, 3, 1], answer.text)
  }
  assert.match((await read(id, 'introspected')).json.text, /type Order \{/)
  const named = await putSchema(id, 'main', SCHEMA)
  assert.deepEqual([named.status, named.json.errors[0].path], [400, 'query/name'])
  await put(id, 'shop', definition('now OpenAPI'))
  const difference = await control.call(
    'GET',
    `/api/Sites/${id}/document/difference?name=shop&from=1&to=2`,
    owner,
  )
  assert.equal(difference.status, 409)
})

test('what is no GraphQL schema is refused with its line, and bounded', async () => {
  const { id } = await createSite()
  for (const [text, place] of [
    ['type Query {\n  a: }', /line 2, column 6/],
    ['type Query { a: Int }\ntype Query { b: Int }', /body is no GraphQL schema/],
    ['type A { a: Int }', /no valid schema/],
    ['type Query { a: Nothing }', /no GraphQL schema/],
    ['query { a }', /line 1, column 1/],
    [`type Query { a: ${'['.repeat(100_000)}Int${']'.repeat(100_000)} }`, /no GraphQL schema|nests too deep/],
    [`type Query { ${'a '.repeat(600_000)} }`, /no GraphQL schema/],
    ['', /line 1/],
  ] as const) {
    const answer = await putSchema(id, 'shop', text)
    assert.equal(answer.status, 400, `${text.slice(0, 40)}: ${answer.text}`)
    assert.match(answer.text, place, text.slice(0, 40))
  }
  for (const body of [{ __schema: 7 }, { data: { __schema: { types: [{}] } } }, { data: 7 }, { graphql: '' }])
    assert.equal((await put(id, 'shop', body)).status, 400, JSON.stringify(body))
})

test('a Postman collection is a document, as the operations that it asks for', async () => {
  const { id } = await createSite()
  const collection = {
    info: { name: 'Shop', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    item: ['/orders/:id?token=secret', '/orders'].map((path) => ({
      name: path,
      request: { method: 'GET', url: `https://internal.example/v1${path}` },
    })),
  }
  const taken = await put(id, 'main', collection)
  assert.deepEqual(
    [taken.status, taken.json.format, taken.json.operations, taken.json.version],
    [200, 'openapi-3.1', 2, 1],
    taken.text,
  )
  const { text } = (await read(id, 'main')).json
  assert.deepEqual(Object.keys(JSON.parse(text).paths), ['/v1/orders/{id}', '/v1/orders'])
  assert.doesNotMatch(text, /internal\.example/)
  const again = await put(id, 'main', collection)
  assert.equal(again.json.version, 1)
  const refused = await put(id, 'main', { ...collection, item: [null] })
  assert.equal(refused.status, 400)
  assert.match(refused.text, /no Postman collection/)
})
