/**
 * What is remembered of one client: sets and counts of fixed size in two parts of five minutes, of which the older one is forgotten
 * as a whole, and counts of the last minute. So memory and work are the same whatever comes, and nothing has to be swept.
 */
import { Pace } from './pace.ts'
import { SeenSet } from './seen-set.ts'
import { SlidingCount } from './sliding-count.ts'

/** One request as far as it is remembered. */
export interface NotedRequest {
  readonly role: 'page' | 'part' | 'call'
  /** Of the host and the whole target, and of the host and the path. */
  readonly targetHash: number
  readonly pathHash: number
  /** It may change something, so that the same again is asked for again. */
  readonly isUnsafe: boolean
  /** Answered that there is no such thing, or not in this way. */
  readonly isMiss: boolean
  /** Classes of attack that the firewall recognized in it. */
  readonly classes: readonly string[]
  /** When its head was complete, and when its end was known; milliseconds of one clock that does not go back. */
  readonly startedAt: number
  readonly endedAt: number
}

/** What a client did lately: numbers that signs are made of. */
export interface ClientFacts {
  /** Of the last minute: different pages, different calls of scripts, different requests with an attack in them. */
  readonly pagesPerMinute: number
  readonly callsPerMinute: number
  readonly payloadsPerMinute: number
  /** Of the last five to ten minutes. */
  readonly paths: number
  readonly missedPaths: number
  readonly pages: number
  readonly parts: number
  readonly classes: number
  /** Pauses between pages that `pauseVariation` is made of, and their standard deviation in relation to their mean. */
  readonly pauses: number
  readonly pauseVariation: number
}

export const PART_MS = 5 * 60_000
const MINUTE_MS = 60_000
const CLASSES_MAX = 32

class Part {
  readonly pages = new SeenSet(2_048)
  readonly calls = new SeenSet(2_048)
  readonly paths = new SeenSet(2_048)
  readonly missed = new SeenSet(2_048)
  readonly payloads = new SeenSet(1_024)
  readonly classes = new Set<string>()
  partCount = 0

  clear(): void {
    for (const set of [this.pages, this.calls, this.paths, this.missed, this.payloads]) set.clear()
    this.classes.clear()
    this.partCount = 0
  }
}

export class ClientMemory {
  #present = new Part()
  #before = new Part()
  #presentSince: number
  readonly #pagesInMinute = new SlidingCount(MINUTE_MS)
  readonly #callsInMinute = new SlidingCount(MINUTE_MS)
  readonly #payloadsInMinute = new SlidingCount(MINUTE_MS)
  readonly #pace = new Pace()

  constructor(now: number) {
    this.#presentSince = now
  }

  /** Whether nothing that came is remembered any more. */
  isStale(now: number): boolean {
    return now - this.#presentSince >= 2 * PART_MS
  }

  note(request: NotedRequest): void {
    const now = request.endedAt
    this.#turn(now)
    this.#notePath(request)
    if (request.role === 'part') this.#present.partCount += 1
    else if (request.role === 'page') this.#notePage(request)
    else if (request.isUnsafe || this.#isNew('calls', request.targetHash)) this.#callsInMinute.add(now)
    this.#notePayload(request)
  }

  facts(now: number): ClientFacts {
    this.#turn(now)
    const present = this.#present
    const before = this.#before
    return {
      pagesPerMinute: this.#pagesInMinute.at(now),
      callsPerMinute: this.#callsInMinute.at(now),
      payloadsPerMinute: this.#payloadsInMinute.at(now),
      paths: present.paths.count + before.paths.count,
      missedPaths: present.missed.count + before.missed.count,
      pages: present.pages.count + before.pages.count,
      parts: present.partCount + before.partCount,
      classes: before.classes.size === 0 ? present.classes.size : present.classes.union(before.classes).size,
      pauses: this.#pace.pauses,
      pauseVariation: this.#pace.variation,
    }
  }

  #notePath({ pathHash, isMiss }: NotedRequest): void {
    this.#isNew('paths', pathHash)
    if (isMiss) this.#isNew('missed', pathHash)
  }

  #notePage({ targetHash, isUnsafe, startedAt, endedAt }: NotedRequest): void {
    if (!isUnsafe && !this.#isNew('pages', targetHash)) return
    this.#pagesInMinute.add(endedAt)
    this.#pace.note(startedAt)
  }

  #notePayload({ classes, targetHash, isUnsafe, endedAt }: NotedRequest): void {
    if (classes.length === 0) return
    for (const name of classes) if (this.#present.classes.size < CLASSES_MAX) this.#present.classes.add(name)
    if (isUnsafe || this.#isNew('payloads', targetHash)) this.#payloadsInMinute.add(endedAt)
  }

  /** Whether something is asked for that neither part has. */
  #isNew(set: 'pages' | 'calls' | 'paths' | 'missed' | 'payloads', hash: number): boolean {
    if (this.#before[set].has(hash)) return false
    return this.#present[set].add(hash)
  }

  #turn(now: number): void {
    const age = now - this.#presentSince
    if (age < PART_MS) return
    const emptied = this.#before
    emptied.clear()
    this.#before = this.#present
    this.#present = emptied
    if (age >= 2 * PART_MS) this.#before.clear()
    this.#presentSince = now
  }
}
