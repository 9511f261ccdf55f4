/** The roster by HTTP, in every order, over pages that shift under it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { HACKER_SORTS, type HackerSort, type ListedHacker } from '@sallyport/contract'
import { callerOf, postBatch, startTestControl } from '../../../support/control.ts'
import { event, hit } from '../../../support/traffic.ts'

const HOUR_MS = 3_600_000
const NOW = Date.now()
const control = await startTestControl()
after(() => control.close())
const shop = await control.createOrganization('shop')
const other = await control.createOrganization('other')
const call = callerOf(control, shop.keys.owner)

/** Names that sort by their letters, whatever their case, and by the address where there is none. */
const PEOPLE = [
  { name: 'Zoë', sent: 3, hits: 3, hoursAgo: 2, expires: 5 },
  { name: 'anna', sent: 5, hits: 0, hoursAgo: 9, expires: null },
  { name: 'Bob', sent: 0, hits: 0, hoursAgo: null, expires: 1 },
  { name: '', sent: 5, hits: 1, hoursAgo: 1, expires: 5 },
  { name: `${'x😀'.repeat(66)}1`, sent: 0, hits: 0, hoursAgo: 48, expires: null },
  { name: `${'x😀'.repeat(66)}2`, sent: 1, hits: 0, hoursAgo: 3, expires: 2 },
]
const ids: string[] = []

before(async () => {
  for (const [index, { name, expires }] of PEOPLE.entries()) {
    const until = expires === null ? null : new Date(NOW + expires * 24 * HOUR_MS).toISOString()
    const made = await call('POST', '/api/Hackers', { email: `m${index}@example.com`, name, expires: until })
    assert.equal(made.status, 201, made.text)
    ids.push(made.json.id)
  }
  const events = PEOPLE.flatMap(({ sent, hits, hoursAgo }, index) =>
    Array.from({ length: Math.max(sent, hoursAgo === null ? 0 : 1) }, (_, at) =>
      event({
        orgId: shop.orgId,
        researcherId: ids[index] ?? '',
        time: NOW - (hoursAgo ?? 0) * HOUR_MS - at,
        hits: at < hits ? [hit()] : [],
      }),
    ),
  )
  // The same researcher's id, and a stranger, elsewhere.
  events.push(
    event({ orgId: other.orgId, researcherId: ids[2] ?? '' }),
    event({ orgId: shop.orgId, researcherId: '' }),
  )
  await postBatch(control, events)
})

interface RosterPage {
  readonly items: ListedHacker[]
  readonly next: string | null
}

async function pageOf(query: string, key = shop.keys.viewer): Promise<RosterPage> {
  const answer = await control.call('GET', `/api/Hackers?${query}`, { key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

/** All pages, and the place of each researcher in `PEOPLE`. */
async function orderOf(query: string, limit = 2): Promise<number[]> {
  const items: ListedHacker[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: RosterPage = await pageOf(`${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`)
    items.push(...page.items)
    cursor = page.next
  }
  return items.map(({ id }) => ids.indexOf(id))
}

test('each order leads over its pages to everyone once, and the other way round', async () => {
  // What is alike is in the order of the ids, which is that of `PEOPLE`, turned round with the rest.
  const orders: Readonly<Record<HackerSort, readonly number[]>> = {
    created: [5, 4, 3, 2, 1, 0],
    name: [1, 2, 3, 4, 5, 0],
    expires: [2, 5, 0, 3, 1, 4],
    requests: [3, 1, 0, 5, 4, 2],
    firewallHits: [0, 3, 5, 4, 2, 1],
    lastSeen: [3, 0, 5, 1, 4, 2],
  }
  const isAscending = (sort: HackerSort): boolean => sort === 'name' || sort === 'expires'
  for (const sort of HACKER_SORTS) {
    assert.deepEqual(await orderOf(`sort=${sort}`), orders[sort], sort)
    const turned = isAscending(sort) ? 'desc' : 'asc'
    assert.deepEqual(await orderOf(`sort=${sort}&order=${turned}`, 1), orders[sort].toReversed(), sort)
  }
})

test('what each sent is said beside them, of the window that is asked for', async () => {
  const { items } = await pageOf('activity=true&sort=name')
  const seen = items.map(({ id, activity }) => [ids.indexOf(id), activity?.requests, activity?.firewallHits])
  assert.deepEqual(seen, [
    [1, 5, 0],
    [2, 0, 0],
    [3, 5, 1],
    [4, 0, 0],
    [5, 1, 0],
    [0, 3, 3],
  ])
  assert.equal(items[1]?.activity?.lastSeen, null)
  assert.equal(items[3]?.activity?.lastSeen, new Date(NOW - 48 * HOUR_MS).toISOString())
  const week = await pageOf('activity=true&gte=now-7d')
  assert.equal(week.items.find(({ id }) => id === ids[4])?.activity?.requests, 1)
  assert.equal((await pageOf('limit=10')).items[0]?.activity, undefined)
})

test('filters hold in every order, and nobody of another organization is listed', async () => {
  assert.deepEqual(await orderOf('sort=requests&search=x%F0%9F%98%80'), [5, 4])
  assert.deepEqual((await pageOf('sort=lastSeen&activity=true', other.keys.owner)).items, [])
  const page = await pageOf('sort=requests&limit=1')
  assert.deepEqual((await pageOf(`sort=requests&cursor=${page.next}`, other.keys.owner)).items, [])
})

test('a cursor is good for its own order alone', async () => {
  const { next } = await pageOf('sort=name&limit=1')
  const forged = (cursor: object) => Buffer.from(JSON.stringify(cursor)).toString('base64url')
  const good = { sort: 'requests', order: 'desc', key: '1', id: ids[0], from: 0, to: NOW }
  const bad = [
    `sort=requests&cursor=${next}`,
    `sort=name&order=desc&cursor=${next}`,
    'sort=name&cursor=x',
    `sort=requests&cursor=${forged({ ...good, key: "1'; DROP TABLE researchers" })}`,
    `sort=requests&cursor=${forged({ ...good, key: `${'9'.repeat(120)}e999` })}`,
    `sort=requests&cursor=${forged({ ...good, key: '1e999' })}`,
    `sort=requests&cursor=${forged({ ...good, key: '1e-400' })}`,
    `sort=expires&cursor=${forged({ ...good, sort: 'expires', order: 'asc', key: '-2e-324' })}`,
    `sort=requests&cursor=${forged({ ...good, id: 'x' })}`,
    `sort=created&order=asc&cursor=${forged({ ...good, sort: 'created', order: 'asc' })}`,
    `sort=name&cursor=${forged({ ...good, sort: 'name', order: 'asc', key: '\0' })}`,
    'sort=password',
    'activity=true&gte=yesterday',
  ]
  for (const query of bad) {
    const answer = await control.call('GET', `/api/Hackers?${query}`, { key: shop.keys.viewer })
    assert.equal(answer.status, 400, `${query}: ${answer.text}`)
  }
  const { items } = await pageOf(`sort=requests&cursor=${forged(good)}`)
  // After one request of the first: of all that is recorded, only Bob has less.
  assert.deepEqual(
    items.map(({ id }) => id),
    [ids[2]],
  )
})
