/**
 * Follows the config feed and keeps the present snapshot. A transaction is applied whole, at its commit, or not at all:
 * when the connection breaks in the middle of one, the snapshot is the one before it.
 */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { FEED_PATH, FEED_SILENCE_MAX_MS } from '@sallyport/contract/words'
import { backOffMs, LineReader, MemberError, pause, TimeSlicer } from '@sallyport/toolbox'
import type { Log } from '../settings.ts'
import { CompiledSnapshot } from '../snapshot/compile.ts'
import { LastGoodFile } from '../snapshot/last-good.ts'
import { type FeedLine, readLine } from '../snapshot/put-lines.ts'
import type { Snapshot, SnapshotSource } from '../snapshot/snapshot.ts'
import { Transactions } from '../snapshot/transactions.ts'
import { askControl, describeAnswer, headOf } from './control-request.ts'
import type { ControlUrls } from './control-urls.ts'
import type { GatewayCredential } from './credential.ts'
import { piecesOf } from './feed-pieces.ts'
import { SilenceBounds, SilenceWatch } from './silence-watch.ts'

const RECONNECT = { minMs: 50, maxMs: 1_000 }
/** Applying messages goes on for this long before requests get their turn, of which each needs several. */
const BUSY_MAX_MS = 0.5
/** Bytes of a delta that are kept to be appended to the file; with more, the file is written anew. */
const DELTA_BYTES_MAX = 4 * 1024 * 1024

export interface FeedClientOptions {
  readonly controlUrls: ControlUrls
  readonly credential: GatewayCredential
  /** A feed that is silent for longer is left, milliseconds, in the first place (`SilenceBounds`); `FEED_SILENCE_MAX_MS` unless given. */
  readonly silenceMaxMs?: number
  /** Where the last good snapshot is kept. Its folder exists. */
  readonly lastGoodPath: string
  /** What the first snapshot is made from; one whose memory threads share where they are to have copies. */
  readonly empty?: CompiledSnapshot
  /** From when on the feed is followed; at once unless given. */
  readonly begin?: Promise<void> | undefined
  readonly log: Log
}

type SwapListener = (snapshot: Snapshot) => void

export class FeedClient implements SnapshotSource {
  readonly #options: FeedClientOptions
  readonly #file: LastGoodFile
  readonly #silence: SilenceBounds
  readonly #stop = new AbortController()
  readonly #listeners = new Set<SwapListener>()
  readonly #first = Promise.withResolvers<void>()
  readonly #followed = Promise.withResolvers<void>()
  #current: CompiledSnapshot
  #running: Promise<void> = Promise.resolve()
  #connected = false
  #said = ''
  /** Until what came as gzip was no control plane's: a proxy between packs anew what nobody packed for it. */
  #takesPacked = true

  private constructor(options: FeedClientOptions) {
    this.#options = options
    const { silenceMaxMs = FEED_SILENCE_MAX_MS, controlUrls } = options
    this.#silence = new SilenceBounds(silenceMaxMs, FEED_SILENCE_MAX_MS, controlUrls.count)
    this.#current = options.empty ?? CompiledSnapshot.empty()
    this.#file = new LastGoodFile(options.lastGoodPath, options.log, this.#current)
  }

  /** Loads the last good snapshot, if there is one, and follows the feed from then on. */
  static async start(options: FeedClientOptions): Promise<FeedClient> {
    const client = new FeedClient(options)
    const snapshot = await client.#file.load()
    if (snapshot) client.#swap(snapshot)
    client.#running = client.#follow()
    return client
  }

  get current(): CompiledSnapshot {
    return this.#current
  }

  /** Whether the feed is being received now; while it is not, the last snapshot goes on being served. */
  get connected(): boolean {
    return this.#connected
  }

  /** Resolves when a control plane has said what is in force for the first time since the start. */
  get followed(): Promise<void> {
    return this.#followed.promise
  }

  /** Resolves when there is a snapshot to serve from. */
  get ready(): Promise<void> {
    return this.#first.promise
  }

  onSwap(listener: SwapListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.#file.flushed()
  }

