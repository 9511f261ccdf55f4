/**
 * Looks up the names of origins. The system's resolver works in threads, few of which are for names, and gives up a name that
 * nobody answers for after ten seconds and more. So that such names keep no other origin's waiting, a name is looked up once at
 * a time, whoever asks for it, and those that were given up late the last time are looked up one after another.
 */
import { lookup } from 'node:dns/promises'
import { OriginError } from './origin-error.ts'

type Look = (host: string, options: { all: true; order: 'verbatim' }) => Promise<{ address: string }[]>

const LATE_MS = 1_000

export class NameLookups {
  readonly #look: Look
  readonly #underWay = new Map<string, Promise<readonly string[]>>()
  /** Names that were given up late, and the last of them that is being looked up or waits for it. */
  readonly #late = new Set<string>()
  #lateQueue: Promise<unknown> = Promise.resolve()

  /** The system's resolver, which also reads every spelling of an address literal (decimal, octal, short forms). */
  constructor(look: Look = lookup) {
    this.#look = look
  }

  /** The addresses of a host. Rejects with an OriginError where it does not resolve. */
  addressesOf(host: string): Promise<readonly string[]> {
    const known = this.#underWay.get(host)
    if (known !== undefined) return known
    const found = this.#late.has(host) ? this.#enqueueLate(host) : this.#find(host)
    this.#underWay.set(host, found)
    const forget = (): void => void this.#underWay.delete(host)
    found.then(forget, forget)
    return found
  }

  #enqueueLate(host: string): Promise<readonly string[]> {
    const found = this.#lateQueue.then(() => this.#find(host))
    this.#lateQueue = found.catch(() => {})
    return found
  }

  async #find(host: string): Promise<readonly string[]> {
    const startedAt = performance.now()
    try {
      const found = await this.#look(host, { all: true, order: 'verbatim' })
      this.#late.delete(host)
      return found.map(({ address }) => address)
    } catch (error) {
      if (performance.now() - startedAt > LATE_MS) this.#late.add(host)
      else this.#late.delete(host)
      throw new OriginError('origin_unreachable', `${host} does not resolve: ${codeOf(error)}`)
    }
  }
}

/** What an error of the system or of OpenSSL is known by. */
export const codeOf = (error: unknown): string =>
  error instanceof Error ? ('code' in error ? String(error.code) : error.message) : String(error)
