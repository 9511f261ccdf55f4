/** What a preview has found so far: what would be refused, whose it is, and why that may be more. */
import type { PreviewGap } from '@sallyport/contract'
import type { JudgedRow } from './preview-store.ts'

const SAMPLES_MAX = 50
const RESEARCHERS_SHOWN = 10

/** A request that would be refused, to be read whole later. */
type Sample = Pick<JudgedRow, 'id' | 'timeMs'>

export class PreviewTally {
  requests = 0
  refused = 0
  benign = 0
  readonly gaps = new Set<PreviewGap>()
  readonly #byResearcher = new Map<string, number>()
  readonly #samples: Sample[] = []

  /** Counts a request that was let through. */
  count(row: JudgedRow, isRefused: boolean): void {
    this.requests += 1
    if (!isRefused) return
    this.add(row.researcherId, 1, row.benign)
    this.#keep(row)
  }

  /** Counts requests of one researcher that would be refused. */
  add(researcherId: string, refused: number, benign: number): void {
    this.refused += refused
    this.benign += benign
    // Nobody's are preflights, which a browser sends for a page.
    if (researcherId !== '')
      this.#byResearcher.set(researcherId, (this.#byResearcher.get(researcherId) ?? 0) + refused)
  }

  /** Researchers of the refused requests. */
  get researchers(): number {
    return this.#byResearcher.size
  }

  /** Those with the most of them. */
  topResearchers(): { readonly id: string; readonly refused: number }[] {
    return [...this.#byResearcher]
      .map(([id, refused]) => ({ id, refused }))
      .sort((one, other) => other.refused - one.refused || (one.id < other.id ? -1 : 1))
      .slice(0, RESEARCHERS_SHOWN)
  }

  /** The newest. */
  get samples(): readonly Sample[] {
    return this.#samples
  }

  /** Rows come from the newest to the oldest, or the other way round. */
  #keep({ id, timeMs }: JudgedRow): void {
    const [first] = this.#samples
    if (this.#samples.length < SAMPLES_MAX) this.#samples.push({ id, timeMs })
    else if (first && timeMs > first.timeMs) {
      this.#samples.shift()
      this.#samples.push({ id, timeMs })
    }
  }
}

export { SAMPLES_MAX }
