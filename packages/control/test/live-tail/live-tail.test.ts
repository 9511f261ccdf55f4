import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { BATCH_EVENTS_MAX } from '@sallyport/contract'
import { ProblemError } from '../../src/errors.ts'
import { createLiveTail } from '../../src/live-tail/live-tail.ts'
import type { TailItem } from '../../src/live-tail/waiting-events.ts'
import { event } from '../support/traffic.ts'

const isRefusal = (error: unknown): boolean =>
  error instanceof ProblemError &&
  error.code === 'too_many_requests' &&
  /^[1-9]\d*$/.test(error.headers['retry-after'] ?? '')

test('who comes when all places are taken is told when to try again', () => {
  const tail = createLiveTail()
  const follow = (orgId: string) => tail.follow(orgId, () => true)
  const streams = Array.from({ length: 500 }, (_, index) => follow(`organization ${index % 5}`))
  assert.throws(() => follow('another'), isRefusal)
  streams.pop()?.destroy()
  streams.push(follow('another'))
  assert.throws(() => follow('another'), isRefusal)
  for (const stream of streams) stream.destroy()
})

test('an organization with all the places that one may have keeps no other away', () => {
  const tail = createLiveTail()
  const follow = (orgId: string) => tail.follow(orgId, () => true)
  const streams = Array.from({ length: 100 }, () => follow('many'))
  assert.throws(() => follow('many'), isRefusal)
  streams.push(follow('another'))
  for (const stream of streams) stream.destroy()
})

test('stalled followers of one organization hold nothing back from those of another', async () => {
  const tail = createLiveTail()
  const stalled = Array.from({ length: 6 }, () => tail.follow('many', () => true))
  const batch = (orgId: string) => Array.from({ length: BATCH_EVENTS_MAX }, () => event({ orgId }))
  for (let times = 0; times < 3; times += 1) tail.publish(batch('many'))
  const reader = tail.follow('another', () => true)
  tail.publish(batch('another'))
  for (let count = 0; count < BATCH_EVENTS_MAX; count += 1) {
    if (reader.readableLength === 0) await once(reader, 'readable')
    const item: TailItem = reader.read()
    assert.ok('event' in item, `event ${count}`)
  }
  // What each of the stalled ones is told of, and what it is not, adds up to what there was.
  const first = stalled[0] as Readable
  let told = 0
  while (told < 3 * BATCH_EVENTS_MAX) {
    const item: TailItem | null = first.read()
    if (item === null) await once(first, 'readable')
    else told += 'missed' in item ? item.missed : 1
  }
  assert.equal(told, 3 * BATCH_EVENTS_MAX)
  for (const stream of [...stalled, reader]) stream.destroy()
})
