/**
 * Numbers that the threads of a gateway show one another. Each is written by one thread, and of the moment; none is decided by but
 * the connections, which are counted before they are compared.
 */
import type { BatchHeader } from '@sallyport/contract/words'
import type { ConnectionCount } from '../downstream/connections/connection-limiter.ts'

type Waiting = BatchHeader['journal']

/** The revision that every thread runs, in the first place; then for each thread what waits in its journal, and its heartbeats. */
const REVISION = 0
const WAITING = 1
const WAITING_LENGTH = 3
const HEARTBEATS_LENGTH = 1

export class ThreadBoard {
  readonly memory: SharedArrayBuffer
  readonly #threads: number
  readonly #numbers: Float64Array
  /** Open connections, by thread. */
  readonly #connections: Int32Array

  constructor(threads: number, memory = new SharedArrayBuffer(bytesOf(threads))) {
    this.memory = memory
    this.#threads = threads
    this.#numbers = new Float64Array(memory, 0, numbersOf(threads))
    this.#connections = new Int32Array(memory, this.#numbers.byteLength, threads)
  }

  get revision(): number {
    return this.#numbers[REVISION] ?? 0
  }
  set revision(revision: number) {
    this.#numbers[REVISION] = revision
  }

  /** Says what waits in the journal of a thread. */
  noteWaiting(thread: number, { pending, pendingBytes, damagedBytes }: Waiting): void {
    this.#numbers.set([pending, pendingBytes, damagedBytes], WAITING + thread * WAITING_LENGTH)
  }

  /** What waits in all journals. */
  get waiting(): Waiting {
    const sum = (which: number): number => {
      let total = 0
      for (let thread = 0; thread < this.#threads; thread += 1)
        total += this.#numbers[WAITING + thread * WAITING_LENGTH + which] ?? 0
      return total
    }
    return { pending: sum(0), pendingBytes: sum(1), damagedBytes: sum(2) }
  }

  /** The event loop of a thread has turned. */
  beat(thread: number): void {
    this.#numbers[this.#heartbeatAt(thread)] = this.heartbeats(thread) + 1
  }

  /** How often that was so since the thread was started. */
  heartbeats(thread: number): number {
    return this.#numbers[this.#heartbeatAt(thread)] ?? 0
  }

  /** Counts the connections of a thread among those of all. */
  connectionsOf(thread: number): ConnectionCount {
    const connections = this.#connections
    return {
      get total() {
        let total = 0
        for (let other = 0; other < connections.length; other += 1) total += Atomics.load(connections, other)
        return total
      },
      add: (difference) => void Atomics.add(connections, thread, difference),
    }
  }

  /** A thread has ended, and its connections with it. */
  threadEnded(thread: number): void {
    Atomics.store(this.#connections, thread, 0)
    this.#numbers[this.#heartbeatAt(thread)] = 0
  }

  #heartbeatAt(thread: number): number {
    return WAITING + WAITING_LENGTH * this.#threads + thread
  }
}

const numbersOf = (threads: number): number => WAITING + (WAITING_LENGTH + HEARTBEATS_LENGTH) * threads

const bytesOf = (threads: number): number =>
  numbersOf(threads) * Float64Array.BYTES_PER_ELEMENT + threads * Int32Array.BYTES_PER_ELEMENT
