/**
 * The live tail: events as they are stored, to whoever follows them. A follower that reads too slowly holds back
 * nothing: what does not fit into its bounded buffer is left out, and it is told how much.
 *
 * Events come from this process's collector.
 */
import { Readable } from 'node:stream'
import type { TrafficEvent } from '@sallyport/contract'
import { passes, type TrafficFilter } from './filter.ts'

/** What a follower gets: an event, or the number of events that it missed at this place. */
export type TailItem = { readonly event: TrafficEvent } | { readonly missed: number }

export interface LiveTail {
  /** Hands stored events to their followers. Never waits. */
  publish(events: readonly TrafficEvent[]): void
  /** A stream of the organization's events that pass the filter, from now on. Destroy it to stop following. */
  follow(orgId: string, filter: TrafficFilter): Readable
  /** Ends all streams. */
  close(): void
}

/** Events that wait for one follower. */
export const TAIL_EVENTS_MAX = 1_000
/** Followers of all organizations together; beyond it following is refused. */
export const TAIL_FOLLOWERS_MAX = 500

export class TooManyFollowers extends Error {}

interface Follower {
  readonly filter: TrafficFilter
  readonly waiting: TailItem[]
  readonly stream: Readable
}

export function createLiveTail(): LiveTail {
  const followers = new Map<string, Set<Follower>>()
  let count = 0

  const follow: LiveTail['follow'] = (orgId, filter) => {
    if (count >= TAIL_FOLLOWERS_MAX) throw new TooManyFollowers('too many are following the traffic already')
    const waiting: TailItem[] = []
    const stream: Readable = new Readable({
      objectMode: true,
      highWaterMark: 16,
      read: () => flush(follower),
      destroy: (error, done) => {
        followers.get(orgId)?.delete(follower)
        count -= 1
        done(error)
      },
    })
    const follower: Follower = { filter, waiting, stream }
    const mine = followers.get(orgId) ?? new Set()
    followers.set(orgId, mine.add(follower))
    count += 1
    return stream
  }

  const publish: LiveTail['publish'] = (events) => {
    for (const event of events)
      for (const follower of followers.get(event.orgId) ?? [])
        if (passes(event, follower.filter)) offer(follower, event)
    for (const mine of followers.values())
      for (const follower of mine)
        if (follower.stream.readableLength < follower.stream.readableHighWaterMark) flush(follower)
  }

  const close = (): void => {
    for (const mine of followers.values()) for (const { stream } of mine) stream.push(null)
  }
  return { publish, follow, close }
}

function offer({ waiting }: Follower, event: TrafficEvent): void {
  const last = waiting.at(-1)
  if (waiting.length < TAIL_EVENTS_MAX) waiting.push({ event })
  else if (last && 'missed' in last) waiting[waiting.length - 1] = { missed: last.missed + 1 }
  else waiting.push({ missed: 1 })
}

/** Hands over what waits for as long as the reader takes it. A `read` of the stream must not go unanswered. */
function flush({ waiting, stream }: Follower): void {
  let item = waiting.shift()
  while (item) {
    if (!stream.push(item)) return
    item = waiting.shift()
  }
}
