/**
 * Follows the config feed and keeps the present snapshot. A transaction is applied whole, at its commit, or not at all:
 * when the connection breaks in the middle of one, the snapshot is the one before it.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { FEED_PATH, FEED_SILENCE_MAX_MS, type FeedMessage } from '@sallyport/contract'
import { Agent, request } from 'undici'
import { CompiledSnapshot, type SnapshotEdit } from './compile.ts'
import { LastGoodFile, type Log } from './last-good.ts'
import type { Snapshot, SnapshotChange, SnapshotSource } from './snapshot.ts'

const PAUSE_MIN_MS = 50
const PAUSE_MAX_MS = 1_000
/** Applying messages goes on for this long before requests get their turn. */
const BUSY_MAX_MS = 4
/** Messages of a delta that are kept to be appended to the file; with more, the file is written anew. */
const DELTA_MESSAGES_MAX = 10_000

export interface FeedClientOptions {
  readonly controlUrl: string
  readonly gatewayToken: string
  /** Where the last good snapshot is kept. Its folder exists. */
  readonly lastGoodPath: string
  readonly log: Log
}

type SwapListener = (snapshot: Snapshot, change: SnapshotChange) => void

export class FeedClient implements SnapshotSource {
  readonly #options: FeedClientOptions
  readonly #file: LastGoodFile
  readonly #agent = new Agent({ bodyTimeout: FEED_SILENCE_MAX_MS, headersTimeout: FEED_SILENCE_MAX_MS })
  readonly #stop = new AbortController()
  readonly #listeners = new Set<SwapListener>()
  readonly #first = Promise.withResolvers<void>()
  #current = CompiledSnapshot.empty
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
    if (snapshot) client.#swap(snapshot, EVERYTHING)
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
    await this.#agent.destroy()
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
      const pauseMs = Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** failures) * (0.5 + Math.random() / 2)
      await sleep(pauseMs, undefined, { signal: this.#stop.signal }).catch(() => undefined)
    }
  }

  async #connect(): Promise<void> {
    const response = await request(new URL(FEED_PATH, this.#options.controlUrl), {
      headers: { authorization: `Bearer ${this.#options.gatewayToken}` },
      dispatcher: this.#agent,
      signal: this.#stop.signal,
    })
    if (response.statusCode !== 200) {
      await response.body.dump()
      throw new Error(`the control plane answered ${response.statusCode} to the config feed`)
    }
    const transaction = new Transaction(
      () => this.#current,
      (snapshot, change, delta) => {
        this.#swap(snapshot, change)
        this.#file.keep(snapshot, delta)
        this.#sayConnected()
      },
    )
    let busySince = performance.now()
    for await (const line of linesOf(response.body)) {
      transaction.take(JSON.parse(line))
      if (performance.now() - busySince < BUSY_MAX_MS) continue
      await nextTurn()
      busySince = performance.now()
    }
  }

  #swap(snapshot: CompiledSnapshot, change: SnapshotChange): void {
    this.#current = snapshot
    this.#first.resolve()
    for (const listener of this.#listeners) listener(snapshot, change)
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
      this.#current === CompiledSnapshot.empty
        ? 'nothing is served yet'
        : `revision ${this.#current.revision} is served`
    this.#options.log('warn', `no config feed from ${this.#options.controlUrl}: ${why}; ${meanwhile}`)
  }
}

const EVERYTHING: SnapshotChange = {
  full: true,
  sites: new Set(),
  researchers: new Set(),
  organizations: new Set(),
}

/** Is told of each whole transaction; `delta` is undefined where the snapshot is better kept whole. */
type CommitListener = (
  snapshot: CompiledSnapshot,
  change: SnapshotChange,
  delta: readonly FeedMessage[] | undefined,
) => void

/** Puts the messages of a connection together to transactions. */
class Transaction {
  readonly #base: () => CompiledSnapshot
  readonly #onCommit: CommitListener
  #edit: SnapshotEdit | undefined
  #delta: FeedMessage[] | undefined

  constructor(base: () => CompiledSnapshot, onCommit: CommitListener) {
    this.#base = base
    this.#onCommit = onCommit
  }

  /** Takes the next message; throws where it does not belong there, which ends the connection. */
  take(message: FeedMessage): void {
    if (message.type === 'ping') return
    if (message.type === 'begin') {
      if (this.#edit) throw new Error('the config feed begins a transaction within another')
      const full = message.mode === 'full'
      this.#edit = this.#base().edit(full)
      this.#delta = full ? undefined : []
      return
    }
    if (!this.#edit) throw new Error(`the config feed sends a ${message.type} outside of a transaction`)
    if (message.type === 'commit') {
      const { snapshot, change } = this.#edit.commit(message.revision)
      const delta = this.#delta
      this.#edit = undefined
      this.#delta = undefined
      this.#onCommit(snapshot, change, delta)
      return
    }
    if (message.type === 'put') this.#edit.put(message)
    else this.#edit.remove(message.kind, message.id)
    this.#delta?.push(message)
    if ((this.#delta?.length ?? 0) > DELTA_MESSAGES_MAX) this.#delta = undefined
  }
}

async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
