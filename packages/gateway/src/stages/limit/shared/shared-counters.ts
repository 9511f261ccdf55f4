/**
 * Counts in Valkey (or Redis), so that several gateways share a limit. Requests to the same limits that come while Valkey is asked are asked for
 * together; where many come, Valkey lends permits for those of the next quarter of a second, which need not ask.
 *
 * While Valkey is away, this gateway counts its part of each limit in its own memory. What became of a request whose answer did not come in time is not
 * known: Valkey may have counted it, and it is counted here again.
 */
import type { RateLimitPolicy } from '@sallyport/contract'
import { type Budget, holdsPermits, limiterKindOf } from '@sallyport/policy'
import { type Counters, type Decision, decide, type Remaining, type SharedStanding } from '../counters.ts'
import { LocalCounters } from '../local-counters.ts'
import { type Asked, type Correction, Fallback } from './fallback.ts'
import { HeldPlaces } from './held-places.ts'
import { LENT_MS, LentPermits, type Loan, type Unused } from './lent-permits.ts'
import { ACQUIRE, CORRECT, GIVE_BACK } from './scripts.ts'
import { limitsOf, type SharedLimit } from './shared-limits.ts'
import { Trips } from './trips.ts'
import { ValkeyLink, type ValkeyLinkOptions } from './valkey-link.ts'

const FIELDS_PER_LIMIT = 5
/** Of what is left, all gateways together are lent a fourth at once. */
const LENT_PART = 4
/** What came while it was told what was missed is told, too. */
const TELL_ROUNDS_MAX = 8
const TOLD_AT_ONCE = 500

export interface SharedCountersOptions extends ValkeyLinkOptions {
  /** Where it counts while Valkey is away; a memory of its own unless given. */
  readonly own?: Counters
}

interface Waiter {
  readonly asked: Asked
  readonly resolve: (decision: Decision | Promise<Decision>) => void
}

/** What the script says of one limit. */
interface Answered extends Loan {
  readonly limit: SharedLimit
}

export class SharedCounters implements Counters {
  readonly #link: ValkeyLink
  readonly #fallback: Fallback
  readonly #lent = new LentPermits()
  readonly #places: HeldPlaces
  readonly #trips = new Trips<Waiter>((waiters) => this.#decideOn(waiters))
  readonly #turning: NodeJS.Timeout
  readonly #process = crypto.randomUUID()
  readonly #decisions = { shared: 0, lent: 0, fallback: 0 }
  #permits = 0

  private constructor({ own, ...options }: SharedCountersOptions) {
    this.#link = new ValkeyLink(options)
    this.#fallback = new Fallback(own ?? new LocalCounters(), () => this.#link.gateways)
    this.#places = new HeldPlaces(this.#link)
    this.#turning = setInterval(() => this.#giveBack(this.#lent.turn()), LENT_MS)
    this.#turning.unref()
  }

