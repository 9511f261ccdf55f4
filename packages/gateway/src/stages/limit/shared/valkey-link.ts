/**
 * The way to Valkey: whether it answers, whether it is a server that limits can be counted in, whether it is the one that was there
 * before, and how many gateways count in it.
 *
 * A server that does not answer for `ANSWER_MAX_MS` is away until it answers again. That is tried out in the background: while it is
 * away, no request waits for it. A server that has just been started is away, too, for as long as gateways need to find
 * it and to tell it what it has forgotten.
 */
import { backOffMs, pause } from '@sallyport/toolbox'
import { Redis } from 'iovalkey'
import type { Log } from '../../../settings.ts'
import { REGISTER, type Script } from './scripts.ts'
import { readServerFacts, type ServerFacts } from './server-facts.ts'

/** Longer than a server stands still while it saves, or its machine is moved. */
const ANSWER_MAX_MS = 1_000
const RECONNECT = { minMs: 50, maxMs: 500 }
const CONNECT_MAX_MS = 1_000
/** Between two attempts to reach a server that is away. */
const TRY_INTERVAL_MS = 250
/** A connection on which nothing was answered for so long is given up. */
const DEAD_CONNECTION_MS = 2_500
/**
 * Seconds from the start of a server until all gateways have reached it and told what it has forgotten, which each knows a part of; then
 * each tells what it has let through meanwhile, which is added to that; then it is counted there.
 */
const TOLD_S = 2
const STARTED_S = 3
/** A server that is reached again counts after so long: all others have tried to reach it by then. */
const OTHERS_TELL_MS = 2 * TRY_INTERVAL_MS
const REGISTER_INTERVAL_MS = 500
const REGISTERED_MS = 10_000
const GATEWAYS_KEY = 'sallyport:gateways'
/** Turns of the event loop in which answers are read that a late timer finds in the socket. */
const READ_TURNS_MAX = 32

export interface ValkeyLinkOptions {
  readonly url: string
  /** Among the gateways that count in the same Valkey. */
  readonly gatewayId: string
  readonly answerMaxMs?: number | undefined
  readonly log: Log
}

export interface LinkListener {
  /** Another server answers than before, or the same with nothing of what it knew; nobody counts in it yet. */
  readonly tellForgotten: () => Promise<void>
  /** It is counted in Valkey from now on. */
  readonly tellMissed: () => Promise<void>
}

/** Raised where the setting names something that limits cannot be counted in. */
export class MisnamedServerError extends Error {
  override readonly name = 'MisnamedServerError'
}

export class ValkeyLink {
  readonly #client: Redis
  readonly #options: ValkeyLinkOptions
  readonly #answerMaxMs: number
  readonly #closing = new AbortController()
  readonly #registering: NodeJS.Timeout
  #listener: LinkListener | undefined
  #isThere = false
  #isTrying: Promise<void> | undefined
  /** What the last attempt to reach it failed with. */
  #failure = 'it does not answer'
  /** Why it is away, as it was last said. */
  #said: string | undefined
  /** The run of the server that knows what was counted. */
  #run = ''
  #gateways = 1
  /** Until then, gateways that were there before are believed to be (`performance.now()`). */
  #gatewaysKeptUntil = 0
  /** Since when it can be reached, while it is away. */
  #reachedAt: number | undefined
  #answers = 0
  #answeredAt = performance.now()

