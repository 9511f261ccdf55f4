/** Operations of a site's API: from a gateway's batches to what is confirmed, handed out, compared and sent to gateways. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type ApiOperation, operations, type SiteConfig, type TrafficEvent } from '@sallyport/contract'
import { Validator } from '@seriousme/openapi-schema-validator'
import { postBatch, startTestControl } from '../../../support/control.ts'
import { followFeed } from '../../../support/feed.ts'
import { event } from '../../../support/traffic.ts'

const control = await startTestControl()
const feed = await followFeed(control.url)
after(async () => {
  feed.close()
  await control.close()
})
const shop = await control.createOrganization('shop')
const other = await control.createOrganization('other')
const owner = { key: shop.keys.owner }

const createSite = async (originName: string): Promise<string> =>
  (await control.call('POST', '/api/Sites', { ...owner, body: { originName } })).json.id
const [bare, given] = [await createSite('bare.example.com'), await createSite('given.example.com')]

const RESEARCHERS = ['ann', 'ben', 'cat']
const served = (siteId: string, target: string, more: Partial<TrafficEvent> = {}): TrafficEvent[] =>
  RESEARCHERS.flatMap((researcherId, index) => {
    const sent = { orgId: shop.orgId, siteId, outcome: 'origin', status: 200, target, researcherId } as const
    return Array.from({ length: 3 }, (_, time) =>
      event({ ...sent, responseBytes: 900 * index + 77 * time, ...more }),
    )
  })

const post = (events: Parameters<typeof postBatch>[1]): Promise<void> => postBatch(control, events)

async function list(siteId: string, query = ''): Promise<ApiOperation[]> {
  const answer = await control.call('GET', `/api/Sites/${siteId}/operations?limit=200${query}`, owner)
  assert.equal(answer.status, 200, answer.text)
  operations.sitesListOperations.response.parse(answer.json)
  return answer.json.items
}
const said = ({ state, method, template }: ApiOperation): string => `${state} ${method} ${template}`

const act = (siteId: string, verb: 'confirm' | 'unconfirm', name: object, more = {}) =>
  control.call('POST', `/api/Sites/${siteId}/operations/${verb}`, { ...owner, body: name, ...more })

async function definition(siteId: string) {
  const answer = await control.call('GET', `/api/Sites/getAPIdefinition/${siteId}`, owner)
  assert.equal(answer.status, 200, answer.text)
  return JSON.parse(answer.json)
}

const routesOf = (siteId: string): readonly string[] =>
  // What the feed has under this name.
  (feed.items.get(`site/${siteId}`) as SiteConfig | undefined)?.routes ?? []

/** What people did last, newest first: what is learned of routes meanwhile has entries of its own. */
const lastActs = async (): Promise<string[]> => {
  const { json } = await control.call('GET', '/api/AuditLog?limit=20', owner)
  const actions: string[] = json.items.map(({ action }: { action: string }) => action)
  return actions.filter((action) => action !== 'site.learnRoutes')
}

test('what several were served is learned, and a person takes it into the definition and out again', async () => {
  await post([
    ...served(bare, '/orders/17?page=2'),
    ...served(bare, '/carts', { method: 'POST', status: 201 }),
    event({
      orgId: shop.orgId,
      siteId: bare,
      outcome: 'origin',
      status: 200,
      target: '/once',
      researcherId: 'ann',
    }),
  ])
  assert.deepEqual((await list(bare)).map(said), [
    'learned POST /carts',
    'candidate GET /once',
    'learned GET /orders/{orderId}',
  ])
  const [order] = await list(bare, '&search=ORDER')
  assert.deepEqual(order?.parameters, [
    { name: 'orderId', place: 'path', type: 'integer', required: true },
    { name: 'page', place: 'query', type: 'integer', required: false },
  ])
  const { requests, researchers } = order?.evidence ?? {}
  assert.deepEqual([requests, researchers], [9, 3])

  const name = { method: 'get', template: '/once' }
  const confirmed = await act(bare, 'confirm', name)
  assert.equal(confirmed.status, 200, confirmed.text)
  assert.equal(confirmed.json.state, 'confirmed')
  assert.deepEqual((await list(bare, '&state=confirmed')).map(said), ['confirmed GET /once'])
  await feed.until(() => routesOf(bare).includes('/once'))
  assert.equal((await definition(bare)).paths['/once'].get['x-sallyport-state'], 'confirmed')
  assert.equal(
    (await act(bare, 'confirm', name)).headers.get('etag'),
    confirmed.headers.get('etag'),
    'twice is once',
  )
  assert.equal((await lastActs())[0], 'site.confirmOperation')

  assert.equal((await act(bare, 'unconfirm', { method: 'GET', template: '/once' })).status, 204)
  assert.deepEqual((await list(bare, '&state=candidate')).map(said), ['candidate GET /once'])
  await feed.until(() => !routesOf(bare).includes('/once'))
  assert.equal((await act(bare, 'unconfirm', name)).status, 204, 'twice is once')
  assert.equal((await lastActs())[0], 'site.unconfirmOperation')
})

