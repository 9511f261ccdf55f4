/**
 * Which connections of HTTP/2 may have much of their uploads under way. What a client sends ahead of being read is held in memory, so
 * a window is a promise of memory: it is small until a researcher uploads, and few connections of each have a large one.
 */

/** Of a connection, and of each of its streams: the protocol's own is 64 KiB, which on a way of 100 ms makes 0.6 MB/s. */
export const UPLOAD_WINDOW_BYTES = 4 * 1024 * 1024
/**
 * What all streams of a connection may hold unread, beyond what arrives in one look's time. Node gives the window of a connection back as
 * soon as bytes arrive, read or not, so that the streams' alone would bound it. Two of them: one upload that is stuck holds up no other.
 */
export const HELD_BYTES_MAX = 2 * UPLOAD_WINDOW_BYTES
/** How often it is looked at. */
export const HELD_POLL_MS = 10

/** How many connections may have it. */
const CONNECTIONS_MAX = 128
const CONNECTIONS_PER_RESEARCHER_MAX = 4

export class UploadWindows {
  readonly #byResearcher = new Map<string, number>()
  #connections = 0

  /** Whether another connection of a researcher may have one; it does, then, until `release`. */
  acquire(researcherId: string): boolean {
    const theirs = this.#byResearcher.get(researcherId) ?? 0
    if (this.#connections >= CONNECTIONS_MAX || theirs >= CONNECTIONS_PER_RESEARCHER_MAX) return false
    this.#connections += 1
    this.#byResearcher.set(researcherId, theirs + 1)
    return true
  }

  /** The connection has gone. To be called once for each `acquire` that was granted. */
  release(researcherId: string): void {
    const theirs = (this.#byResearcher.get(researcherId) ?? 0) - 1
    this.#connections -= 1
    if (theirs > 0) this.#byResearcher.set(researcherId, theirs)
    else this.#byResearcher.delete(researcherId)
  }
}