  constructor(options: ValkeyLinkOptions) {
    this.#options = options
    this.#answerMaxMs = options.answerMaxMs ?? ANSWER_MAX_MS
    this.#client = new Redis(options.url, {
      connectTimeout: CONNECT_MAX_MS,
      enableOfflineQueue: false,
      enableReadyCheck: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => backOffMs(attempt, RECONNECT),
    })
    // Every error also fails the command that ran into it, which is where it is dealt with.
    this.#client.on('error', () => undefined)
    // A server that is started anew within a moment fails no command, and has forgotten what it counted.
    this.#client.on('close', () => {
      if (this.#isThere) this.#noteAway('the connection was lost')
    })
    this.#registering = setInterval(() => void this.#stayRegistered(), REGISTER_INTERVAL_MS)
    this.#registering.unref()
  }

  /**
   * Begins to look for the server, and waits a moment for it.
   *
   * @throws MisnamedServerError where something else answers than a server that limits can be counted in
   */
  async start(listener: LinkListener): Promise<void> {
    this.#listener = listener
    for (const endsAt = performance.now() + CONNECT_MAX_MS; performance.now() < endsAt; ) {
      if (await this.#tryOnce()) break
      await pause(RECONNECT.minMs, this.#closing.signal)
    }
    if (!this.#isThere) this.#noteAway(this.#failure)
  }

  /** Whether limits are counted there. */
  get isThere(): boolean {
    return this.#isThere
  }

  /** Gateways that count there; as last known while it is away. */
  get gateways(): number {
    return this.#gateways
  }

  /** What the server is, of those that forget what was counted. */
  get run(): string {
    return this.#run
  }

  /** Runs a script, by its digest where the server knows it; its answer is a list of numbers. Rejects where it takes too long. */
  async ask(script: Script, keys: readonly string[], values: readonly string[]): Promise<number[]> {
    const parameters = [...keys, ...values]
    const answer = await this.#inTime(
      this.#client.evalsha(script.digest, keys.length, ...parameters).catch((error: unknown) => {
        if (!String(error).includes('NOSCRIPT')) throw error
        return this.#client.eval(script.text, keys.length, ...parameters)
      }),
    )
    return Array.isArray(answer) ? answer.map(Number) : []
  }

  /** Removes members of sorted sets; what cannot be removed lapses. */
  remove(key: string, ids: readonly string[]): void {
    this.#client.zrem(key, ...ids).catch(() => undefined)
  }

  /** A command has failed: the server is away until it answers. */
  noteFailure(error: unknown): void {
    this.#noteAway(error instanceof Error ? error.message : String(error))
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearInterval(this.#registering)
    await this.#isTrying
    this.remove(GATEWAYS_KEY, [this.#options.gatewayId])
    // Answered when everything sent before is done.
    await this.#inTime(this.#client.quit()).catch(() => undefined)
    this.#client.disconnect()
  }

  #noteAway(why: string): void {
    this.#isThere = false
    if (this.#closing.signal.aborted) return
    if (this.#said === undefined)
      this.#options.log(
        'warn',
        `Valkey is away (${why}); each gateway counts its part of the limits until it is back`,
      )
    this.#said ??= why
    this.#isTrying ??= this.#tryAgain().finally(() => {
      this.#isTrying = undefined
    })
  }

  async #tryAgain(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted && !this.#isThere) {
      await pause(TRY_INTERVAL_MS, signal)
      if (signal.aborted) return
      await this.#tryOnce().catch((error: Error) => {
        if (this.#said !== error.message) this.#options.log('error', error.message)
        this.#said = error.message
      })
    }
  }

  /** Whether the server is there; brings it up to what this gateway knows. */
  async #tryOnce(): Promise<boolean> {
    try {
      const facts = readServerFacts(String(await this.#inTime(this.#client.info())))
      if (facts.misnamed !== null) throw new MisnamedServerError(facts.misnamed)
      if (facts.unready !== null) {
        this.#failure = facts.unready
        this.#reconnect()
        return false
      }
      await this.#register()
      await this.#greet(facts)
      this.#failure = 'it was just started'
      if (facts.uptimeS < TOLD_S) return false
      await this.#listener?.tellMissed()
      this.#reachedAt ??= performance.now()
      if (facts.uptimeS < STARTED_S) return false
      // Nobody counts there before the others have had the time to tell what they have let through, too.
      if (this.#said !== undefined && performance.now() - this.#reachedAt < OTHERS_TELL_MS) return false
    } catch (error) {
      if (error instanceof MisnamedServerError) throw error
      this.#reachedAt = undefined
      this.#failure = error instanceof Error ? error.message : String(error)
      if (performance.now() - this.#answeredAt > DEAD_CONNECTION_MS) this.#reconnect()
      return false
    }
    this.#isThere = true
    this.#reachedAt = undefined
    if (this.#said !== undefined) this.#options.log('info', 'Valkey is back; rate limits are shared again')
    this.#said = undefined
    return true
  }

  /** A server that was started again may have forgotten everything, or gone back to what it had saved. */
  async #greet({ run }: ServerFacts): Promise<void> {
    if (run === this.#run) return
    await this.#listener?.tellForgotten()
    this.#run = run
  }

  async #register(): Promise<void> {
    const { gatewayId } = this.#options
    const [count = 1] = await this.ask(REGISTER, [GATEWAYS_KEY], [gatewayId, String(REGISTERED_MS)])
    const now = performance.now()
    // What a server that was started again has not heard of yet may be there all the same.
    if (!this.#isThere) this.#gatewaysKeptUntil = now + REGISTERED_MS
    this.#gateways = now < this.#gatewaysKeptUntil ? Math.max(this.#gateways, count) : Math.max(1, count)
  }

  async #stayRegistered(): Promise<void> {
    if (!this.#isThere) return
    try {
      await this.#register()
      await this.#listener?.tellMissed()
    } catch (error) {
      this.noteFailure(error)
    }
  }

  #reconnect(): void {
    this.#answeredAt = performance.now()
    this.#client.disconnect(true)
  }

  /**
   * Waits for an answer for `answerMaxMs`. When the time is over, what lies in the socket is read before that is believed: the answer may have come
   * in time, and this thread be late.
   */
  async #inTime<Answer>(asked: Promise<Answer>): Promise<Answer> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const giveUp = (turns: number, answers: number): void => {
      // After the next turn has polled the sockets; as long as that brought something, there may be more.
      setImmediate(() => {
        if (turns < READ_TURNS_MAX && this.#answers !== answers) giveUp(turns + 1, this.#answers)
        else reject(new Error(`no answer within ${this.#answerMaxMs} ms`))
      })
    }
    const timer = setTimeout(() => giveUp(0, -1), this.#answerMaxMs)
    try {
      const answer = await Promise.race([asked, late])
      this.#answers += 1
      this.#answeredAt = performance.now()
      return answer
    } finally {
      clearTimeout(timer)
    }
  }
}
