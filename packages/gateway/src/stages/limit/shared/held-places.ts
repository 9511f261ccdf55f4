/** The places of concurrency limits that requests of this gateway hold in Valkey: renewed while they run, given back when they end. */
import { LEASE_MS } from '@sallyport/policy'
import { RENEW } from './scripts.ts'
import type { ValkeyLink } from './valkey-link.ts'

const RENEW_INTERVAL_MS = 10_000
const RENEWED_AT_ONCE = 500

/** A place that a request holds. */
export interface HeldPlace {
  readonly key: string
  readonly id: string
}

export class HeldPlaces {
  readonly #link: ValkeyLink
  readonly #held = new Set<HeldPlace>()
  readonly #renewing: NodeJS.Timeout

  constructor(link: ValkeyLink) {
    this.#link = link
    this.#renewing = setInterval(() => {
      // Whether the server is away is found by those who ask.
      if (link.isThere) this.renew().catch(() => undefined)
    }, RENEW_INTERVAL_MS)
    this.#renewing.unref()
  }

  /** A request holds these places; returns what is to be called when it is over. */
  hold(places: readonly HeldPlace[]): () => void {
    for (const place of places) this.#held.add(place)
    return () => this.release(places)
  }

  /** Gives places back, also those of which is not known whether they were taken. What cannot be given back now lapses. */
  release(places: readonly HeldPlace[]): void {
    for (const place of places) {
      this.#held.delete(place)
      this.#link.remove(place.key, [place.id])
    }
  }

  /** Prolongs all places, and takes them again at a server that has forgotten them. */
  async renew(): Promise<void> {
    const held = [...this.#held]
    for (let start = 0; start < held.length; start += RENEWED_AT_ONCE)
      await Promise.all(
        held.slice(start, start + RENEWED_AT_ONCE).flatMap((place) =>
          // One that was given back meanwhile is not taken again.
          this.#held.has(place) ? [this.#link.ask(RENEW, [place.key], [String(LEASE_MS), place.id])] : [],
        ),
      )
  }

  close(): void {
    clearInterval(this.#renewing)
    this.release([...this.#held])
  }
}
