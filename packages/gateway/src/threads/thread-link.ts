/**
 * The main thread's side of one thread that serves: starts it, brings it up to the present configuration and keeps it there, and starts
 * it again when it fails.
 */
import { Worker } from 'node:worker_threads'
import { backOffMs, pause } from '@sallyport/toolbox'
import { afterEnd, NO_MEASURES, sumOfMeasures, type TrafficMeasures } from '../admin/traffic-measures.ts'
import type { Log } from '../settings.ts'
import { CompiledSnapshot } from '../snapshot/compile.ts'
import { partsBetween } from '../snapshot/copies/snapshot-copy.ts'
import { type Answers, Channel, portOf } from './channel.ts'
import type { MainQuestions, ServingAddresses, ThreadQuestions, ThreadStart } from './messages.ts'

const RESTART = { minMs: 100, maxMs: 5_000 }
/** A thread that has served for so long did not fail at its start. */
const STEADY_MS = 30_000
/** A thread that is busy for longer is shown with what it said before. */
const MEASURE_MAX_MS = 1_000
/** A thread that has answered nothing for so long serves nothing either. */
const SILENCE_MAX_MS = 5_000
/** For the record to be handed over, after the last request. */
const HAND_OVER_MAX_MS = 10_000
const END_MAX_MS = 1_000
/** A thread that is inside a system call or native code for so long after it was told to end does not end. */
const TERMINATION_MAX_MS = 5_000
const SERVING_THREAD = new URL('./serving-thread.ts', import.meta.url)

export type ThreadChannel = Channel<ThreadQuestions, MainQuestions>

export interface ThreadLinkParts {
  readonly start: ThreadStart
  readonly snapshots: { readonly current: CompiledSnapshot }
  /** What the thread is answered. */
  readonly answers: Answers<MainQuestions>
  /** Tells a new thread what it must know before it serves. */
  readonly prepare: (channel: ThreadChannel) => Promise<unknown>
  /** The revision that the thread runs has changed, or whether it serves. */
  readonly onRevision: () => void
  /** The thread has ended, and everything that it held is to be given back. */
  readonly onEnded: () => void
  /** The event loop of the thread stands still, and it cannot be ended. */
  readonly onUnendable: () => void
  readonly log: Log
}

export class ThreadLink {
  readonly #parts: ThreadLinkParts
  readonly #stopping = new AbortController()
  readonly #first = Promise.withResolvers<ServingAddresses>()
  readonly #running: Promise<void>
  #worker: Worker | undefined
  #channel: ThreadChannel | undefined
  /** What the thread has of the configuration. */
  #applied = CompiledSnapshot.empty()
  #sending: Promise<void> | undefined
  #mayServe = false
  #isStarting = true
  /** Of threads that have ended, and of the present one as it last said. */
  #past: TrafficMeasures = NO_MEASURES
  #last: TrafficMeasures = NO_MEASURES
  #restarts = 0
  /** A question that the thread has not answered yet, and since when (`performance.now()`). */
  #asked: Promise<TrafficMeasures | undefined> | undefined
  #askedAt = 0
  /** Why the present thread was ended, if it was; it is said instead of what ending it throws. */
  #hangs: Error | undefined
  /** Why the thread says that it is not ready to serve; null where it is. */
  saidNotReady: string | null = 'a thread is being started'

  constructor(parts: ThreadLinkParts) {
    this.#parts = parts
    this.#running = this.#run()
  }

  /** Resolves when the thread listens for the first time; rejects where it cannot. */
  get listening(): Promise<ServingAddresses> {
    return this.#first.promise
  }

  /** The revision by which the thread may serve; undefined while it serves nothing. */
  get revision(): number | undefined {
    return this.#mayServe ? this.#applied.revision : undefined
  }

  /** Whether the thread does not listen yet. */
  get isStarting(): boolean {
    return this.#isStarting
  }

  /** Undefined where there is no thread now. */
  get channel(): ThreadChannel | undefined {
    return this.#channel
  }

  /** Why the thread is not ready to serve; null where it is. */
  get whyNotReady(): string | null {
    const isSilent = this.#asked !== undefined && performance.now() - this.#askedAt > SILENCE_MAX_MS
    return isSilent ? `thread ${this.#parts.start.thread} does not answer` : this.saidNotReady
  }

  /** How often the thread was started again. */
  get restarts(): number {
    return this.#restarts
  }

