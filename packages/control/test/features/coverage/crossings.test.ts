/** The crossing matrix by HTTP, against a script that knows who reached what. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { TrafficEvent } from '@sallyport/contract'
import { postBatch, startTestControl } from '../../support/control.ts'
import { event } from '../../support/traffic.ts'
import { DEFINITION } from './script.ts'

const control = await startTestControl()
after(() => control.close())
const shop = await control.createOrganization('shop')
const other = await control.createOrganization('other')
const owner = { key: shop.keys.owner }
const [ANN, BEN, CAT] = [randomUUID(), randomUUID(), randomUUID()].sort() as [string, string, string]
const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index)
let site: string

before(async () => {
  const made = await control.call('POST', '/api/Sites', {
    ...owner,
    body: { originName: 'shop.example.com' },
  })
  site = made.json.id
  await control.call('PUT', `/api/Sites/${site}/definition`, { ...owner, body: DEFINITION })
  const got = (researcherId: string, path: string, given: Partial<TrafficEvent> = {}): TrafficEvent =>
    event({
      ...{ orgId: shop.orgId, siteId: site, researcherId, path, target: path },
      ...{ route: path.replace(/\\d+/, '{id}').replace('/v{id}', '/v1'), time: Date.now() - 1_000 },
      ...given,
    })
  const order = (number: number): string => `/v1/orders/${number}`
  await post([
    ...numbers(0, 20).map((number) => got(ANN, order(number))),
    ...numbers(15, 30).map((number) => got(BEN, order(number))),
    ...numbers(18, 19).map((number) => got(CAT, order(number))),
    // A refusal reaches nothing, nor does what the gate refuses, nor a stranger.
    ...numbers(0, 20).map((number) => got(CAT, order(number), { status: 403 })),
    ...numbers(0, 20).map((number) => got(CAT, order(number), { outcome: 'block', status: 200 })),
    ...numbers(0, 20).map((number) => got('', order(number))),
    // Another method, and what is no object.
    got(ANN, order(3), { method: 'DELETE', status: 204 }),
    got(BEN, order(3), { method: 'DELETE', status: 204 }),
    got(ANN, '/v1/orders'),
    got(BEN, '/v1/orders'),
    got(ANN, '/elsewhere/7'),
    got(BEN, '/elsewhere/7'),
    // A parameter that no type gives away.
    got(ANN, '/v1/reports/may.pdf'),
    got(CAT, '/v1/reports/may.pdf'),
  ])
})

const post = (events: Parameters<typeof postBatch>[1]): Promise<void> => postBatch(control, events)

test('objects that several researchers reached are counted by pair and by operation', async () => {
  const answer = await control.call('GET', `/api/Sites/${site}/coverage/crossings`, owner)
  assert.equal(answer.status, 200, answer.text)
  const { pairs, operations, names, isPartial } = answer.json
  assert.deepEqual(pairs, [
    { hackers: [ANN, BEN], objects: 6 },
    { hackers: [ANN, CAT], objects: 2 },
    { hackers: [BEN, CAT], objects: 1 },
  ])
  assert.deepEqual(
    operations.map((one: { method: string; template: string; objects: number }) => [
      one.method,
      one.template,
      one.objects,
    ]),
    [
      ['GET', '/v1/orders/{orderId}', 5],
      ['DELETE', '/v1/orders/{orderId}', 1],
      ['GET', '/v1/reports/{name}.pdf', 1],
    ],
  )
  const [most] = operations[0].samples
  assert.deepEqual([most.path, most.hackers, most.requests], ['/v1/orders/18', [ANN, BEN, CAT], 3])
  assert.deepEqual(names, { owaspApi: ['API1:2023'], wstg: ['WSTG-ATHZ-04'], cwe: [639] })
  assert.equal(isPartial, false)
})

test('of one researcher nothing is crossed, and another organization finds no site', async () => {
  const alone = await control.call('GET', `/api/Sites/${site}/coverage/crossings?hacker=${ANN}`, owner)
  assert.deepEqual(alone.json.pairs, [])
  const foreign = await control.call('GET', `/api/Sites/${site}/coverage/crossings`, {
    key: other.keys.owner,
  })
  assert.equal(foreign.status, 404)
})
