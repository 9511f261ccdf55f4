/**
 * The requests, streams and WebSockets under way. Access that ends, ends at once: after each new snapshot and at each tick all
 * of them are judged again, and those that would not be admitted any more are cut. The same tick ends what has been silent for
 * too long, so the hot path sets no timers.
 */
import type { Reason } from '@sallyport/contract'
import type { Exchange } from './exchange.ts'
import { OwnSenderCounts, type SenderCounts } from './sender-counts.ts'

export interface LiveExchange {
  readonly exchange: Exchange
  /** Its index in the list of live exchanges; kept by `LiveExchanges`. */
  livePosition: number
  /** Ends it now, whatever it is doing. */
  cut(reason: Reason): void
  /** Ends it if it has waited too long for something. `now` is `performance.now()`. */
  sweep(now: number): void
}

/** In whose name an exchange counts: the researcher; of preflights, which are nobody's, the site, so that those to one hold up none to another. */
export const senderOf = ({ event }: Pick<Exchange, 'event'>): string => event.researcherId || event.siteId

/**
 * An array and not a Set: V8's hash tables, when they are rebuilt, keep a link from the old table to the new one. Once
 * an old table has left the young generation, all that follow stay with it until the next full collection, and with them
 * the requests that they held. Measured: a sixth of all requests survived into the old generation that way.
 */
export class LiveExchanges {
  readonly #live: LiveExchange[] = []
  readonly #bySender: SenderCounts

  constructor(bySender: SenderCounts = new OwnSenderCounts()) {
    this.#bySender = bySender
  }

  get size(): number {
    return this.#live.length
  }
  /** How many one sender has under way, as `senderOf` names them: a researcher by their id. */
  countOf(sender: string): number {
    return this.#bySender.countOf(sender)
  }
  /** Resolves when a sender can be counted; null where that is so now. */
  prepare(sender: string): Promise<void> | null {
    return this.#bySender.prepare(sender)
  }
  /** Those under way now; ending some of them while going through the copy is fine. */
  all(): readonly LiveExchange[] {
    return [...this.#live]
  }

  add(live: LiveExchange): void {
    live.livePosition = this.#live.push(live) - 1
    this.#bySender.add(senderOf(live.exchange))
  }
  remove(live: LiveExchange): void {
    const position = live.livePosition
    if (this.#live[position] !== live) return
    const last = this.#live.pop()
    if (last && last !== live) {
      this.#live[position] = last
      last.livePosition = position
    }
    live.livePosition = -1
    this.#bySender.remove(senderOf(live.exchange))
  }

  /** Cuts those for which there is a reason. */
  cutWhere(why: (exchange: Exchange) => Reason | null): void {
    for (const live of this.all()) {
      const reason = why(live.exchange)
      if (reason !== null) live.cut(reason)
    }
  }
  sweep(now: number): void {
    for (const live of this.all()) live.sweep(now)
    this.#bySender.sweep()
  }
}
