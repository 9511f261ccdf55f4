/**
 * The threads of a gateway that serve requests, and what the main thread keeps for all of them: the configuration, leases and closures
 * that it hands on, the memory that limits are counted in, and the few answers that only one may give.
 */
import { RESEARCHER_RECENT_MAX, type ResearcherPageRequest } from '@sallyport/contract/words'
import type { TrafficMeasures } from '../admin/traffic-measures.ts'
import type { Closures } from '../closures/closures.ts'
import type { ControlUrls } from '../control-plane/control-urls.ts'
import type { GatewayCredential } from '../control-plane/credential.ts'
import type { FeedClient } from '../control-plane/feed-client.ts'
import { RedeemedCodes } from '../credentials/sign-in-code.ts'
import { createCallThrottles } from '../gate-host/call-throttle.ts'
import type { Lease, Moment } from '../lease/lease.ts'
import type { HealthChange } from '../record/delivery/batch-sender.ts'
import type { Log } from '../settings.ts'
import type { RevisionSource } from '../snapshot/snapshot.ts'
import { KeptLimiterMemories } from '../stages/limit/limiter-memories.ts'
import type { Answers } from './channel.ts'
import { MergedHealth } from './merged-health.ts'
import type { MainQuestions, ServingAddresses, ThreadStart } from './messages.ts'
import { ThreadBoard } from './thread-board.ts'
import { ThreadLink } from './thread-link.ts'
import { Turns } from './turns.ts'
import { HANG_LOOK_INTERVAL_MS, HangWatch } from './watch/hang-watch.ts'

/** What a thread counted since it was last asked is lost where it fails. */
const MEASURE_INTERVAL_MS = 1_000

export interface GatewayThreadsParts {
  readonly start: Omit<ThreadStart, 'thread' | 'board'>
  readonly snapshots: FeedClient
  readonly lease: Lease
  readonly closures: Closures
  readonly controlUrls: ControlUrls
  readonly credential: GatewayCredential
  /** The event loop of a thread stands still, and it cannot be ended. */
  readonly onUnendable: (thread: number) => void
  readonly log: Log
}

export class GatewayThreads implements RevisionSource {
  readonly #parts: GatewayThreadsParts
  readonly #board: ThreadBoard
  readonly #memories: KeptLimiterMemories
  readonly #redeemed = new RedeemedCodes()
  readonly #throttles = createCallThrottles()
  readonly #health = new MergedHealth()
  readonly #tableTurns = new Turns()
  readonly #listeners = new Set<() => void>()
  readonly #unsubscribe: readonly (() => void)[]
  readonly #links: readonly ThreadLink[]

