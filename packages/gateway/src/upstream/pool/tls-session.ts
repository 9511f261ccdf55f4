/**
 * The TLS session of a researcher with an origin, by which the next connection is made without certificates and their signatures:
 * many answers end their connection, and a page may have dozens of such. Sessions are no more shared than connections are.
 *
 * A resumed session says nothing new of the certificate, so it is shown again after a while, however many connections there were.
 */

interface Session {
  readonly ticket: Buffer
  /** When the certificate was verified that it rests on, in `performance.now()`. */
  readonly verifiedAt: number
}

/** A certificate is verified anew after this. */
const VERIFIED_FOR_MS = 300_000
/** What is not used for so long is forgotten. */
const KEPT_FOR_MS = 60_000
/** The origin chooses the size. */
const TICKET_BYTES_MAX = 8 * 1024

export class TlsSession {
  #session: Session | null = null
  #keptAt = 0

  /** What to resume, null where there is nothing or the certificate is due again. */
  current(now: number): Session | null {
    return this.#session && now - this.#session.verifiedAt < VERIFIED_FOR_MS ? this.#session : null
  }

  /** Keeps a ticket of a connection whose certificate is good; the last one counts. */
  keep(ticket: Buffer, verifiedAt: number, now: number): void {
    if (ticket.length > TICKET_BYTES_MAX) return
    this.#session = { ticket, verifiedAt }
    this.#keptAt = now
  }

  /** Whether nothing would be lost with it. */
  isOver(now: number): boolean {
    return this.#session === null || now - this.#keptAt > KEPT_FOR_MS
  }
}
