/**
 * The record of strangers: refusals of whoever showed no credential that the gate knows.
 *
 * Anybody can cause as many of them as the network carries, and the journal is what researchers need. So they are recorded
 * one by one up to a rate, and past it they are counted: of each short window one event stands for all alike ones, and says
 * how many there were. They have a share of the journal of their own. When most of that waits for the control plane, they
 * are only counted; when all of it does, the windows grow with the time that it lasts, so that a handful of events a doubling
 * holds the counts of any outage.
 *
 * Guarantees. Every refusal is counted in exactly one event. What is counted and not yet journaled (two seconds; while the
 * share is used up, an eighth of the time since) is lost if the process is killed. None of it ever reached an origin.
 */
import type { TrafficEvent } from '@sallyport/contract'
import { networkOf } from '@sallyport/policy'
import { AlikeEvents } from './alike-events.ts'
import { StrangerPace } from './stranger-pace.ts'

/** What the journal has room for: each refusal, counts of them, few such counts, or nothing while its disk refuses writes. */
export type StrangerRoom = 'each' | 'counts' | 'few-counts' | 'nothing'

export interface StrangerRecordsOptions {
  readonly room: () => StrangerRoom
  readonly append: (event: TrafficEvent) => void
}

/** Windows begin at multiples of it. It divides a minute, so that no minute of a timeline borrows from the next. */
const WINDOW_MS = 2_000
/** Counts that have waited while the share is used up are written after this part of the time that it has been. */
const WAITED_PART = 1 / 8

export class StrangerRecords {
  readonly #options: StrangerRecordsOptions
  readonly #pace = new StrangerPace()
  readonly #counted = new AlikeEvents()
  #timer: NodeJS.Timeout | undefined
  /** Since when the share is used up, and when counts were last written; both of a clock that never goes back. */
  #scarceSince: number | undefined
  #writtenAt = Number.NEGATIVE_INFINITY
  /** Refusals that were counted and not recorded by themselves, since the start. */
  aggregated = 0

  constructor(options: StrangerRecordsOptions) {
    this.#options = options
  }

  /** Records a refusal, by itself or in a count. */
  record(event: TrafficEvent): void {
    const room = this.#options.room()
    // An address that its site does not want kept is no address to be fair to.
    const address = networkOf(event.clientAddress) || event.siteId
    if (room === 'each' && this.#pace.allows(address, performance.now())) this.#options.append(event)
    else this.#count(event, room)
  }

  /** Journals what is counted, whatever room there is. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writtenAt = performance.now()
    for (const event of this.#counted.take()) this.#options.append(event)
  }

  #count(event: TrafficEvent, room: StrangerRoom): void {
    this.aggregated += 1
    const isShort = room === 'each' || room === 'counts'
    this.#counted.add(event, isShort ? Math.floor(event.time / WINDOW_MS) : 0)
    this.#timer ??= setTimeout(this.#windowEnds, WINDOW_MS - (Date.now() % WINDOW_MS))
  }

  readonly #windowEnds = (): void => {
    this.#timer = undefined
    if (this.#counted.size === 0) return
    if (this.#mayWrite(performance.now())) this.flush()
    else this.#timer = setTimeout(this.#windowEnds, WINDOW_MS)
  }

  #mayWrite(now: number): boolean {
    const room = this.#options.room()
    if (room === 'nothing') return false
    if (room === 'few-counts') this.#scarceSince ??= now
    else this.#scarceSince = undefined
    return this.#scarceSince === undefined || now - this.#writtenAt >= (now - this.#scarceSince) * WAITED_PART
  }
}
