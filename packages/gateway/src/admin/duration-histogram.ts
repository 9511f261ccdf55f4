/** A histogram of durations in Prometheus' text format, at the price of one search and two additions per request. */

/** Upper bounds of the buckets, microseconds. */
const BOUNDS_US = [
  1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
  10_000_000, 30_000_000,
]

export class DurationHistogram {
  readonly #name: string
  /** One more than there are bounds: what is above the last. */
  readonly #counts = new Array<number>(BOUNDS_US.length + 1).fill(0)
  #sumUs = 0

  constructor(name: string) {
    this.#name = name
  }

  observe(durationUs: number): void {
    let bucket = 0
    while (bucket < BOUNDS_US.length && durationUs > (BOUNDS_US[bucket] ?? 0)) bucket++
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#sumUs += durationUs
  }

  /** The series as Prometheus reads them: counts are cumulative, bounds in seconds. */
  text(): string {
    const lines = [
      `# HELP ${this.#name} From the request head to the end of the answer.`,
      `# TYPE ${this.#name} histogram`,
    ]
    let total = 0
    for (const [index, count] of this.#counts.entries()) {
      total += count
      const bound = BOUNDS_US[index]
      lines.push(`${this.#name}_bucket{le="${bound === undefined ? '+Inf' : bound / 1e6}"} ${total}`)
    }
    lines.push(`${this.#name}_sum ${this.#sumUs / 1e6}`, `${this.#name}_count ${total}`, '')
    return lines.join('\n')
  }
}
