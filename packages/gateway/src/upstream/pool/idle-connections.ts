/**
 * The idle connections to an origin. Each may be reused only by the researcher for whom it was opened, and is found by that
 * researcher's lane, the most recently used first, so that few stay open. All of them are also linked in the order in which
 * they became idle: where the pool is full, the one that has been idle for longest is evicted, whoever's it is. Adding and
 * removing take constant time.
 */
import type { Lane } from './connection-quotas.ts'

/** Where a connection stands among all that are idle; kept here, and made once for each connection. */
export class IdleLinks<Connection> {
  isIdle = false
  older: Connection | null = null
  newer: Connection | null = null
}

/** A connection that can be idle. */
interface Linked<Connection> {
  readonly lane: Lane<Connection>
  readonly idleLinks: IdleLinks<Connection>
}

export class IdleConnections<Connection extends Linked<Connection>> {
  #oldest: Connection | null = null
  #newest: Connection | null = null

  /** The one that has been idle for longest. */
  get oldest(): Connection | null {
    return this.#oldest
  }

  add(connection: Connection): void {
    const { idleLinks: links, lane } = connection
    lane.idle.push(connection)
    links.isIdle = true
    links.older = this.#newest
    if (this.#newest) this.#newest.idleLinks.newer = connection
    else this.#oldest = connection
    this.#newest = connection
  }

  /** Removes the most recently used connection of a lane, and returns it. */
  pop(lane: Lane<Connection>): Connection | undefined {
    const connection = lane.idle.pop()
    if (connection) this.#unlink(connection.idleLinks)
    return connection
  }

  /** Removes a connection, if it is idle. */
  remove(connection: Connection): void {
    if (!connection.idleLinks.isIdle) return
    const { idle } = connection.lane
    idle.splice(idle.indexOf(connection), 1)
    this.#unlink(connection.idleLinks)
  }

  #unlink(links: IdleLinks<Connection>): void {
    if (links.older) links.older.idleLinks.newer = links.newer
    else this.#oldest = links.newer
    if (links.newer) links.newer.idleLinks.older = links.older
    else this.#newest = links.older
    links.isIdle = false
    links.older = null
    links.newer = null
  }
}
