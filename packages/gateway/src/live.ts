/**
 * The requests, streams and WebSockets under way. What closes, closes now: each new snapshot and each tick judges them
 * again, and cuts those that would not be admitted any more. The same tick ends what has been silent for too long, so
 * the hot path sets no timers.
 */
import type { Reason } from '@sallyport/contract'
import type { Exchange } from './exchange.ts'
import type { Snapshot } from './snapshot/snapshot.ts'
import { whyNotAdmitted } from './stages/researcher/judge-researcher.ts'
import { isOpen } from './stages/site/judge-site.ts'

export interface LiveExchange {
  readonly exchange: Exchange
  /** Ends it now, whatever it is doing. */
  cut(reason: Reason): void
  /** Ends it if it has waited too long for something. `now` is `performance.now()`. */
  sweep(now: number): void
}

export class LiveExchanges {
  readonly #live = new Set<LiveExchange>()
  readonly #byResearcher = new Map<string, number>()

  get size(): number {
    return this.#live.size
  }
  /** How many one researcher has under way. */
  countOf(researcherId: string): number {
    return this.#byResearcher.get(researcherId) ?? 0
  }
  [Symbol.iterator](): Iterator<LiveExchange> {
    return this.#live.values()
  }

  add(live: LiveExchange): void {
    this.#live.add(live)
    const id = live.exchange.event.researcherId
    this.#byResearcher.set(id, this.countOf(id) + 1)
  }
  remove(live: LiveExchange): void {
    if (!this.#live.delete(live)) return
    const id = live.exchange.event.researcherId
    const left = this.countOf(id) - 1
    if (left > 0) this.#byResearcher.set(id, left)
    else this.#byResearcher.delete(id)
  }

  /** Cuts whatever a snapshot does not admit at an instant (milliseconds since the epoch). */
  judge(snapshot: Snapshot, now: number): void {
    for (const live of this.#live)
      if (!isStillAdmitted(live.exchange, snapshot, now)) live.cut('access_ended')
  }
  sweep(now: number): void {
    for (const live of this.#live) live.sweep(now)
  }
}

/** Whether an exchange that was admitted once would be admitted still: site, researcher and credential. */
function isStillAdmitted(exchange: Exchange, snapshot: Snapshot, now: number): boolean {
  const site = snapshot.siteByHost(exchange.request.host)
  const { researcher: before, event, credentialExpiresAt } = exchange
  if (!site || !before || site.config.id !== event.siteId || !isOpen(site, snapshot, now)) return false
  const researcher = snapshot.researcher(before.id)
  if (!researcher || whyNotAdmitted(researcher, site, now) !== null) return false
  if (credentialExpiresAt !== null && now >= credentialExpiresAt) return false
  if (event.credential === 'session') return researcher.sessionGeneration === before.sessionGeneration
  return researcher === before || researcher.keyHashes.some((hash) => hash.startsWith(event.credentialId))
}
