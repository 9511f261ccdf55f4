/** Operations of sites as they were learned, in bounded memory: what was asked for last stays. */
import type { LearnedSite } from '../definition/observations-store.ts'
import type { OperationInForce } from './site-api.ts'

export interface KeptApi {
  readonly operations: readonly OperationInForce[]
  /** What it was learned beside, as `findKnownSource` has it. */
  readonly source: string
  /** When learning began, in milliseconds of the clock of whoever keeps it. */
  readonly learnedAt: number
}

/** Characters and objects of all sites together, and of one; a site with more is learned each time. */
const SIZE_MAX = 32 * 1024 * 1024
const SIZE_OF_ONE_MAX = 8 * 1024 * 1024
/** What an object takes beside its characters, about. */
const OBJECT_SIZE = 64

export class KeptOperations {
  /** Those that were not asked for longest come first. */
  readonly #kept = new Map<string, { readonly api: KeptApi; readonly size: number }>()
  #size = 0

  get(site: LearnedSite): KeptApi | undefined {
    const key = keyOf(site)
    const found = this.#kept.get(key)
    if (found === undefined) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, found)
    return found.api
  }

  /** Keeps what was learned, unless something newer is there. */
  set(site: LearnedSite, api: KeptApi): void {
    const key = keyOf(site)
    const before = this.#kept.get(key)
    if (before !== undefined && before.api.learnedAt > api.learnedAt) return
    this.#delete(key)
    const size = sizeOf(api)
    if (size > SIZE_OF_ONE_MAX) return
    this.#kept.set(key, { api, size })
    this.#size += size
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= SIZE_MAX) break
      this.#delete(oldest)
    }
  }

  #delete(key: string): void {
    this.#size -= this.#kept.get(key)?.size ?? 0
    this.#kept.delete(key)
  }
}

// By organization, too: whoever asks for another's site finds nothing.
const keyOf = ({ orgId, id }: LearnedSite): string => `${orgId} ${id}`

const sizeOf = ({ operations, source }: KeptApi): number =>
  operations.reduce(
    (sum, { template, parameters }) =>
      sum +
      OBJECT_SIZE +
      template.length +
      parameters.reduce((chars, { name }) => chars + OBJECT_SIZE + name.length, 0),
    OBJECT_SIZE + source.length,
  )