test('what cannot be confirmed is refused', async () => {
  assert.equal((await act(bare, 'confirm', { method: 'GET', template: '/nowhere' })).status, 404)
  assert.equal((await act(bare, 'confirm', { method: '', template: '/orders' })).status, 400)
  assert.equal((await act(bare, 'confirm', { method: 'GET', template: '/'.repeat(1_025) })).status, 400)
  const stale = { headers: { 'if-match': '"999"' } }
  assert.equal((await act(bare, 'confirm', { method: 'GET', template: '/once' }, stale)).status, 412)
  const viewer = { key: shop.keys.viewer }
  assert.equal((await act(bare, 'confirm', { method: 'GET', template: '/once' }, viewer)).status, 403)
  const stranger = { key: other.keys.owner }
  for (const verb of ['confirm', 'unconfirm'] as const)
    assert.equal((await act(bare, verb, { method: 'GET', template: '/once' }, stranger)).status, 404)
  for (const path of ['operations', 'definition/comparison'])
    assert.equal((await control.call('GET', `/api/Sites/${bare}/${path}`, stranger)).status, 404)
  assert.equal((await control.call('GET', `/api/Sites/${bare}/operations?cursor=x`, owner)).status, 400)
})

test('pages of operations are one after the other', async () => {
  const all = await list(bare)
  const paged: ApiOperation[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more = cursor === '' ? '' : `&cursor=${cursor}`
    const { json } = await control.call('GET', `/api/Sites/${bare}/operations?limit=1${more}`, owner)
    paged.push(...json.items)
    cursor = json.next
  }
  assert.deepEqual(paged, all)
})

test('what is learned between two pages neither repeats an operation nor hides one', async () => {
  const { json } = await control.call('POST', '/api/Sites', {
    ...owner,
    body: { originName: 'paged.example.com' },
  })
  await post([...served(json.id, '/b'), ...served(json.id, '/d')])
  const page = async (cursor: string) =>
    (await control.call('GET', `/api/Sites/${json.id}/operations?limit=1${cursor}`, owner)).json
  const first = await page('')
  assert.deepEqual(first.items.map(said), ['learned GET /b'])
  await post([...served(json.id, '/a'), ...served(json.id, '/c')])
  const second = await page(`&cursor=${first.next}`)
  assert.deepEqual(second.items.map(said), ['learned GET /c'])
  const third = await page(`&cursor=${second.next}`)
  assert.deepEqual(third.items.map(said), ['learned GET /d'])
  assert.equal(third.next, null)
  const offset = await control.call('GET', `/api/Sites/${json.id}/operations?cursor=1`, owner)
  assert.equal(offset.status, 400, offset.text)
})

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '7' },
  servers: [{ url: 'https://given.example.com/v1/' }],
  components: { parameters: { page: { name: 'page', in: 'query', schema: { type: 'integer' } } } },
  paths: {
    '/users/{userId}': {
      parameters: [{ name: 'userId', in: 'path', required: true, schema: { type: 'integer' } }],
      get: {
        parameters: [{ $ref: '#/components/parameters/page' }],
        responses: { 200: { description: 'One.' } },
      },
    },
    '/old': { get: { deprecated: true, responses: { default: { description: 'All.' } } } },
    '/unused/{x}': {
      parameters: [{ name: 'x', in: 'path', required: true, schema: { type: 'string' } }],
      delete: { responses: { 204: { description: 'Gone.' } } },
    },
    '/right': { get: { responses: { '2XX': { description: 'Right.' } } } },
  },
}

