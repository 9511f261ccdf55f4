import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ConnectionLimiter,
  EVICTION_RANKS,
  type EvictionRank,
  type LimitedConnection,
} from '../../../src/downstream/connections/connection-limiter.ts'

class TestConnection implements LimitedConnection {
  evictionRank: EvictionRank
  ended = false
  constructor(rank: EvictionRank) {
    this.evictionRank = rank
  }
  sweep(): void {}
  drain(): void {}
  destroy(): void {
    this.ended = true
  }
}

const { unproven, idle, slow, active } = EVICTION_RANKS

function filled(ranks: readonly EvictionRank[]): {
  limiter: ConnectionLimiter
  connections: TestConnection[]
} {
  const limiter = new ConnectionLimiter(ranks.length)
  const connections = ranks.map((rank) => new TestConnection(rank))
  for (const connection of connections) limiter.admit(connection)
  return { limiter, connections }
}

const ended = (connections: readonly TestConnection[]): number[] =>
  connections.flatMap((connection, index) => (connection.ended ? [index] : []))

test('the lowest rank is evicted first, and the oldest connection of that rank', () => {
  const { limiter, connections } = filled([active, idle, unproven, slow, unproven, idle])
  const order: number[] = []
  for (let newcomer = 0; newcomer < 5; newcomer++) {
    limiter.admit(new TestConnection(active))
    order.push(...ended(connections).filter((index) => !order.includes(index)))
  }
  assert.deepEqual(order, [2, 4, 1, 5, 3])
})

test('where all are active the new connection is closed, until one is idle', async () => {
  const { limiter, connections } = filled([active, active])
  const refused = new TestConnection(unproven)
  limiter.admit(refused)
  assert.ok(refused.ended)
  assert.deepEqual(ended(connections), [])
  const [first] = connections
  assert.ok(first)
  first.evictionRank = idle
  await new Promise((resolve) => setTimeout(resolve, 60))
  const taken = new TestConnection(unproven)
  limiter.admit(taken)
  assert.ok(!taken.ended && first.ended)
})

test('a candidate that became active, or closed, since the search is not evicted', () => {
  const { limiter, connections } = filled([unproven, unproven, unproven, unproven])
  limiter.admit(new TestConnection(active))
  const [, second, third] = connections
  assert.ok(second && third)
  second.evictionRank = active
  limiter.release(third)
  limiter.admit(new TestConnection(active))
  assert.deepEqual(ended(connections), [0])
  limiter.admit(new TestConnection(active))
  assert.deepEqual(ended(connections), [0, 3])
})

test('a flood of new connections evicts one each, however many are idle', () => {
  const { limiter, connections } = filled(Array.from({ length: 20_000 }, () => idle))
  const from = process.cpuUsage()
  for (let newcomer = 0; newcomer < 10_000; newcomer++) limiter.admit(new TestConnection(active))
  const { user } = process.cpuUsage(from)
  assert.equal(ended(connections).length, 10_000)
  assert.ok(connections.slice(0, 10_000).every((connection) => connection.ended))
  assert.ok(user < 2_000_000, `${user} µs`)
})
