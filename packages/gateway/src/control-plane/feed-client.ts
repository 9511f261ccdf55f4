/**
 * Follows the config feed and keeps the present snapshot. A transaction is applied whole, at its commit, or not at all:
 * when the connection breaks in the middle of one, the snapshot is the one before it.
 */
import type { IncomingMessage } from 'node:http'
import { FEED_PATH, FEED_SILENCE_MAX_MS } from '@sallyport/contract/words'
import { backOffMs, LineReader, pause, TimeSlicer } from '@sallyport/toolbox'
import type { Log } from '../settings.ts'
import { CompiledSnapshot } from '../snapshot/compile.ts'
import { LastGoodFile } from '../snapshot/last-good.ts'
import { type FeedLine, readLine } from '../snapshot/put-lines.ts'
import type { Snapshot, SnapshotSource } from '../snapshot/snapshot.ts'
import { Transactions } from '../snapshot/transactions.ts'
import { askControl, describeAnswer } from './control-request.ts'

const RECONNECT = { minMs: 50, maxMs: 1_000 }
/** Applying messages goes on for this long before requests get their turn, of which each needs several. */
const BUSY_MAX_MS = 0.5
/** Bytes of a delta that are kept to be appended to the file; with more, the file is written anew. */
const DELTA_BYTES_MAX = 4 * 1024 * 1024

export interface FeedClientOptions {
  readonly controlUrl: string
  readonly gatewayToken: string
  /** Where the last good snapshot is kept. Its folder exists. */
  readonly lastGoodPath: string
  readonly log: Log
}

type SwapListener = (snapshot: Snapshot) => void

export class FeedClient implements SnapshotSource {
  readonly #options: FeedClientOptions
  readonly #file: LastGoodFile
  readonly #stop = new AbortController()
  readonly #listeners = new Set<SwapListener>()
  readonly #first = Promise.withResolvers<void>()
  #current = CompiledSnapshot.empty()
  #running: Promise<void> = Promise.resolve()
  #connected = false
  #said = ''

  private constructor(options: FeedClientOptions) {
    this.#options = options
    this.#file = new LastGoodFile(options.lastGoodPath, options.log)
  }

  /** Loads the last good snapshot, if there is one, and follows the feed from then on. */
  static async start(options: FeedClientOptions): Promise<FeedClient> {
    const client = new FeedClient(options)
    const snapshot = await client.#file.load()
    if (snapshot) client.#swap(snapshot)
    client.#running = client.#follow()
    return client
  }

  get current(): Snapshot {
    return this.#current
  }

  /** Whether the feed is being received now; while it is not, the last snapshot goes on being served. */
  get connected(): boolean {
    return this.#connected
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
    let failures = 0
    while (!this.#stop.signal.aborted) {
      const revision = this.#current.revision
      const why = await this.#connect().then(
        () => 'the control plane ended the config feed',
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
      failures = this.#connected || this.#current.revision !== revision ? 0 : failures + 1
      this.#connected = false
      if (!this.#stop.signal.aborted) this.#logAway(why)
      await pause(backOffMs(failures, RECONNECT), this.#stop.signal)
    }
  }

  async #connect(): Promise<void> {
    const response = await askControl(new URL(FEED_PATH, this.#options.controlUrl), {
      method: 'GET',
      gatewayToken: this.#options.gatewayToken,
      silenceMaxMs: FEED_SILENCE_MAX_MS,
      signal: this.#stop.signal,
    })
    try {
      if (response.statusCode !== 200)
        throw new Error(`the control plane ${describeAnswer(response.statusCode)}`)
      await this.#receive(response)
    } finally {
      response.destroy()
    }
  }

  async #receive(feed: IncomingMessage): Promise<void> {
    const transactions = new Transactions(this.#current)
    const delta = new DeltaLines()
    const slicer = new TimeSlicer(BUSY_MAX_MS)
    const lines = new LineReader()
    for await (const chunk of feed) {
      lines.add(chunk)
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
    if (this.#said === '') return
    this.#said = ''
    this.#options.log('info', `the config feed is back, at revision ${this.#current.revision}`)
  }

  /** One line for each new reason, not one for each attempt. */
  #logAway(why: string): void {
    if (this.#said === why) return
    this.#said = why
    const meanwhile =
      this.#current.revision === 0 ? 'nothing is served yet' : `revision ${this.#current.revision} is served`
    this.#options.log('warn', `no config feed from ${this.#options.controlUrl}: ${why}; ${meanwhile}`)
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
    this.#lines?.push(line)
  }
}
