/** The API definition of a site as its traffic teaches it: from a gateway's batches to operation 10. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { validate } from '@readme/openapi-parser'
import type { TrafficEvent } from '@sallyport/contract'
import { Validator } from '@seriousme/openapi-schema-validator'
import { postBatch, startTestControl } from '../../../support/control.ts'
import { event, hit } from '../../../support/traffic.ts'

const control = await startTestControl()
after(() => control.close())
const shop = await control.createOrganization('shop')
const other = await control.createOrganization('other')
const owner = { key: shop.keys.owner }
const site: string = (
  await control.call('POST', '/api/Sites', { ...owner, body: { originName: 'shop.example.com' } })
).json.id

const served = (path: string, given: Partial<TrafficEvent> = {}): TrafficEvent =>
  event({ orgId: shop.orgId, siteId: site, outcome: 'origin', status: 200, target: path, ...given })

const post = (events: readonly TrafficEvent[], batchId: string = randomUUID()): Promise<void> =>
  postBatch(control, events, { batchId })

async function definition() {
  const answer = await control.call('GET', `/api/Sites/getAPIdefinition/${site}`, owner)
  assert.equal(answer.status, 200, answer.text)
  return JSON.parse(answer.json)
}

/** The operations that are learned, and not only candidates. */
const learnedIn = ({ paths }: { paths: Record<string, Record<string, Record<string, unknown>>> }): string[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      operation['x-sallyport-state'] === 'learned' ? [`${method} ${path}`] : [],
    ),
  )

const RESEARCHERS = ['ann', 'ben', 'cat', 'dan']
const ordinary = RESEARCHERS.flatMap((researcherId, which) =>
  Array.from({ length: 6 }, (_, index) => [
    served(`/orders/${100 * which + index}?page=${index}`, { researcherId, responseBytes: 900 * index }),
    served('/orders', { researcherId, method: 'POST', status: 201 }),
    served(`/people/${researcherId}${'abc'[index % 3]}/orders`, { researcherId, responseBytes: 700 * index }),
    served(`/orders/${index}`, { researcherId, status: 403 }),
  ]).flat(),
)
const hostile = [
  ...['/{id}', '/{{7*7}}', '/a%3Fb', '/x%7By%7D', '/.env', '/zzz', '/zzz/1'].map((path) =>
    served(path, { researcherId: 'mallory' }),
  ),
  served('/refused', { outcome: 'block' }),
  served('/stranger', { researcherId: '' }),
  served('/orders/5?q=1', { researcherId: 'ann', hits: [hit()] }),
]

test('operations are learned across batches, with evidence, and repeated batches count once', async () => {
  const repeated = randomUUID()
  await post(ordinary.slice(0, 40), repeated)
  await post(ordinary.slice(40))
  await post(ordinary.slice(0, 40), repeated)
  await post(hostile)
  const { paths, servers } = await definition()
  assert.deepEqual(servers, [{ url: 'http://shop-example-com.gate.localhost:7080' }])
  const learned = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Record<string, unknown>>).map(
      ([method, operation]) => `${operation['x-sallyport-state']} ${method} ${path}`,
    ),
  )
  assert.deepEqual(learned.sort(), [
    'candidate get /zzz',
    'candidate get /zzz/{zzzId}',
    'learned get /orders/{orderId}',
    'learned get /people/{personId}/orders'.replace('personId', 'peopleId'),
    'learned post /orders',
  ])
  const order = paths['/orders/{orderId}'].get
  assert.deepEqual(order.parameters, [
    { name: 'orderId', in: 'path', required: true, schema: { type: 'integer' } },
    { name: 'page', in: 'query', schema: { type: 'integer' } },
  ])
  assert.deepEqual(Object.keys(order.responses), ['200', '403'])
  const { requests, covered, researchers } = order['x-sallyport-evidence']
  assert.deepEqual({ requests, covered, researchers }, { requests: 48, covered: 1, researchers: 4 })
})

test('one researcher who floods a site with different paths leaves nobody out', async () => {
  const before = learnedIn(await definition())
  const paths = Array.from({ length: 5_000 }, (_, index) => `/flood/${(index * 7_919).toString(36)}w/x`)
  await post(
    [...paths, ...paths].map((path, index) =>
      served(path, { researcherId: 'mallory', responseBytes: index }),
    ),
  )
  const after = await definition()
  assert.deepEqual(learnedIn(after), before)
  assert.ok(Object.keys(after.paths).length <= 510, 'candidates are bounded')
})

test('what is served is valid by two validators, and by its text says no value', async () => {
  const document = await definition()
  const first = await new Validator().validate(structuredClone(document))
  assert.equal(first.valid, true, JSON.stringify(first.errors))
  const second = await validate(structuredClone(document))
  assert.equal(second.valid, true, JSON.stringify(second))
  assert.doesNotMatch(JSON.stringify(document), /anna|catb|7\*7/)
})

test('another organization learns nothing of it', async () => {
  const key = { key: other.keys.owner }
  assert.equal((await control.call('GET', `/api/Sites/getAPIdefinition/${site}`, key)).status, 404)
  // Its own traffic in the name of this site is its own.
  await post([served('/planted', { orgId: other.orgId })])
  assert.equal((await definition()).paths['/planted'], undefined)
})
