/**
 * The idle connections to an origin. Each is for the researcher alone for whom it was opened, and found by that researcher's
 * share; the last one used is taken first, so that few stay warm. All of them are also linked in the order in which they
 * became idle, because where all places are taken the oldest one gives up its own, whosever it is. Adding and taking cost the
 * same however many there are.
 */
import type { OriginConnection } from './origin-connection.ts'
import type { Share } from './shares.ts'

/** Where an idle connection stands among all of them. */
export interface IdleLinks {
  older: OriginConnection | null
  newer: OriginConnection | null
}

export class IdleConnections {
  #oldest: OriginConnection | null = null
  #newest: OriginConnection | null = null

  /** The one that has been idle for longest. */
  get oldest(): OriginConnection | null {
    return this.#oldest
  }

  add(connection: OriginConnection): void {
    connection.share.idle.push(connection)
    connection.idleLinks = { older: this.#newest, newer: null }
    if (this.#newest?.idleLinks) this.#newest.idleLinks.newer = connection
    else this.#oldest = connection
    this.#newest = connection
  }

  /** Takes out the one that a researcher used last. */
  take(share: Share): OriginConnection | undefined {
    const connection = share.idle.pop()
    if (connection) this.#unlink(connection)
    return connection
  }

  /** Takes out a connection that has closed, if it was idle. */
  remove(connection: OriginConnection): void {
    if (!connection.idleLinks) return
    const { idle } = connection.share
    idle.splice(idle.indexOf(connection), 1)
    this.#unlink(connection)
  }

  #unlink(connection: OriginConnection): void {
    const links = connection.idleLinks
    if (!links) return
    if (links.older?.idleLinks) links.older.idleLinks.newer = links.newer
    else this.#oldest = links.newer
    if (links.newer?.idleLinks) links.newer.idleLinks.older = links.older
    else this.#newest = links.older
    connection.idleLinks = null
  }
}