  /** What the thread, and those before it, have measured. */
  async measure(): Promise<TrafficMeasures> {
    const { signal } = this.#stopping
    const asked = this.#askMeasure()
    if (asked !== undefined) {
      const late = pause(MEASURE_MAX_MS, signal).then(() => undefined)
      const measures = await Promise.race([asked, late])
      if (measures && this.#channel) this.#last = measures
    }
    return sumOfMeasures([this.#past, this.#last])
  }

  /** Asks once, however many want to know meanwhile. */
  #askMeasure(): Promise<TrafficMeasures | undefined> | undefined {
    const channel = this.#mayServe ? this.#channel : undefined
    if (this.#asked || !channel) return this.#asked
    const asked = channel.ask('measure', undefined).catch(() => undefined)
    this.#asked = asked
    this.#askedAt = performance.now()
    void asked.then(() => {
      if (this.#asked === asked) this.#asked = undefined
    })
    return asked
  }

  /** Sends what the thread does not have of the present snapshot. One part after the other: it serves requests between two. */
  sync(): Promise<void> {
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined
    })
    return this.#sending
  }

  /** Ends the thread, whose event loop stands still; it is started again as one that failed. */
  async endHung(): Promise<void> {
    const worker = this.#worker
    if (!worker || this.#hangs || this.#stopping.signal.aborted) return
    this.#hangs = new Error('its event loop stood still')
    const isEnded = new AbortController()
    const late = pause(TERMINATION_MAX_MS, isEnded.signal).then(() => 'late')
    const outcome = await Promise.race([worker.terminate(), late])
    isEnded.abort()
    if (outcome === 'late' && this.#worker === worker && !this.#stopping.signal.aborted)
      this.#parts.onUnendable()
  }

  /** Lets the thread finish what it has under way, and hand over its record. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    const asked = this.#mayServe ? this.#channel?.ask('stop', undefined) : undefined
    const deadline = new AbortController()
    const late = pause(this.#parts.start.settings.limits.drainTimeoutMs + HAND_OVER_MAX_MS, deadline.signal)
    await Promise.race([asked?.catch(() => undefined), late])
    deadline.abort()
    // A thread that has stopped ends by itself.
    if (asked) await Promise.race([this.#running, pause(END_MAX_MS, AbortSignal.timeout(END_MAX_MS))])
    await this.#worker?.terminate()
    await this.#running
  }

  async #send(): Promise<void> {
    const channel = this.#channel
    for (let current = this.#current; channel && this.#applied !== current; current = this.#current) {
      for (const part of partsBetween(this.#applied, current)) await channel.ask('snapshotPart', part)
      // Of a thread that has ended meanwhile, this is of no use to the next.
      if (channel !== this.#channel) return
      this.#applied = current
      if (this.#mayServe) this.#parts.onRevision()
    }
  }

  get #current(): CompiledSnapshot {
    return this.#parts.snapshots.current
  }

  async #run(): Promise<void> {
    const { log, start } = this.#parts
    let isFirst = true
    for (let failures = 0; !this.#stopping.signal.aborted; ) {
      const startedAt = performance.now()
      const why = await this.#runThread(isFirst)
      if (this.#stopping.signal.aborted) return
      if (isFirst && this.#restarts === 0 && why.isAtStart) {
        this.#first.reject(why.error)
        return
      }
      isFirst = false
      failures = performance.now() - startedAt > STEADY_MS ? 0 : failures + 1
      this.#restarts += 1
      log('error', `thread ${start.thread} failed and is started again: ${why.error.message}`)
      await pause(backOffMs(failures, RESTART), this.#stopping.signal)
    }
  }

  /** Runs a thread until it ends; resolves with why. */
  async #runThread(isFirst: boolean): Promise<{ readonly isAtStart: boolean; readonly error: Error }> {
    const { start, answers, prepare, onEnded, onRevision } = this.#parts
    const worker = new Worker(SERVING_THREAD, { workerData: start, name: `gateway-${start.thread}` })
    const channel: ThreadChannel = new Channel(portOf(worker), answers)
    this.#worker = worker
    this.#channel = channel
    let error = new Error('it ended')
    this.#isStarting = true
    worker.on('error', (thrown: Error) => {
      error = thrown
    })
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    const serve = async (): Promise<void> => {
      await prepare(channel)
      await this.sync()
      this.#mayServe = true
      onRevision()
      const addresses = await channel.ask('serve', undefined)
      this.#isStarting = false
      this.#first.resolve(addresses)
    }
    serve().catch((failed: Error) => {
      if (failed.name !== 'ChannelClosedError') error = failed
      void worker.terminate()
    })
    await ended
    channel.close()
    this.#channel = undefined
    this.#worker = undefined
    if (this.#hangs) error = this.#hangs
    this.#hangs = undefined
    await this.#sending?.catch(() => undefined)
    this.#mayServe = false
    this.#applied = CompiledSnapshot.empty()
    this.saidNotReady = 'a thread is being started'
    this.#asked = undefined
    this.#past = afterEnd(sumOfMeasures([this.#past, this.#last]))
    this.#last = NO_MEASURES
    onEnded()
    onRevision()
    const isAtStart = isFirst && this.#isStarting
    this.#isStarting = true
    return { isAtStart, error }
  }
}
