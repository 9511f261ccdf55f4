/**
 * Looks up the names of origins. The system's resolver works in threads, few of which are for names, and gives up a name that
 * nobody answers for after ten seconds and more. So that such names keep no other origin's waiting, a name is looked up once at
 * a time, and those that were given up late the last time are looked up one after another. Hosts of a wildcard are looked up one
 * after another in any case, and are late together: anybody may ask for as many as they like.
 */
import { lookup } from 'node:dns/promises'
import { OriginError } from './origin-error.ts'

type Look = (host: string, options: { all: true; order: 'verbatim' }) => Promise<{ address: string }[]>

const LATE_MS = 1_000
/** Hosts of one wildcard that wait to be looked up. */
const ZONE_WAITING_MAX = 128

/** A wildcard of which hosts are being looked up. */
interface Zone {
  waiting: number
  last: Promise<unknown>
}

export class NameLookups {
  readonly #look: Look
  readonly #underWay = new Map<string, Promise<readonly string[]>>()
  /** Names that were given up late, and the last of them that is being looked up or waits for it. */
  readonly #late = new Set<string>()
  #lateQueue: Promise<unknown> = Promise.resolve()
  readonly #zones = new Map<string, Zone>()

  /** The system's resolver, which also reads every spelling of an address literal (decimal, octal, short forms). */
  constructor(look: Look = lookup) {
    this.#look = look
  }

  /** The addresses of a host, perhaps of a wildcard. Rejects with an OriginError where it does not resolve. */
  addressesOf(host: string, zone = host): Promise<readonly string[]> {
    const known = this.#underWay.get(host)
    if (known !== undefined) return known
    const found = zone === host ? this.#inTurn(host, host) : this.#enqueueInZone(host, zone)
    this.#underWay.set(host, found)
    const forget = (): void => void this.#underWay.delete(host)
    found.then(forget, forget)
    return found
  }

  #inTurn(host: string, zone: string): Promise<readonly string[]> {
    if (!this.#late.has(zone)) return this.#find(host, zone)
    const found = this.#lateQueue.then(() => this.#find(host, zone))
    this.#lateQueue = found.catch(() => {})
    return found
  }

  #enqueueInZone(host: string, name: string): Promise<readonly string[]> {
    const zone = this.#zones.get(name) ?? { waiting: 0, last: Promise.resolve() }
    if (zone.waiting >= ZONE_WAITING_MAX)
      return Promise.reject(new OriginError('origin_timeout', `too many hosts of ${name} are looked up`))
    zone.waiting += 1
    this.#zones.set(name, zone)
    const found = zone.last.then(() => this.#inTurn(host, name))
    zone.last = found
      .catch(() => {})
      .then(() => {
        zone.waiting -= 1
        if (zone.waiting === 0) this.#zones.delete(name)
      })
    return found
  }

  async #find(host: string, zone: string): Promise<readonly string[]> {
    const startedAt = performance.now()
    try {
      const found = await this.#look(host, { all: true, order: 'verbatim' })
      this.#late.delete(zone)
      return found.map(({ address }) => address)
    } catch (error) {
      if (performance.now() - startedAt > LATE_MS) this.#late.add(zone)
      else this.#late.delete(zone)
      throw new OriginError('origin_unreachable', `${host} does not resolve: ${codeOf(error)}`)
    }
  }
}

/** What an error of the system or of OpenSSL is known by. */
export const codeOf = (error: unknown): string =>
  error instanceof Error ? ('code' in error ? String(error.code) : error.message) : String(error)
