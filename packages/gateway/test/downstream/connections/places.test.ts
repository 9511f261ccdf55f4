import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLAIMS, type Claim, type Occupant, Places } from '../../../src/downstream/connections/places.ts'

class Guest implements Occupant {
  claim: Claim
  ended = false
  constructor(claim: Claim) {
    this.claim = claim
  }
  sweep(): void {}
  retire(): void {}
  destroy(): void {
    this.ended = true
  }
}

const { unproven, between, slow, atWork } = CLAIMS

function filled(claims: readonly Claim[]): { places: Places; guests: Guest[] } {
  const places = new Places(claims.length)
  const guests = claims.map((claim) => new Guest(claim))
  for (const guest of guests) places.take(guest)
  return { places, guests }
}

const ended = (guests: readonly Guest[]): number[] =>
  guests.flatMap((guest, index) => (guest.ended ? [index] : []))

test('the least claim goes first, and the oldest of those that have it', () => {
  const { places, guests } = filled([atWork, between, unproven, slow, unproven, between])
  const order: number[] = []
  for (let newcomer = 0; newcomer < 5; newcomer++) {
    places.take(new Guest(atWork))
    order.push(...ended(guests).filter((index) => !order.includes(index)))
  }
  assert.deepEqual(order, [2, 4, 1, 5, 3])
})

test('where all are at work, the newcomer goes, until one is idle', async () => {
  const { places, guests } = filled([atWork, atWork])
  const refused = new Guest(unproven)
  places.take(refused)
  assert.ok(refused.ended)
  assert.deepEqual(ended(guests), [])
  const [first] = guests
  assert.ok(first)
  first.claim = between
  await new Promise((resolve) => setTimeout(resolve, 60))
  const taken = new Guest(unproven)
  places.take(taken)
  assert.ok(!taken.ended && first.ended)
})

test('one that began to work, or left, since it was found is not the one that goes', () => {
  const { places, guests } = filled([unproven, unproven, unproven, unproven])
  places.take(new Guest(atWork))
  const [, second, third] = guests
  assert.ok(second && third)
  second.claim = atWork
  places.leave(third)
  places.take(new Guest(atWork))
  assert.deepEqual(ended(guests), [0])
  places.take(new Guest(atWork))
  assert.deepEqual(ended(guests), [0, 3])
})

test('a flood of newcomers costs one place each, however many are idle', () => {
  const { places, guests } = filled(Array.from({ length: 20_000 }, () => between))
  const from = process.cpuUsage()
  for (let newcomer = 0; newcomer < 10_000; newcomer++) places.take(new Guest(atWork))
  const { user } = process.cpuUsage(from)
  assert.equal(ended(guests).length, 10_000)
  assert.ok(guests.slice(0, 10_000).every((guest) => guest.ended))
  assert.ok(user < 2_000_000, `${user} µs`)
})
