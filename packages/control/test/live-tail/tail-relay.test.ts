/** Two control processes behind a balancer, on one PostgreSQL and one ClickHouse: a tail shows what either took in. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { TrafficEvent } from '@sallyport/contract'
import { Client } from 'pg'
import { type ClickHouseServer, startClickHouse } from '../../../../test/support/clickhouse/server.ts'
import { eventually } from '../../../../test/support/installation.ts'
import { followTail, type TailFollower } from '../../../../test/support/tail-follower.ts'
import { type ControlPlane, startControl } from '../../src/index.ts'
import {
  postBatch,
  startTestControl,
  type TestControl,
  type TestOrganization,
  untilTrafficStore,
} from '../support/control.ts'
import { event } from '../support/traffic.ts'

let server: ClickHouseServer
let one: TestControl
let other: ControlPlane
let mine: TestOrganization
let foreign: TestOrganization
const followers: TailFollower[] = []

before(async () => {
  server = await startClickHouse()
  one = await startTestControl({ clickhouse: { url: server.url } })
  await untilTrafficStore(one)
  other = await startControl({ ...one.settings, port: 0 })
  mine = await one.createOrganization('mine')
  foreign = await one.createOrganization('foreign')
})
after(async () => {
  for (const follower of followers) follower.close()
  await other?.close()
  await one?.close()
  await server?.remove()
})

async function follow(query: string): Promise<TailFollower> {
  const follower = await followTail(other.url, mine.keys.admin, query)
  followers.push(follower)
  return follower
}

/** Posts events to the process that is not followed. */
const post = (events: readonly TrafficEvent[]): Promise<void> => postBatch(one, events)

/** Posts until something arrives: that somebody follows is told in the background. */
const untilFollowed = (follower: TailFollower, siteId: string): Promise<true> =>
  eventually(async () => {
    const seen = follower.seen.length
    await post([event({ id: randomUUID(), orgId: mine.orgId, siteId, outcome: 'block', path: '/first' })])
    return eventually(() => follower.seen.length > seen || undefined, 300).catch(() => undefined)
  }, 10_000)

test('a follower gets what another process stored, of its organization and filter, each event once', async () => {
  const follower = await follow('site=relayed&outcome=block')
  await untilFollowed(follower, 'relayed')
  const many = Array.from({ length: 3_000 }, (_, index) =>
    event({
      id: randomUUID(),
      orgId: mine.orgId,
      siteId: 'relayed',
      outcome: index % 3 === 0 ? 'block' : 'origin',
      path: `/many/${index}`,
      target: `/many/${index}?${'<script>\u001b'.repeat(40)}`,
    }),
  )
  const ours = event({
    id: randomUUID(),
    orgId: mine.orgId,
    siteId: 'relayed',
    outcome: 'block',
    path: '/last',
  })
  await post([
    ...many,
    event({ orgId: foreign.orgId, siteId: 'relayed', outcome: 'block', path: '/foreign' }),
  ])
  await post([ours])
  await follower.arrival('/last')
  const expected = many.filter(({ outcome }) => outcome === 'block').map(({ id }) => id)
  const got = follower.seen.filter(({ path }) => path !== '/first').map(({ id }) => id)
  assert.equal(got.length, expected.length + 1)
  assert.ok(
    [...expected, ours.id].every((id, index) => got[index] === id),
    'in another order',
  )
  assert.equal(follower.missed(), 0)
})

test('what nobody follows elsewhere is not sent at all', async () => {
  const heard: string[] = []
  const listener = new Client({ connectionString: one.settings.databaseUrl })
  listener.on('notification', ({ payload = '' }) => heard.push(payload))
  await listener.connect()
  await listener.query('LISTEN sallyport_tail_events')
  await post([event({ orgId: foreign.orgId, siteId: 'unfollowed' })])
  const follower = await follow('site=sentinel')
  await untilFollowed(follower, 'sentinel')
  await listener.end()
  const sent = heard.map((payload) =>
    gunzipSync(Buffer.from((JSON.parse(payload) as { data: string }).data, 'base64')).toString('utf8'),
  )
  assert.ok(sent.some((message) => message.includes(mine.orgId)))
  assert.ok(!sent.some((message) => message.includes(foreign.orgId)))
  assert.ok(heard.every((payload) => Buffer.byteLength(payload) < 8_000))
})

test('a connection that is lost is opened again, and the tail goes on', async () => {
  const follower = await follow('site=again')
  await untilFollowed(follower, 'again')
  const application = new Client({ connectionString: one.settings.databaseUrl })
  await application.connect()
  const ended = await application.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND query LIKE 'LISTEN%' AND pid != pg_backend_pid()`,
  )
  await application.end()
  assert.equal(ended.rowCount, 2)
  await untilFollowed(follower, 'again')
})