  /**
   * Connects, waiting a moment for it; where Valkey is away, counting begins locally.
   *
   * @throws MisnamedServerError where a sentinel or a node of a cluster answers
   */
  static async connect(options: SharedCountersOptions): Promise<SharedCounters> {
    const counters = new SharedCounters(options)
    try {
      await counters.#link.start({
        tellForgotten: () => counters.#tellForgotten(),
        tellMissed: () => counters.#tellMissed(),
      })
    } catch (error) {
      await counters.close()
      throw error
    }
    return counters
  }

  get shared(): SharedStanding {
    return { isThere: this.#link.isThere, ...this.#decisions }
  }

  acquire(siteId: string, researcherId: string, policy: RateLimitPolicy): Decision | Promise<Decision> {
    const asked = { siteId, researcherId, policy, limits: limitsOf(siteId, researcherId, policy) }
    if (holdsPermits(policy)) return this.#acquirePlace(asked)
    this.#lent.expect(asked.limits)
    const key = tripOf(asked)
    // Who came before goes before.
    const lent = this.#trips.isWaitedFor(key) ? null : this.#lent.use(asked.limits)
    if (lent) {
      this.#decisions.lent += 1
      return this.#allow(asked, lent)
    }
    if (!this.#link.isThere) return this.#fallBack(asked)
    return new Promise((resolve) => this.#trips.add(key, { asked, resolve }))
  }

  async peek(siteId: string, researcherId: string, policy: RateLimitPolicy): Promise<Remaining> {
    const asked = { siteId, researcherId, policy, limits: limitsOf(siteId, researcherId, policy) }
    const answer = await this.#ask(asked.limits, 0, '')
    return answer ? remainingOf(answer.limits) : this.#fallback.peek(asked)
  }

  async close(): Promise<void> {
    clearInterval(this.#turning)
    this.#places.close()
    this.#giveBack(this.#lent.takeAll())
    await this.#link.close()
    await this.#fallback.close()
  }

  async #acquirePlace(asked: Asked): Promise<Decision> {
    this.#permits += 1
    const id = `${this.#process}:${this.#permits}`
    const places = asked.limits.flatMap(({ key, settings }) =>
      limiterKindOf(settings).holdsPermits ? [{ key, id }] : [],
    )
    const wasThere = this.#link.isThere
    const answer = await this.#ask(asked.limits, 1, id)
    if (!answer) {
      // Valkey may have taken the command although no answer came.
      if (wasThere) this.#places.release(places)
      return this.#fallBack(asked)
    }
    this.#decisions.shared += 1
    return decide(remainingOf(answer.limits), () => {
      const charged = this.#fallback.charge(asked, true)
      const release = this.#places.hold(places)
      return () => {
        charged?.()
        release()
      }
    })
  }

  /** Decides on requests to the same limits, by what was lent meanwhile, by Valkey, or in its place. */
  async #decideOn(waiters: readonly Waiter[]): Promise<void> {
    const [first] = waiters
    if (!first) return
    const answer = await this.#ask(first.asked.limits, waiters.length, '')
    for (const [index, { asked, resolve }] of waiters.entries()) {
      if (!answer) {
        resolve(this.#fallBack(asked))
        continue
      }
      this.#decisions.shared += 1
      const before = answer.limits.map((limit) => ({ ...limit, remaining: limit.remaining - index }))
      if (index < answer.counted) resolve(this.#allow(asked, before))
      else resolve(decide(refusedOf(answer), () => null))
    }
  }

  #allow(asked: Asked, before: readonly Pick<Budget, 'remaining' | 'resetMs'>[]): Decision {
    this.#fallback.charge(asked, false)
    return decide(remainingOf(before), () => null)
  }

  #fallBack(asked: Asked): Promise<Decision> {
    this.#decisions.fallback += 1
    return this.#fallback.acquire(asked)
  }

  /** What Valkey says to so many requests; undefined while it is away. */
  async #ask(limits: readonly SharedLimit[], requests: number, id: string) {
    if (!this.#link.isThere) return undefined
    const askedAt = performance.now()
    const lends = requests > 0 && limits.every((limit) => this.#lent.isBusy(limit))
    const wanted = limits.map((limit) => (lends ? this.#lent.wanted(limit) : 0))
    const asked = limits.filter((_limit, index) => wanted[index])
    for (const { key } of asked) this.#lent.asking(key)
    const values = limits.flatMap((limit, index) => [...limit.parameters, String(wanted[index])])
    const divisor = LENT_PART * this.#link.gateways
    try {
      const keys = limits.map(({ key }) => key)
      const [counted = 0, ...numbers] = await this.#link.ask(ACQUIRE, keys, [
        id,
        String(requests),
        String(divisor),
        ...values,
      ])
      const answered = limits.map((limit, index) => answeredAt(limit, numbers, index * FIELDS_PER_LIMIT))
      this.#keep(answered, counted, askedAt)
      return { counted, limits: answered }
    } catch (error) {
      this.#link.noteFailure(error)
      return undefined
    } finally {
      for (const { key } of asked) this.#lent.answered(key)
    }
  }

  #keep(answered: readonly Answered[], counted: number, askedAt: number): void {
    for (const { limit, ...loan } of answered) {
      const remaining = loan.remaining - counted - loan.permits
      this.#fallback.learn(limit, { remaining, resetMs: loan.resetMs })
      this.#giveBack(this.#lent.keep(limit, askedAt, { ...loan, remaining }))
    }
  }

  #giveBack(unused: readonly Unused[]): void {
    if (!this.#link.isThere) return
    for (const { limit, segment, permits } of unused) {
      const values = [...limit.parameters, String(segment), String(permits)]
      // What cannot be given back counts as used.
      this.#link.ask(GIVE_BACK, [limit.key], values).catch(() => undefined)
    }
  }

  async #tellForgotten(): Promise<void> {
    await this.#correct(this.#fallback.forgotten())
    await this.#places.renew()
  }

  async #tellMissed(): Promise<void> {
    for (let round = 0; round < TELL_ROUNDS_MAX; round += 1) {
      const missed = this.#fallback.takeMissed()
      if (missed.length === 0) return
      await this.#correct(missed).catch((error: unknown) => {
        this.#fallback.returnMissed(missed)
        throw error
      })
    }
  }

  async #correct(corrections: readonly Correction[]): Promise<void> {
    for (let start = 0; start < corrections.length; start += TOLD_AT_ONCE)
      await Promise.all(
        corrections
          .slice(start, start + TOLD_AT_ONCE)
          .map(({ limit, atMost, missed }) =>
            this.#link.ask(CORRECT, [limit.key], [...limit.parameters, String(atMost), String(missed)]),
          ),
      )
  }
}

/** Limits of the same policy are the same where the last is. */
const tripOf = ({ limits }: Asked): string => limits.at(-1)?.key ?? ''

/** Where some of those that were asked for are refused, nothing is left of the limit that refuses. */
const refusedOf = ({
  counted,
  limits,
}: {
  readonly counted: number
  readonly limits: readonly Answered[]
}): Remaining => remainingOf(limits.map((limit) => ({ ...limit, remaining: limit.remaining - counted })))

function answeredAt(limit: SharedLimit, numbers: readonly number[], at: number): Answered {
  const [remaining = 0, resetMs = 0, permits = 0, segment = 0, segmentLeftMs = 0] = numbers.slice(at)
  return { limit, remaining, resetMs, permits, segment, segmentLeftMs }
}

function remainingOf(limits: readonly Pick<Budget, 'remaining' | 'resetMs'>[]): Remaining {
  const [site, researcher] = limits.map(
    ({ remaining, resetMs }): Budget => ({
      allowed: remaining > 0,
      remaining: Math.max(0, remaining),
      resetMs,
    }),
  )
  return { site: site ?? { allowed: false, remaining: 0, resetMs: 0 }, researcher }
}
