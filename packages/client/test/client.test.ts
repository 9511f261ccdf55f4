import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { listenForTest } from '../../../test/support/loopback.ts'
import { startTestControl } from '../../control/test/support/control.ts'
import { CallError, createClient, SilenceError } from '../src/index.ts'

const PATIENCE_MS = 500

const control = await startTestControl()
after(() => control.close())
const { keys } = await control.createOrganization('client')
const client = createClient({ baseUrl: control.url, token: async () => keys.owner })

test('an operation is called by its id', async () => {
  const site = await client.call('sitesCreate', {
    body: { originName: 'client.example.com', isActive: true },
  })
  assert.equal(site.isActive, true)
  assert.deepEqual(await client.call('sitesList', {}), [site])
  assert.deepEqual(await client.call('sitesList', { query: { state: 'inactive' } }), [])
  await client.upload(
    'sitesSetDefinition',
    { params: { id: site.id } },
    'openapi: 3.1.0\ninfo: {title: T, version: "1"}\npaths: {}\n',
  )
  const definition = await client.call('sitesGetApiDefinition', { params: { id: site.id } })
  assert.deepEqual(definition.info, { title: 'T', version: '1' })
  // What looks like a schema from afar, in a comment, is none.
  for (const [text, format] of [
    [`# ${'# '.repeat(2_000)}\ntype: object\n`, undefined],
    ['# orders\n"Of a shop."\ntype Query { a: Int }\n', 'graphql'],
    ['"""Of a shop."""\nschema { query: A }\ntype A { a: Int }\n', 'graphql'],
  ] as const) {
    const input = { params: { id: site.id }, query: { name: 'schema' } }
    const uploaded = client.upload('sitesSetDocument', input, text)
    if (format === undefined) await assert.rejects(uploaded, CallError)
    else {
      await uploaded
      const { items } = await client.call('sitesListDocuments', { params: { id: site.id } })
      assert.equal(items.find(({ name }) => name === 'schema')?.format, format)
    }
  }
  assert.equal(await client.call('sitesDelete', { params: { id: site.id } }), undefined)
})

test('an identifier of dots, or none, does not make a call one of something else', async () => {
  const { id } = await client.call('hackersCreate', { body: { email: 'dots@example.com' } })
  for (const keyId of ['..', '.', '', '../..'])
    await assert.rejects(client.call('hackersRevokeKey', { params: { id, keyId } }), keyId)
  await assert.rejects(client.call('sitesGet', { params: { id: '' } }))
  assert.equal((await client.call('hackersGet', { params: { id } })).email, 'dots@example.com')
})

test('a body that belongs to a GET travels in the query', async () => {
  const site = await client.call('sitesCreate', { body: { originName: 'client.example.com' } })
  const decision = await client.call('sitesValidateHacker', {
    body: { siteId: site.id, email: 'a@example.com' },
  })
  assert.equal(decision.reason, 'site_closed')
})

test('a refusal is thrown with its problem', async () => {
  await assert.rejects(client.call('sitesGet', { params: { id: 'nothing' } }), (error) => {
    assert.ok(error instanceof CallError)
    assert.equal(error.problem.code, 'not_found')
    return true
  })
})

test('a version that has passed is refused, and a key makes one of two creations', async () => {
  const create = () =>
    client.callVersioned('projectsCreate', { body: { name: 'once' } }, { idempotencyKey: 'once' })
  const [first, second] = [await create(), await create()]
  assert.deepEqual(first, second)
  const params = { id: first.body.id ?? '' }
  const ifMatch = first.etag ?? ''
  await client.call('projectsReplace', { params, body: { name: 'twice' } }, { ifMatch })
  await assert.rejects(client.call('projectsDelete', { params }, { ifMatch }), (error) => {
    assert.ok(error instanceof CallError)
    assert.equal(error.problem.code, 'precondition_failed')
    return true
  })
})

test('a token that is not accepted is renewed once', async () => {
  const renewing = createClient({
    baseUrl: control.url,
    token: async () => 'ak_live_wrong',
    renew: async () => keys.viewer,
  })
  assert.equal((await renewing.call('accountGetRole', {})).role, 'viewer')
})

test('an empty value in a list is sent, an empty value alone is left out', async (t) => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.setHeader('content-type', 'application/json').end('{"items":[],"next":null}')
  })
  const { url } = await listenForTest(t, server)
  const asking = createClient({ baseUrl: url, token: async () => keys.owner })
  await asking.call('analyticsListRequests', { query: { hacker: ['', 'x'], search: '' } })
  assert.deepEqual(asked, ['/api/Analytics/requests?hacker=&hacker=x'])
})

test('a call is given up when its time is over, and heard of as it ended', async (context) => {
  const ended: string[] = []
  const { url: baseUrl } = await listenForTest(
    context,
    createServer((request, response) => {
      if (/^\/api\/sites$/i.test(request.url ?? '')) return
      response.writeHead(200, { 'content-type': 'application/json' }).write('[')
      if (!/^\/api\/projects/i.test(request.url ?? '')) response.end(']')
    }),
  )
  const hasty = createClient({
    baseUrl,
    token: async () => 'token',
    timeoutMs: () => 200,
    ended: (id, error) => ended.push(`${id} ${error instanceof Error ? error.name : error}`),
  })
  await assert.rejects(hasty.call('sitesList', {}), SilenceError)
  await assert.rejects(hasty.call('projectsList', {}), SilenceError)
  const given = new AbortController()
  const abandoned = hasty.call('sitesList', {}, { signal: given.signal })
  given.abort()
  await assert.rejects(abandoned, { name: 'AbortError' })
  await hasty.call('membersList', {})
  assert.deepEqual(ended, ['sitesList SilenceError', 'projectsList SilenceError', 'membersList undefined'])
})

test('while somebody signs in, the time of a call does not pass', async () => {
  const signIn = () => delay(2 * PATIENCE_MS, keys.owner)
  const patient = createClient({ baseUrl: control.url, token: signIn, timeoutMs: () => PATIENCE_MS })
  assert.ok(await patient.call('sitesList', {}))
  const renewing = createClient({
    baseUrl: control.url,
    token: async () => 'ended',
    renew: signIn,
    timeoutMs: () => PATIENCE_MS,
  })
  assert.ok(await renewing.call('sitesList', {}))
})

test('a refusal is an answer, and a fault is not', async () => {
  const ended: unknown[] = []
  const dates: (string | null)[] = []
  const heard = createClient({
    baseUrl: control.url,
    token: async () => keys.owner,
    ended: (_id, error) => ended.push(error),
    answered: (headers) => dates.push(headers.get('date')),
  })
  await assert.rejects(heard.call('sitesGet', { params: { id: 'nothing' } }))
  assert.deepEqual(ended, [undefined])
  assert.equal(dates.length, 1)
  assert.ok(Date.parse(dates[0] ?? '') > 0)
})
