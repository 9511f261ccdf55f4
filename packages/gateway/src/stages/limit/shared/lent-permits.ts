/**
 * Permits that Valkey has lent: counted there already, for requests that are expected, so that these need not ask. A permit is good as long as the
 * segment lasts that it was counted in, by the earliest that the server's clock may say; so whoever uses it, and when, no window is
 * above its limit. As many are asked for as came in the last quarter of a second, and they are good for as long; what is not
 * used is given back.
 */
import type { SharedLimit } from './shared-limits.ts'

/** How long permits are good at most, and how often is looked after them. */
export const LENT_MS = 250
/** With fewer requests in that time, each asks for itself. */
const BUSY_REQUESTS = 4
/** The clock of the server counts whole milliseconds, and clocks differ in their pace. */
const CLOCK_MARGIN_MS = 2

interface Lent {
  readonly limit: SharedLimit
  left: number
  segment: number
  /** By both clocks of this machine: the monotonic one stands still while the machine sleeps, the other may be set. */
  until: number
  untilWall: number
  /** What is left without them. */
  remaining: number
  resetAt: number
  /** Requests of this period, and of the last. */
  requests: number
  before: number
}

/** As many permits of a limit, to be given back. */
export interface Unused {
  readonly limit: SharedLimit
  readonly segment: number
  readonly permits: number
}

/** What Valkey lends. */
export interface Loan {
  readonly permits: number
  readonly segment: number
  /** How long the segment lasted when that was said. */
  readonly segmentLeftMs: number
  /** What is left besides, and milliseconds until there is more. */
  readonly remaining: number
  readonly resetMs: number
}

export class LentPermits {
  readonly #now: () => number
  readonly #wallNow: () => number
  readonly #lent = new Map<string, Lent>()
  readonly #asked = new Set<string>()

  constructor(now: () => number = () => performance.now(), wallNow: () => number = Date.now) {
    this.#now = now
    this.#wallNow = wallNow
  }

  /** Limits that are looked after. */
  get size(): number {
    return this.#lent.size
  }

  /** A request comes that is counted in these limits. */
  expect(limits: readonly SharedLimit[]): void {
    for (const limit of limits) {
      const lent = this.#lent.get(limit.key) ?? fresh(limit)
      lent.requests += 1
      this.#lent.set(limit.key, lent)
    }
  }

  /** Uses a permit of each limit; returns what was left of each before, or null where one has none. */
  use(limits: readonly SharedLimit[]): { readonly remaining: number; readonly resetMs: number }[] | null {
    const now = this.#now()
    const all = limits.map(({ key }) => this.#lent.get(key))
    if (!all.every((lent) => lent !== undefined && this.#isGood(lent, now))) return null
    return all.flatMap((lent) => {
      if (!lent) return []
      lent.left -= 1
      return { remaining: lent.remaining + lent.left + 1, resetMs: Math.max(0, lent.resetAt - now) }
    })
  }

  /** Whether so much came of late that permits save trips. A request needs one of each of its limits. */
  isBusy({ key }: SharedLimit): boolean {
    return (this.#lent.get(key)?.before ?? 0) >= BUSY_REQUESTS
  }

  /** Permits of a limit are asked for: until they have come, nobody else asks for more. */
  asking(key: string): void {
    this.#asked.add(key)
  }
  answered(key: string): void {
    this.#asked.delete(key)
  }

  /** How many are to be asked for: none while some are left or under way, so that those of others do not pile up here. */
  wanted({ key }: SharedLimit): number {
    const lent = this.#lent.get(key)
    if (!lent || lent.before < BUSY_REQUESTS) return 0
    return this.#isGood(lent, this.#now()) || this.#asked.has(key) ? 0 : lent.before
  }

  /** Keeps what was lent, asked for at `askedAt`; returns what is not good any more. */
  keep(limit: SharedLimit, askedAt: number, loan: Loan): Unused[] {
    if (loan.permits === 0) return []
    const lent = this.#lent.get(limit.key) ?? fresh(limit)
    // What lay here for too long is not made good again by what comes.
    const isSame = lent.segment === loan.segment && this.#isGood(lent, this.#now())
    const unused = isSame ? [] : takeUnused(lent)
    const goodMs = Math.min(LENT_MS, loan.segmentLeftMs - CLOCK_MARGIN_MS)
    lent.left += loan.permits
    lent.segment = loan.segment
    lent.until = askedAt + goodMs
    lent.untilWall = this.#wallNow() + goodMs
    lent.remaining = loan.remaining
    lent.resetAt = askedAt + loan.resetMs
    this.#lent.set(limit.key, lent)
    return unused
  }

  /** Ends a period: what is not good any more is returned, and what nobody uses is forgotten. */
  turn(): Unused[] {
    const now = this.#now()
    return [...this.#lent].flatMap(([key, lent]) => {
      const unused = this.#isGood(lent, now) ? [] : takeUnused(lent)
      if (lent.left === 0 && lent.requests + lent.before === 0) this.#lent.delete(key)
      lent.before = lent.requests
      lent.requests = 0
      return unused
    })
  }

  /** Everything that is left, to be given back. */
  takeAll(): Unused[] {
    const unused = [...this.#lent.values()].flatMap(takeUnused)
    this.#lent.clear()
    return unused
  }

  #isGood({ left, until, untilWall }: Lent, now: number): boolean {
    return left > 0 && now < until && this.#wallNow() < untilWall
  }
}

const fresh = (limit: SharedLimit): Lent => ({
  ...{
    limit,
    left: 0,
    segment: -1,
    until: 0,
    untilWall: 0,
    remaining: 0,
    resetAt: 0,
    requests: 0,
    before: 0,
  },
})

function takeUnused(lent: Lent): Unused[] {
  const { limit, segment, left: permits } = lent
  lent.left = 0
  return permits > 0 ? [{ limit, segment, permits }] : []
}
