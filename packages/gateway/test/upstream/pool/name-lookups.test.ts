/** Names of origins that nobody answers for keep no other origin's waiting. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { NameLookups } from '../../../src/upstream/pool/name-lookups.ts'

/** Longer than names take that somebody answers for. */
const GIVEN_UP_MS = 1_100

/** A resolver that gives up the names that begin with `dead`, and how many of these it is at. */
function resolver() {
  const state = { running: 0, most: 0, looks: 0, dead: /^dead/ }
  const look = async (host: string): Promise<{ address: string }[]> => {
    state.looks += 1
    if (!state.dead.test(host)) return [{ address: '192.0.2.1' }]
    state.running += 1
    state.most = Math.max(state.most, state.running)
    await sleep(GIVEN_UP_MS)
    state.running -= 1
    throw Object.assign(new Error('try again'), { code: 'EAI_AGAIN' })
  }
  return { state, names: new NameLookups(look) }
}

test('a name is looked up once at a time, whoever asks, and anew for who asks later', async () => {
  const { state, names } = resolver()
  const found = await Promise.all(Array.from({ length: 50 }, () => names.addressesOf('shop.example')))
  assert.ok(found.every(([address]) => address === '192.0.2.1'))
  assert.equal(state.looks, 1)
  await names.addressesOf('shop.example')
  assert.equal(state.looks, 2)
})

test('names that were given up late are looked up one after another, and others at once', async () => {
  const { state, names } = resolver()
  const dead = ['dead-1.example', 'dead-2.example', 'dead-3.example']
  const look = () => Promise.allSettled(dead.map((host) => names.addressesOf(host)))
  for (const { status } of await look()) assert.equal(status, 'rejected')
  assert.equal(state.most, 3)
  state.most = 0
  const again = look()
  await sleep(0)
  assert.equal(state.running, 1)
  assert.deepEqual(await names.addressesOf('shop.example'), ['192.0.2.1'])
  await again
  assert.equal(state.most, 1)
  // Who is answered for again is out of the line.
  state.dead = /^dead-1/
  await look()
  const first = names.addressesOf('dead-1.example').catch(() => {})
  assert.deepEqual(await names.addressesOf('dead-2.example'), ['192.0.2.1'])
  assert.equal(state.running, 1)
  await first
})

test('hosts of a wildcard are looked up one after another, are late together, and only so many wait', async () => {
  const { state, names } = resolver()
  const hosts = Array.from({ length: 200 }, (_, number) => `dead-${number}.zone.example`)
  const asked = hosts.map((host) => names.addressesOf(host, '*.zone.example'))
  const refused = asked.slice(128)
  asked.forEach((one) => void one.catch(() => {}))
  for (const { status } of await Promise.allSettled(refused)) assert.equal(status, 'rejected')
  assert.deepEqual(await names.addressesOf('shop.example'), ['192.0.2.1'])
  await assert.rejects(asked[0] ?? Promise.resolve())
  await sleep(0)
  const late = names.addressesOf('dead-1.zone.other', '*.zone.other').catch(() => {})
  assert.equal(state.most, 1)
  await sleep(0)
  assert.equal(state.running, 2, 'that of another wildcard has its first')
  state.dead = /^never/
  await late
})