  constructor(parts: GatewayThreadsParts) {
    const { snapshots, closures, controlUrls, credential } = parts
    const { threads } = parts.start
    this.#parts = parts
    this.#board = new ThreadBoard(threads)
    this.#memories = new KeptLimiterMemories(threads)
    this.#links = Array.from({ length: threads }, (_, thread) => this.#link(thread))
    const measuring = setInterval(() => void this.measure(), MEASURE_INTERVAL_MS)
    const watching = this.#watch()
    this.#unsubscribe = [
      () => clearInterval(measuring),
      () => clearInterval(watching),
      snapshots.onSwap(() => this.#syncAll()),
      closures.onAct(() => this.#tellClosures()),
      controlUrls.onMove(() => this.#tellControlUrl()),
      credential.onReplaced((shown) => this.#tellCredential(shown)),
    ]
  }

  /** Where the threads listen; rejects where one of them cannot. */
  async listening(): Promise<ServingAddresses> {
    const [first] = await Promise.all(this.#links.map(({ listening }) => listening))
    if (!first) throw new Error('a gateway has at least one thread')
    return first
  }

  /** The revision that every thread runs which may serve. */
  get current(): { readonly revision: number } {
    const revisions = this.#links.flatMap(({ revision }) => revision ?? [])
    return { revision: Math.min(this.#parts.snapshots.current.revision, ...revisions) }
  }

  /** Calls back when the revision that every thread runs may have changed. */
  onSwap(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** What was served at that moment was in force, in every thread. */
  vouchedAt(moment: Moment): void {
    for (const { channel } of this.#links) channel?.tell('vouched', moment)
  }

  /** Why some thread is not ready to serve; null where all are. */
  get whyNotReady(): string | null {
    return this.#links.find(({ whyNotReady }) => whyNotReady !== null)?.whyNotReady ?? null
  }

  get restarts(): number {
    return this.#links.reduce((total, { restarts }) => total + restarts, 0)
  }

  /** What each thread has measured. */
  measure(): Promise<readonly TrafficMeasures[]> {
    return Promise.all(this.#links.map((link) => link.measure()))
  }

  /** What waits in the journals of all threads. */
  get waiting(): ThreadBoard['waiting'] {
    return this.#board.waiting
  }

  drainHealthChanges(): HealthChange[] {
    return this.#health.drainChanges()
  }

  async stop(): Promise<void> {
    for (const stop of this.#unsubscribe) stop()
    await Promise.all(this.#links.map((link) => link.stop()))
  }

  #watch(): NodeJS.Timeout {
    const { threadSilenceMaxMs } = this.#parts.start.settings.limits
    const watches = this.#links.map(() => new HangWatch(threadSilenceMaxMs, performance.now()))
    return setInterval(() => {
      for (const [thread, link] of this.#links.entries())
        if (watches[thread]?.isHung(this.#board.heartbeats(thread), link.isStarting, performance.now()))
          void link.endHung()
    }, HANG_LOOK_INTERVAL_MS)
  }

  #link(thread: number): ThreadLink {
    const { start, snapshots, closures, controlUrls, credential, lease, log } = this.#parts
    return new ThreadLink({
      start: { ...start, thread, board: this.#board.memory },
      snapshots,
      answers: this.#answersTo(thread),
      prepare: async (channel) => {
        channel.tell('controlUrl', controlUrls.current)
        channel.tell('credential', credential.current)
        if (lease.from) channel.tell('vouched', lease.from)
        await channel.ask('closures', closures.closed)
      },
      onRevision: () => this.#noteRevision(),
      onEnded: () => {
        this.#memories.threadEnded(thread)
        this.#board.threadEnded(thread)
        this.#health.threadEnded(thread)
        this.#tableTurns.threadEnded(thread)
      },
      onUnendable: () => this.#parts.onUnendable(thread),
      log,
    })
  }

  #answersTo(thread: number): Answers<MainQuestions> {
    return {
      takeLimiter: ({ key, settings }) => this.#memories.take(thread, key, settings),
      dropLimiter: (key) => void this.#memories.drop(thread, key),
      redeem: ({ now, ...code }) => this.#redeemed.redeem(code, now),
      admitCall: ({ call, caller, now }) => this.#throttles[call](caller, now),
      recentRequests: async (whose) => {
        const lists = this.#links.map(
          async ({ channel }): Promise<ResearcherPageRequest[]> =>
            (await channel?.ask('recentRequests', whose).catch(() => [])) ?? [],
        )
        const requests = (await Promise.all(lists)).flat()
        return requests.toSorted((one, other) => other.time - one.time).slice(0, RESEARCHER_RECENT_MAX)
      },
      tableTurn: () => this.#tableTurns.ask(thread),
      tableTurnOver: () => void this.#tableTurns.over(thread),
      originHealth: (health) => void this.#health.note(thread, health),
      readiness: (why) => {
        const link = this.#links[thread]
        if (link) link.saidNotReady = why
        return undefined
      },
    }
  }

  #syncAll(): void {
    // A thread that ends meanwhile begins anew with the present snapshot.
    for (const link of this.#links) link.sync().catch(() => undefined)
    this.#noteRevision()
  }

  #noteRevision(): void {
    const { revision } = this.current
    this.#board.revision = revision
    for (const listener of this.#listeners) listener()
  }

  /** Resolves when every thread has applied it; one that ended serves nothing. */
  async #tellClosures(): Promise<void> {
    const { closed } = this.#parts.closures
    await Promise.all(
      this.#links.map(({ channel }) => channel?.ask('closures', closed).catch(() => undefined)),
    )
  }

  #tellCredential(shown: string): void {
    for (const { channel } of this.#links) channel?.tell('credential', shown)
  }

  #tellControlUrl(): void {
    for (const { channel } of this.#links) channel?.tell('controlUrl', this.#parts.controlUrls.current)
  }
}
