/**
 * Follows the config feed and keeps the present snapshot. A transaction is applied whole, at its commit, or not at all:
 * when the connection breaks in the middle of one, the snapshot is the one before it.
 */
import type { IncomingMessage } from 'node:http'
import { FEED_PATH, FEED_SILENCE_MAX_MS } from '@sallyport/contract/words'
import { backOffMs, LineReader, pause, TimeSlicer } from '@sallyport/toolbox'
import type { Log } from '../settings.ts'
import { CompiledSnapshot, type SnapshotEdit } from '../snapshot/compile.ts'
import { LastGoodFile } from '../snapshot/last-good.ts'
import { type FeedLine, readLine } from '../snapshot/put-lines.ts'
import type { Snapshot, SnapshotSource } from '../snapshot/snapshot.ts'
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
    await this.#file.settled()
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
      if (!this.#stop.signal.aborted) this.#sayAway(why)
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
      await this.#take(response)
    } finally {
      response.destroy()
    }
  }

  async #take(feed: IncomingMessage): Promise<void> {
    const transaction = new Transaction(
      () => this.#current,
      (snapshot, delta) => {
        this.#swap(snapshot)
        this.#file.keep(snapshot, delta)
        this.#sayConnected()
      },
    )
    const slicer = new TimeSlicer(BUSY_MAX_MS)
    const lines = new LineReader()
    for await (const chunk of feed) {
      lines.add(chunk)
      for (let line = lines.next(); line; line = lines.next()) {
        const message = readLine(line)
        if (message.type === 'commit') await slicer.run(transaction.settle())
        transaction.take(message, line)
        if (slicer.spent) await slicer.next()
      }
    }
  }

  #swap(snapshot: CompiledSnapshot): void {
    this.#current = snapshot
    this.#first.resolve()
    for (const listener of this.#listeners) listener(snapshot)
  }

  #sayConnected(): void {
    this.#connected = true
    if (this.#said === '') return
    this.#said = ''
    this.#options.log('info', `the config feed is back, at revision ${this.#current.revision}`)
  }

  /** One line for each new reason, not one for each attempt. */
  #sayAway(why: string): void {
    if (this.#said === why) return
    this.#said = why
    const meanwhile =
      this.#current.revision === 0 ? 'nothing is served yet' : `revision ${this.#current.revision} is served`
    this.#options.log('warn', `no config feed from ${this.#options.controlUrl}: ${why}; ${meanwhile}`)
  }
}

/** Is told of each whole transaction; `delta` is undefined where the snapshot is better kept whole. */
type CommitListener = (snapshot: CompiledSnapshot, delta: readonly Buffer[] | undefined) => void

/** Puts the messages of a connection together to transactions. */
class Transaction {
  readonly #base: () => CompiledSnapshot
  readonly #onCommit: CommitListener
  #edit: SnapshotEdit | undefined
  #delta: Buffer[] | undefined
  #deltaBytes = 0

  constructor(base: () => CompiledSnapshot, onCommit: CommitListener) {
    this.#base = base
    this.#onCommit = onCommit
  }

  /** What can be done of the commit in small steps. */
  *settle(): Generator<void> {
    if (this.#edit) yield* this.#edit.settle()
  }

  /** Takes the next message; throws where it does not belong there, which ends the connection. */
  take(message: FeedLine, line: Buffer): void {
    if (message.type === 'ping') return
    if (message.type === 'begin') {
      if (this.#edit) throw new Error('the config feed begins a transaction within another')
      const full = message.mode === 'full'
      this.#edit = this.#base().edit(full)
      this.#delta = full ? undefined : []
      this.#deltaBytes = 0
      return
    }
    if (!this.#edit) throw new Error(`the config feed sends a ${message.type} outside of a transaction`)
    if (message.type === 'commit') {
      const snapshot = this.#edit.commit(message.revision)
      const delta = this.#delta
      this.#edit = undefined
      this.#delta = undefined
      this.#onCommit(snapshot, delta)
      return
    }
    if (message.type === 'put') this.#edit.put(message)
    else if (message.type === 'remove') this.#edit.remove(message.kind, message.id)
    this.#deltaBytes += line.length
    if (this.#deltaBytes > DELTA_BYTES_MAX) this.#delta = undefined
    this.#delta?.push(line)
  }
}
