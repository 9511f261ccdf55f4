/**
 * How many exchanges of each sender are under way in all threads, in memory that they share: as permits of a limiter without a limit, which
 * are given back when the thread ends that holds them.
 */
import type { SenderCounts } from '../exchange/sender-counts.ts'
import type { LimiterMemories } from '../stages/limit/thread-counters.ts'
import { ThreadLimiter } from '../stages/limit/thread-limiter.ts'

const WITHOUT_LIMIT = { kind: 'concurrency', limit: 1_000_000_000 } as const

/** A minute, for who comes again soon. */
const IDLE_SWEEPS_MAX = 240

interface Sender {
  readonly running: ThreadLimiter
  /** Of this thread. */
  own: number
  /** How often it was looked at since it had any. */
  idleSweeps: number
}

export class ThreadSenderCounts implements SenderCounts {
  readonly #memories: LimiterMemories
  readonly #sharer: number
  readonly #sharers: number
  readonly #senders = new Map<string, Sender>()
  readonly #asked = new Map<string, Promise<void>>()

  constructor(memories: LimiterMemories, sharer: number, sharers: number) {
    this.#memories = memories
    this.#sharer = sharer
    this.#sharers = sharers
  }

  countOf(sender: string): number {
    const known = this.#senders.get(sender)
    return known ? WITHOUT_LIMIT.limit - known.running.peek(0).remaining : 0
  }

  prepare(sender: string): Promise<void> | null {
    if (this.#senders.has(sender)) return null
    const asked = this.#asked.get(sender) ?? this.#ask(sender)
    this.#asked.set(sender, asked)
    return asked
  }

  add(sender: string): void {
    const known = this.#senders.get(sender)
    if (!known) throw new Error('a sender is counted that was not prepared')
    known.own += 1
    known.idleSweeps = 0
    known.running.acquire(0)
  }

  remove(sender: string): void {
    const known = this.#senders.get(sender)
    if (!known) return
    known.own -= 1
    known.running.release()
  }

  sweep(): void {
    for (const [sender, known] of this.#senders) {
      if (known.own > 0) continue
      known.idleSweeps += 1
      if (known.idleSweeps < IDLE_SWEEPS_MAX) continue
      this.#senders.delete(sender)
      this.#memories.drop(keyOf(sender))
    }
  }

  async #ask(sender: string): Promise<void> {
    try {
      const memory = await this.#memories.take(keyOf(sender), WITHOUT_LIMIT)
      const running = new ThreadLimiter(memory, WITHOUT_LIMIT, this.#sharer, this.#sharers)
      this.#senders.set(sender, { running, own: 0, idleSweeps: 0 })
    } finally {
      this.#asked.delete(sender)
    }
  }
}

const keyOf = (sender: string): string => `running ${sender}`
