/**
 * Counts in Valkey (or Redis), so that several gateways share a limit. Each decision is one atomic round trip.
 *
 * While Valkey is away, or slower than `ANSWER_MAX_MS`, this gateway counts in its own memory: requests are still
 * limited, but by each gateway on its own, so that together they may let through as many times the limit as there are
 * gateways. The log says when that begins and when it ends.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LimiterSettings, RateLimitPolicy } from '@sallyport/contract'
import { type Budget, holdsPermits, LEASE_MS, limiterKindOf } from '@sallyport/policy'
import { Redis } from 'iovalkey'
import type { Log } from '../../settings.ts'
import { type Counters, type Decision, decide, type Remaining, type SharedStanding } from './counters.ts'
import { LocalCounters } from './local-counters.ts'
import { ACQUIRE_SCRIPT, RENEW_SCRIPT } from './shared-script.ts'

const ANSWER_MAX_MS = 100
/** After a failure, this long is counted locally before Valkey is asked again. */
const RETRY_INTERVAL_MS = 250
const RECONNECT_MAX_MS = 1_000
const RENEW_INTERVAL_MS = 10_000
const RENEWED_AT_ONCE = 500
const FIELDS_PER_LIMIT = 3

export interface SharedCountersOptions {
  readonly url: string
  /** How long a decision may wait for Valkey before it is made locally, milliseconds. */
  readonly answerMaxMs?: number
  /** Where it counts while Valkey is away; a memory of its own unless given. */
  readonly own?: Counters
  readonly log: Log
}

interface Script {
  readonly text: string
  readonly digest: string
}
const script = (text: string): Script => ({ text, digest: createHash('sha1').update(text).digest('hex') })
const ACQUIRE = script(ACQUIRE_SCRIPT)
const RENEW = script(RENEW_SCRIPT)

/** A permit that a running request holds. */
interface Lease {
  readonly key: string
  readonly id: string
}

interface SharedLimit {
  readonly key: string
  readonly settings: LimiterSettings
}
/** What the script takes for the id of a request that is none. */
const LOOK_ID = ''

export class SharedCounters implements Counters {
  readonly #client: Redis
  readonly #local: Counters
  readonly #log: Log
  readonly #leases = new Set<Lease>()
  readonly #renewal: NodeJS.Timeout
  readonly #gateway = crypto.randomUUID()
  #requests = 0
  readonly #decisions = { shared: 0, fallback: 0 }
  #away = false
  #nextTryAt = 0

