/**
 * The idle connections to an origin. Each is for the researcher alone for whom it was opened, and found by that researcher's
 * share; the last one used is taken first, so that few stay warm. All of them are also linked in the order in which they
 * became idle, because where all places are taken the oldest one gives up its own, whosever it is. Adding and taking cost the
 * same however many there are.
 */
import type { OriginConnection } from './origin-connection.ts'
import type { Share } from './shares.ts'

/** Where a connection stands among all that are idle; kept here, and made once for each connection. */
export class IdleLinks {
  isIdle = false
  older: OriginConnection | null = null
  newer: OriginConnection | null = null
}

export class IdleConnections {
  #oldest: OriginConnection | null = null
  #newest: OriginConnection | null = null

  /** The one that has been idle for longest. */
  get oldest(): OriginConnection | null {
    return this.#oldest
  }

  add(connection: OriginConnection): void {
    const { idleLinks: links, share } = connection
    share.idle.push(connection)
    links.isIdle = true
    links.older = this.#newest
    if (this.#newest) this.#newest.idleLinks.newer = connection
    else this.#oldest = connection
    this.#newest = connection
  }

  /** Takes out the one that a researcher used last. */
  take(share: Share): OriginConnection | undefined {
    const connection = share.idle.pop()
    if (connection) this.#unlink(connection.idleLinks)
    return connection
  }

  /** Takes out a connection that has closed, if it was idle. */
  remove(connection: OriginConnection): void {
    if (!connection.idleLinks.isIdle) return
    const { idle } = connection.share
    idle.splice(idle.indexOf(connection), 1)
    this.#unlink(connection.idleLinks)
  }

  #unlink(links: IdleLinks): void {
    if (links.older) links.older.idleLinks.newer = links.newer
    else this.#oldest = links.newer
    if (links.newer) links.newer.idleLinks.older = links.older
    else this.#newest = links.older
    links.isIdle = false
    links.older = null
    links.newer = null
  }
}
