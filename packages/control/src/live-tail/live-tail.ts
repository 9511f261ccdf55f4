/**
 * The live tail: events as they are stored, to their followers. A follower that reads too slowly holds back
 * nothing: what does not fit into its bounded buffer is left out, and it is sent how much.
 *
 * Events come from this process's collector, and through `tail-relay.ts` from those of other control processes.
 */
import { Readable } from 'node:stream'
import { FOLLOWERS_MAX, ORGANIZATION_FOLLOWERS_MAX, type TrafficEvent } from '@sallyport/contract'
import { ConcurrencyLimiter } from '@sallyport/toolbox'
import { tooManyRequests } from '../errors.ts'
import { type Follower, lengthOf, noteMissed, TAIL_EVENTS_MAX, WaitingRoom } from './waiting-events.ts'

export interface LiveTail {
  /** Whether somebody follows the organization's events. */
  isFollowed(orgId: string): boolean
  /** Hands stored events to their followers. Never waits. */
  publish(events: readonly TrafficEvent[]): void
  /** Sends an organization's followers the number of events that were missed. */
  publishMissed(orgId: string, count: number): void
  /** A stream of the organization's events that `passes` selects, from now on. Destroy it to stop following. */
  follow(orgId: string, passes: (event: TrafficEvent) => boolean): Readable
  /** Organizations that somebody follows. */
  followed(): string[]
  /** Ends all streams. */
  close(): void
}

const RETRY_SECONDS = 10

/** `followed` is called with an organization when a follower of it begins. */
export function createLiveTail(followed: (orgId: string) => void = () => undefined): LiveTail {
  const followers = new Map<string, Set<Follower>>()
  const limiter = new ConcurrencyLimiter({ ofOwner: ORGANIZATION_FOLLOWERS_MAX, ofAll: FOLLOWERS_MAX })

  const follow: LiveTail['follow'] = (orgId, passes) => {
    const release = limiter.acquire(orgId)
    if (!release)
      throw tooManyRequests(RETRY_SECONDS, {
        cause: new Error('too many are following the traffic already'),
      })
    const stream: Readable = new Readable({
      objectMode: true,
      highWaterMark: 16,
      read: () => flush(follower),
      destroy: (error, done) => {
        const mine = followers.get(orgId)
        mine?.delete(follower)
        if (mine?.size === 0) followers.delete(orgId)
        release()
        done(error)
      },
    })
    const follower: Follower = { passes, waiting: [], next: 0, stream }
    const mine = followers.get(orgId) ?? new Set()
    followers.set(orgId, mine.add(follower))
    followed(orgId)
    return stream
  }

  const all = (): Follower[] => [...followers.values()].flatMap((mine) => [...mine])
  const flushAll = (): void => {
    for (const follower of all())
      if (follower.stream.readableLength < follower.stream.readableHighWaterMark) flush(follower)
  }
  const publish: LiveTail['publish'] = (events) => {
    if (followers.size === 0) return
    const room = new WaitingRoom(followers)
    for (const event of events)
      for (const follower of followers.get(event.orgId) ?? []) {
        if (!follower.passes(event)) continue
        if (lengthOf(follower) < TAIL_EVENTS_MAX && room.acquire(event.orgId))
          follower.waiting.push({ event })
        else noteMissed(follower, 1)
      }
    flushAll()
  }
  return {
    isFollowed: (orgId) => followers.has(orgId),
    publish,
    publishMissed: (orgId, missed) => {
      for (const follower of followers.get(orgId) ?? []) noteMissed(follower, missed)
      flushAll()
    },
    follow,
    followed: () => [...followers.keys()],
    close: () => {
      for (const { stream } of all()) stream.push(null)
    },
  }
}

/** Pushes what waits until the stream's backpressure. A `read` of the stream must not go unanswered. */
function flush(follower: Follower): void {
  const { waiting, stream } = follower
  let hasRoom = true
  while (hasRoom && follower.next < waiting.length) {
    hasRoom = stream.push(waiting[follower.next])
    follower.next += 1
  }
  if (follower.next === waiting.length || follower.next > TAIL_EVENTS_MAX) {
    waiting.splice(0, follower.next)
    follower.next = 0
  }
}