test('given wins, what was confirmed stands beside it, and the rest is compared', async () => {
  await post([
    ...served(given, '/v1/users/17?page=x&debug=true'),
    ...served(given, '/v1/users/ann', { status: 403 }),
    ...served(given, '/v1/users/18', { method: 'DELETE', status: 204 }),
    ...served(given, '/v1/old'),
    ...served(given, '/v1/right'),
    ...served(given, '/v1/hidden/9/parts'),
    ...served(given, '/admin'),
  ])
  const path = `/api/Sites/${given}/definition`
  assert.equal((await control.call('PUT', path, { ...owner, body: DOCUMENT })).status, 204)
  assert.deepEqual((await list(given)).map(said), [
    'learned GET /admin',
    'learned GET /v1/hidden/{hiddenId}/parts',
    'given GET /v1/old',
    'given GET /v1/right',
    'given DELETE /v1/unused/{x}',
    'learned DELETE /v1/users/{userId}',
    'given GET /v1/users/{userId}',
  ])
  const { json: compared } = await control.call('GET', `${path}/comparison`, owner)
  operations.sitesCompareDefinition.response.parse(compared)
  assert.deepEqual(compared.counts, { shadow: 3, orphan: 1, zombie: 1, drift: 1 })
  const drift = compared.items.find(({ kind }: { kind: string }) => kind === 'drift')
  assert.deepEqual(drift.differences, [
    { what: 'parameter', name: 'debug', given: '', seen: 'boolean' },
    { what: 'type', name: 'page', given: 'integer', seen: 'string' },
    { what: 'status', name: '403', given: '', seen: '403' },
  ])
  assert.equal(drift.operation.evidence.requests, 18)
  const noise = await control.call('GET', `${path}/comparison?minResearchers=4&kind=orphan`, owner)
  assert.deepEqual(noise.json.counts, { shadow: 0, orphan: 1, zombie: 0, drift: 0 })
  assert.equal(noise.json.items[0].operation.template, '/v1/unused/{x}')

  assert.equal((await act(given, 'confirm', { method: 'GET', template: '/v1/old' })).status, 409)
  for (const name of [
    { method: 'DELETE', template: '/v1/users/{userId}' },
    { method: 'GET', template: '/v1/hidden/{hiddenId}/parts' },
    { method: 'GET', template: '/admin' },
  ])
    assert.equal((await act(given, 'confirm', name)).status, 200, name.template)
  const { json: after } = await control.call('GET', `${path}/comparison`, owner)
  assert.deepEqual(after.counts, { shadow: 0, orphan: 1, zombie: 1, drift: 1 })
  const document = await definition(given)
  const valid = await new Validator().validate(structuredClone(document))
  assert.equal(valid.valid, true, JSON.stringify(valid.errors))
  assert.deepEqual(Object.keys(document.paths), [
    ...Object.keys(DOCUMENT.paths),
    '/admin',
    '/hidden/{hiddenId}/parts',
  ])
  assert.deepEqual(document.paths['/users/{userId}'].get, DOCUMENT.paths['/users/{userId}'].get)
  assert.equal(document.paths['/users/{userId}'].delete['x-sallyport-state'], 'confirmed')
  assert.deepEqual(document.paths['/admin'].servers, [
    { url: 'http://given-example-com.gate.localhost:7080' },
  ])
})

test('gateways are sent what is given, confirmed and learned, without being asked', async () => {
  await feed.until(() => routesOf(given).includes('/v1/unused/{x}')).catch(() => undefined)
  await feed.until(() => routesOf(given).includes('/v1/unused/{x}'))
  const routes = routesOf(given)
  assert.deepEqual(routes.slice(0, 4), ['/v1/users/{userId}', '/v1/old', '/v1/unused/{x}', '/v1/right'])
  assert.deepEqual([...routes.slice(4)].sort(), ['/admin', '/v1/hidden/{hiddenId}/parts'])
  assert.equal((await control.call('DELETE', `/api/Sites/${given}/definition`, owner)).status, 204)
  await feed.until(() => !routesOf(given).includes('/v1/unused/{x}')).catch(() => undefined)
  await feed.until(() => !routesOf(given).includes('/v1/unused/{x}'))
  assert.ok(routesOf(given).includes('/admin'))
})
