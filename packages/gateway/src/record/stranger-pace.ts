/** How many refusals of strangers are recorded one by one: at a rate for the gateway, and at a lower one for each address. */
import { BoundedCache } from '@sallyport/toolbox'

/** Of one address: a person who mistypes a key, or a scanner's first steps, are all there. */
const ADDRESS_PACE = { perSecond: 20, burst: 200 }
/** Of all addresses together. */
const GATEWAY_PACE = { perSecond: 50, burst: 500 }
/** Addresses remembered at most. Of a forgotten one the bucket is full again, which the pace of the gateway makes harmless. */
const ADDRESSES_MAX = 1_024

interface Pace {
  readonly perSecond: number
  readonly burst: number
}

/** A token bucket: full at first, and filled again at a constant rate. */
class Bucket {
  #tokens: number
  #at: number

  constructor({ burst }: Pace, now: number) {
    this.#tokens = burst
    this.#at = now
  }

  /** Whether there is a token, as of now. */
  holds({ perSecond, burst }: Pace, now: number): boolean {
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#at) / 1_000) * perSecond)
    this.#at = now
    return this.#tokens >= 1
  }

  take(): void {
    this.#tokens -= 1
  }
}

export class StrangerPace {
  #gateway: Bucket | undefined
  readonly #addresses = new BoundedCache<string, Bucket>(ADDRESSES_MAX)

  /** Whether one more refusal of this address is recorded by itself. `now` is milliseconds of a clock that never goes back. */
  allows(address: string, now: number): boolean {
    this.#gateway ??= new Bucket(GATEWAY_PACE, now)
    const own = this.#addresses.get(address) ?? this.#addresses.set(address, new Bucket(ADDRESS_PACE, now))
    if (!own.holds(ADDRESS_PACE, now) || !this.#gateway.holds(GATEWAY_PACE, now)) return false
    own.take()
    this.#gateway.take()
    return true
  }
}
