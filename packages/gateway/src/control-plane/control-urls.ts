/**
 * Where the control plane is: one URL for each of its processes, of which one is used at a time. The feed says when one is left,
 * because it notices first: it is never silent for long.
 */
export class ControlUrls {
  readonly #urls: readonly string[]
  readonly #listeners = new Set<() => void>()
  #position = 0

  /** @param urls base URLs, without a path; the first is used first */
  constructor(urls: readonly string[]) {
    if (urls.length === 0) throw new Error('a gateway needs the URL of a control plane')
    this.#urls = urls
  }

  /** How many there are. */
  get count(): number {
    return this.#urls.length
  }

  get current(): string {
    return this.#urls[this.#position] ?? ''
  }

  /** The one after this one. */
  after(url: string): string {
    return this.#urls[(this.#urls.indexOf(url) + 1) % this.#urls.length] ?? url
  }

  /** Goes on to the next, unless it was left already. */
  leave(url: string): void {
    if (url === this.current) this.moveTo(this.after(url))
  }

  /** Uses this one from now on. */
  moveTo(url: string): void {
    const position = this.#urls.indexOf(url)
    if (position < 0 || position === this.#position) return
    this.#position = position
    for (const listener of this.#listeners) listener()
  }

  /** Calls back when another one is used from now on. */
  onMove(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
