/**
 * What a kind of limiter is. Each has a file here with its arithmetic (in memory and in Valkey, by the same rules);
 * `registry.ts` lists them, `words.ts` has their words, and everything else is made from that.
 *
 * A limiter counts exactly: `peek` says whether one more request is within the limit now, `acquire` counts it. The two are
 * separate because a request has to be within two limits (the site's and the researcher's share) before it is counted in
 * either. Time is given in milliseconds since the epoch by a clock that never steps. If it goes back all the same, a limiter
 * stays where it is: nothing is given out twice.
 */

import type { LimiterSettings } from '@sallyport/contract'

/** The settings of one kind. */
export type SettingsOf<Kind extends LimiterSettings['kind']> = Extract<LimiterSettings, { kind: Kind }>

/** What is left of a limit. */
export interface Budget {
  readonly allowed: boolean
  /** Requests that may follow at once. */
  readonly remaining: number
  /** After how many milliseconds more is available than now; 0 where nothing is used up. */
  readonly resetMs: number
}

export interface Limiter {
  /** What is left before a request at `now`. */
  peek(now: number): Budget
  /** Counts a request that `peek` has allowed at the same `now`. */
  acquire(now: number): void
  /** Ends a request that was counted: of a kind that `holdsPermits`. */
  release?(): void
  /** Whether the limiter is as if it had never been used, so that it may be forgotten. */
  isFresh(now: number): boolean
  /** Writes all that it knows besides its settings into the first `stateLength` numbers. */
  save(numbers: Float64Array): void
  /** Becomes what `save` wrote of a limiter with the same settings. */
  restore(numbers: Float64Array): void
}

export interface LimiterKind<Settings> {
  /** A limiter in memory, unused. */
  create(settings: Settings): Limiter
  /** How many numbers the state of such a limiter is. */
  stateLength(settings: Settings): number
  /**
   * The same limiter in Valkey: a function in Lua of the key, the limit, `windowMs` (0 where it is null) and
   * `scriptNumber`. It reads `now` (milliseconds by the server's clock) and `lease_id`, and returns a table of `allowed`,
   * `remaining`, `reset` (milliseconds) and the function `acquire`, which counts as many requests as it is told. Where a gateway may count
   * requests before they come and let them through until a stretch of time ends, because the window is the same whichever moment of it they come at, there are
   * `segment`, which names the stretch of time that these requests are counted in, `segment_end` (milliseconds by the server's clock),
   * and the function `give_back` of a segment and a number: as many of its requests are not made.
   */
  readonly script: string
  /** What the script needs to know besides limit and window. Part of the names of stored counters. */
  scriptNumber(settings: Settings): number
  /** The window that the settings name; null where requests are counted that run at once. */
  windowMs(settings: Settings): number | null
  /** The time in which the whole limit may be used once; null likewise. */
  quotaWindowMs(settings: Settings): number | null
  /**
   * Whether a request holds its permit until it ends. In Valkey it is then a member, named by its lease, of the sorted set
   * under the key, with the end of the lease as its score.
   */
  readonly holdsPermits: boolean
  /** One of so many equal parts of the limit, and at least one request. */
  partOf(settings: Settings, parts: number): Settings
  /** What is surely left if so much was, `elapsedMs` ago, and nobody has used anything since. */
  remainingAfter(settings: Settings, known: KnownRemainder, elapsedMs: number): number
}

/** What was known to be left of a limit. */
export type KnownRemainder = Pick<Budget, 'remaining' | 'resetMs'>

/** A part of a limit: whole, and at least one. */
export const limitPart = (limit: number, parts: number): number => Math.max(1, Math.floor(limit / parts))

/** A permit that is held in Valkey lapses after this long unless it is renewed: that of a gateway that died. */
export const LEASE_MS = 30_000

export interface LimiterWords<Settings> {
  /** The limit as a part of a sentence: `at most 600 requests in each minute`. */
  rule(settings: Settings): string
  /** What happens when time has passed, as the beginning of a sentence: `More comes back`. */
  readonly comesBack: string
}