  private constructor({ url, log, answerMaxMs = ANSWER_MAX_MS, own }: SharedCountersOptions) {
    this.#local = own ?? new LocalCounters()
    this.#log = log
    this.#client = new Redis(url, {
      commandTimeout: answerMaxMs,
      connectTimeout: RECONNECT_MAX_MS,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => Math.min(RECONNECT_MAX_MS, attempt * 50),
    })
    // Every error also fails the command that ran into it, which is where it is dealt with.
    this.#client.on('error', () => undefined)
    this.#renewal = setInterval(() => void this.#renew(), RENEW_INTERVAL_MS)
    this.#renewal.unref()
  }

  /** Connects, waiting a moment for it; where Valkey is away, counting begins locally. */
  static async connect(options: SharedCountersOptions): Promise<SharedCounters> {
    const counters = new SharedCounters(options)
    await Promise.race([
      new Promise((resolve) => counters.#client.once('ready', resolve)),
      sleep(RECONNECT_MAX_MS, undefined, { ref: false }),
    ])
    return counters
  }

  get shared(): SharedStanding {
    return { isThere: !this.#away, ...this.#decisions }
  }

  async acquire(siteId: string, researcherId: string, policy: RateLimitPolicy): Promise<Decision> {
    this.#requests += 1
    const id = `${this.#gateway}:${this.#requests}`
    const limits = limitsOf(siteId, researcherId, policy)
    const numbers = await this.#ask(limits, id)
    if (!numbers) return this.#local.acquire(siteId, researcherId, policy)
    // The script has counted what it allows.
    return decide(remainingOf(numbers, policy), () => (holdsPermits(policy) ? this.#hold(limits, id) : null))
  }

  async peek(siteId: string, researcherId: string, policy: RateLimitPolicy): Promise<Remaining> {
    const numbers = await this.#ask(limitsOf(siteId, researcherId, policy), LOOK_ID)
    return numbers ? remainingOf(numbers, policy) : this.#local.peek(siteId, researcherId, policy)
  }

  async close(): Promise<void> {
    clearInterval(this.#renewal)
    await Promise.all([...this.#leases].map((lease) => this.#release([lease])))
    this.#client.disconnect()
    await this.#local.close()
  }

  /** What Valkey says of the limits, or undefined while it is away. */
  async #ask(limits: readonly SharedLimit[], id: string): Promise<number[] | undefined> {
    const numbers = await this.#askValkey(limits, id)
    this.#decisions[numbers ? 'shared' : 'fallback'] += 1
    return numbers
  }

  async #askValkey(limits: readonly SharedLimit[], id: string): Promise<number[] | undefined> {
    if (performance.now() < this.#nextTryAt) return undefined
    try {
      const numbers = await this.#run(
        ACQUIRE,
        limits.map(({ key }) => key),
        [id, ...limits.flatMap(({ settings }) => argumentsOf(settings))],
      )
      this.#noteBack()
      return numbers
    } catch (error) {
      this.#noteAway(error)
      return undefined
    }
  }

  #hold(limits: readonly SharedLimit[], id: string): () => void {
    const leases = limits.flatMap(({ key, settings }) =>
      limiterKindOf(settings).holdsPermits ? [{ key, id }] : [],
    )
    for (const lease of leases) this.#leases.add(lease)
    return () => void this.#release(leases)
  }

  async #release(leases: readonly Lease[]): Promise<void> {
    for (const lease of leases) this.#leases.delete(lease)
    // What cannot be released now lapses with its lease.
    await Promise.all(leases.map(({ key, id }) => this.#client.zrem(key, id).catch(() => undefined)))
  }

  async #renew(): Promise<void> {
    const leases = [...this.#leases]
    for (let start = 0; start < leases.length; start += RENEWED_AT_ONCE)
      await Promise.all(
        leases
          .slice(start, start + RENEWED_AT_ONCE)
          .map(({ key, id }) => this.#run(RENEW, [key], [String(LEASE_MS), id]).catch(() => undefined)),
      )
  }

  /** Runs a script, by its digest where the server knows it; its answer is a list of numbers. */
  async #run(script: Script, keys: readonly string[], values: readonly string[]): Promise<number[]> {
    const parameters = [...keys, ...values]
    const answer: unknown = await this.#client
      .evalsha(script.digest, keys.length, ...parameters)
      .catch((error: unknown) => {
        if (!String(error).includes('NOSCRIPT')) throw error
        return this.#client.eval(script.text, keys.length, ...parameters)
      })
    return Array.isArray(answer) ? answer.map(Number) : []
  }

  #noteAway(error: unknown): void {
    this.#nextTryAt = performance.now() + RETRY_INTERVAL_MS
    if (this.#away) return
    this.#away = true
    const why = error instanceof Error ? error.message : String(error)
    this.#log('warn', `Valkey is away (${why}); each gateway counts rate limits on its own until it is back`)
  }

  #noteBack(): void {
    if (!this.#away) return
    this.#away = false
    this.#log('info', 'Valkey is back; rate limits are shared again')
  }
}

/** All keys of a site share a hash tag, so that a cluster keeps them on one node. A changed policy begins anew. */
const keyOf = (siteId: string, policy: RateLimitPolicy, part: 'site' | 'researcher', id: string): string =>
  `sallyport:limit:{${siteId}}:${policy.name}:${argumentsOf(part === 'site' ? policy.site : (policy.perResearcher ?? policy.site)).join('-')}:${part}:${id}`

function limitsOf(siteId: string, researcherId: string, policy: RateLimitPolicy): SharedLimit[] {
  const limits = [{ key: keyOf(siteId, policy, 'site', ''), settings: policy.site }]
  if (policy.perResearcher)
    limits.push({ key: keyOf(siteId, policy, 'researcher', researcherId), settings: policy.perResearcher })
  return limits
}

const remainingOf = (numbers: readonly number[], policy: RateLimitPolicy): Remaining => ({
  site: budgetAt(numbers, 0),
  researcher: policy.perResearcher ? budgetAt(numbers, FIELDS_PER_LIMIT) : undefined,
})

function argumentsOf(settings: LimiterSettings): string[] {
  const kind = limiterKindOf(settings)
  return [settings.kind, settings.limit, kind.windowMs(settings) ?? 0, kind.scriptNumber(settings)].map(
    String,
  )
}

const budgetAt = (numbers: readonly number[], at: number): Budget => ({
  allowed: numbers[at] === 1,
  remaining: numbers[at + 1] ?? 0,
  resetMs: numbers[at + 2] ?? 0,
})
