/** The events that wait for each follower of the live tail, and the bound of all together. */
import type { Readable } from 'node:stream'
import { BATCH_EVENTS_MAX, type TrafficEvent } from '@sallyport/contract'

/** What a follower gets: an event, or the number of events that it missed at this place. */
export type TailItem = { readonly event: TrafficEvent } | { readonly missed: number }

/** Events that wait for one follower: more than come at once, so that a follower that keeps up misses none. */
export const TAIL_EVENTS_MAX = 1.25 * BATCH_EVENTS_MAX
/** Events that wait for all followers together. */
const WAITING_EVENTS_MAX = 5 * BATCH_EVENTS_MAX

export interface Follower {
  readonly passes: (event: TrafficEvent) => boolean
  readonly waiting: TailItem[]
  /** Where in `waiting` the next one is: taking from the front of a long list would copy it each time. */
  next: number
  readonly stream: Readable
}

export const lengthOf = ({ waiting, next }: Follower): number => waiting.length - next

const missedIn = (item: TailItem): number => ('missed' in item ? item.missed : 1)

/** Notes at the end of what waits that events are missing there. */
export function noteMissed(follower: Follower, count: number): void {
  const { waiting } = follower
  const last = lengthOf(follower) > 0 ? waiting.at(-1) : undefined
  if (last && 'missed' in last) waiting[waiting.length - 1] = { missed: last.missed + count }
  else waiting.push({ missed: count })
}

/** Makes what waits one shorter: a number of missed events stands for the oldest two. */
function missOldest(follower: Follower): boolean {
  const { waiting, next } = follower
  const [oldest, second] = [waiting[next], waiting[next + 1]]
  if (!oldest || !second) return false
  waiting[next + 1] = { missed: missedIn(oldest) + missedIn(second) }
  follower.next += 1
  return true
}

/**
 * What waits for the followers of each organization while a batch is handed out. Once all room is taken, an organization finds some where
 * more waits for another: readers who stall hold nothing back from those of other organizations.
 */
export class WaitingRoom {
  readonly #followers: ReadonlyMap<string, ReadonlySet<Follower>>
  readonly #lengths = new Map<string, number>()
  #length = 0

  constructor(followers: ReadonlyMap<string, ReadonlySet<Follower>>) {
    this.#followers = followers
    for (const [orgId, mine] of followers) for (const follower of mine) this.#add(orgId, lengthOf(follower))
  }

  /** Takes a place for one more event of the organization; false where it has to be missed. */
  acquire(orgId: string): boolean {
    if (this.#length >= WAITING_EVENTS_MAX && !this.#releaseAnothers(orgId)) return false
    this.#add(orgId, 1)
    return true
  }

  #releaseAnothers(orgId: string): boolean {
    let fullest = orgId
    for (const other of this.#lengths.keys())
      if (this.#lengthOf(other) > this.#lengthOf(fullest)) fullest = other
    if (fullest === orgId) return false
    let slowest: Follower | undefined
    for (const follower of this.#followers.get(fullest) ?? [])
      if (!slowest || lengthOf(follower) > lengthOf(slowest)) slowest = follower
    if (!slowest || !missOldest(slowest)) return false
    this.#add(fullest, -1)
    return true
  }

  #lengthOf(orgId: string): number {
    return this.#lengths.get(orgId) ?? 0
  }

  #add(orgId: string, count: number): void {
    this.#lengths.set(orgId, this.#lengthOf(orgId) + count)
    this.#length += count
  }
}
