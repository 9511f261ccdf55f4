/** The networks that have sent HTTP/2 of which one read is more work than a client may have, for as long as that is remembered. */
import { networkOf } from '@sallyport/policy'

/** From the last time on. */
const REMEMBERED_MS = 60_000
/** The one that is remembered longest gives way. */
const NETWORKS_MAX = 10_000

export class DenseAddresses {
  /** Until when each is remembered (`performance.now()`), in the order of their last times. */
  readonly #until = new Map<string, number>()

  /** Remembers the network of an address. */
  add(address: string, now: number): void {
    const network = networkOf(address)
    this.#until.delete(network)
    this.#until.set(network, now + REMEMBERED_MS)
    const [oldest] = this.#until.keys()
    if (this.#until.size > NETWORKS_MAX && oldest !== undefined) this.#until.delete(oldest)
  }

  /** Whether the network of an address is remembered. */
  has(address: string, now: number): boolean {
    if (this.#until.size === 0) return false
    const until = this.#until.get(networkOf(address))
    return until !== undefined && until > now
  }
}