  async #follow(): Promise<void> {
    const { controlUrls, begin } = this.#options
    if (begin !== undefined) await Promise.race([begin, once(this.#stop.signal, 'abort')])
    let failures = 0
    while (!this.#stop.signal.aborted) {
      const revision = this.#current.revision
      const url = controlUrls.current
      const why = await this.#connect(url).then(
        () => 'the control plane ended the config feed',
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
      failures = this.#connected || this.#current.revision !== revision ? 0 : failures + 1
      this.#connected = false
      if (!this.#stop.signal.aborted) this.#logAway(why, url)
      controlUrls.leave(url)
      // Where there is another one, it is asked at once; a pause is for when all of them were.
      const rounds = Math.floor(failures / controlUrls.count)
      const isTried = failures % controlUrls.count === 0 || controlUrls.count === 1
      if (isTried) await pause(backOffMs(rounds, RECONNECT), this.#stop.signal)
    }
  }

  /** Follows the feed at a URL until it breaks off, is silent for too long, or another URL is to be used. */
  async #connect(url: string): Promise<void> {
    const { controlUrls, credential } = this.#options
    const leaving = new AbortController()
    const silence = this.#silence
    silence.connect(performance.now())
    const silenceMax = (): number => silence.at(performance.now())
    const watch = new SilenceWatch(silenceMax, () => {
      leaving.abort(`silent for ${silenceMax()} ms`)
      silence.noteSilence(performance.now())
    })
    const unsubscribes = [
      controlUrls.onMove(() => leaving.abort('another one is used from now on')),
      credential.onReplaced(() => leaving.abort('the credential of this gateway is renewed')),
    ]
    try {
      const response = await askControl(new URL(FEED_PATH, url), {
        method: 'GET',
        accepts: this.#takesPacked ? 'gzip' : undefined,
        gatewayToken: credential.current,
        silenceMaxMs: FEED_SILENCE_MAX_MS,
        signal: AbortSignal.any([this.#stop.signal, leaving.signal]),
      })
      try {
        if (response.statusCode !== 200)
          throw new Error(`the control plane ${describeAnswer(headOf(response))}`)
        await this.#receive(response, watch)
      } finally {
        response.destroy()
      }
    } catch (error) {
      if (error instanceof MemberError) this.#takesPacked = false
      throw leaving.signal.aborted ? new Error(String(leaving.signal.reason), { cause: error }) : error
    } finally {
      watch.stop()
      for (const unsubscribe of unsubscribes) unsubscribe()
    }
  }

  async #receive(feed: IncomingMessage, watch: SilenceWatch): Promise<void> {
    const transactions = new Transactions(this.#current)
    const delta = new DeltaLines()
    const slicer = new TimeSlicer(BUSY_MAX_MS)
    const lines = new LineReader()
    const pieces = piecesOf(feed)
    for await (const chunk of feed) {
      watch.heard()
      pieces.add(chunk)
      for (let piece = pieces.next(); piece; piece = pieces.next()) {
        lines.add(piece)
        for (let line = lines.next(); line; line = lines.next()) {
          const message = readLine(line)
          if (message.type === 'ping') continue
          assertInPlace(message, transactions)
          if (message.type === 'commit') await slicer.run(transactions.prepareCommit())
          else delta.add(message, line)
          transactions.apply(message)
          if (message.type === 'commit') this.#commit(transactions.snapshot, delta.lines)
          if (slicer.spent) await slicer.next()
        }
        // Few bytes may be many pieces, and a line longer than several of them.
        if (slicer.spent) await slicer.next()
      }
      watch.wait()
    }
  }

  #commit(snapshot: CompiledSnapshot, delta: readonly Buffer[] | undefined): void {
    this.#swap(snapshot)
    this.#file.keep(snapshot, delta)
    this.#logConnected()
  }

  #swap(snapshot: CompiledSnapshot): void {
    this.#current = snapshot
    this.#first.resolve()
    for (const listener of this.#listeners) listener(snapshot)
  }

  #logConnected(): void {
    this.#connected = true
    this.#followed.resolve()
    if (this.#said === '') return
    this.#said = ''
    this.#options.log('info', `the config feed is back, at revision ${this.#current.revision}`)
  }

  /** One line for each new reason, not one for each attempt. */
  #logAway(why: string, url: string): void {
    if (this.#said === why) return
    this.#said = why
    const meanwhile =
      this.#current.revision === 0 ? 'nothing is served yet' : `revision ${this.#current.revision} is served`
    this.#options.log('warn', `no config feed from ${url}: ${why}; ${meanwhile}`)
  }
}

function assertInPlace(message: FeedLine, transactions: Transactions): void {
  if (transactions.takes(message)) return
  const does =
    message.type === 'begin'
      ? 'begins a transaction within another'
      : `sends a ${message.type} outside of a transaction`
  throw new Error(`the config feed ${does}`)
}

/** The lines of a delta while it arrives, which are appended to the last good file. */
class DeltaLines {
  #lines: Buffer[] | undefined
  #bytes = 0

  /** What has arrived of the delta; undefined where the snapshot is better kept whole. */
  get lines(): readonly Buffer[] | undefined {
    return this.#lines
  }

  add(message: FeedLine, line: Buffer): void {
    if (message.type === 'begin') {
      this.#lines = message.mode === 'full' ? undefined : []
      this.#bytes = 0
      return
    }
    this.#bytes += line.length
    if (this.#bytes > DELTA_BYTES_MAX) this.#lines = undefined
    // A copy: the piece of the feed in which it lies is gone before it is in the file.
    this.#lines?.push(Buffer.from(line))
  }
}
