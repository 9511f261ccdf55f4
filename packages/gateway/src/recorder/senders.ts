/**
 * Senders in the journal. A sender is written once in each segment, under a number, and the requests that it sends name
 * the number. A record may name the last `SENDERS_MAX` senders that its segment declares before it: so a segment can be read by
 * itself, and neither its writer nor a reader keeps more than that, whoever sends.
 */
import type { TrafficSender } from '@sallyport/contract'
import { senderMembers, senderOf } from '@sallyport/contract/words'

/** Senders declared in a segment after which the first of them has to be declared again. */
export const SENDERS_MAX = 1_024

/** The last senders that a segment declares. */
export class LastSenders<Key, Value> {
  readonly #entries = new Map<Key, Value>()

  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  add(key: Key, value: Value): void {
    this.#entries.set(key, value)
    if (this.#entries.size <= SENDERS_MAX) return
    for (const first of this.#entries.keys()) {
      this.#entries.delete(first)
      break
    }
  }

  /** Another segment begins. */
  clear(): void {
    this.#entries.clear()
  }
}

/** The last sender of each researcher as text: putting that together costs more than all the rest of an intent. */
const texts = new Map<string, { readonly sender: TrafficSender; readonly members: string }>()

/** What `senderMembers` says of the sender in what is given. */
export function membersOf(given: TrafficSender): string {
  const known = texts.get(given.researcherId)
  if (known && isSameSender(known.sender, given)) return known.members
  const sender = senderOf(given)
  const members = senderMembers(sender)
  if (texts.size >= SENDERS_MAX) texts.clear()
  texts.set(given.researcherId, { sender, members })
  return members
}

/** Field by field, the ones that differ soonest first; a loop over the names would cost three times as much. */
const isSameSender = (a: TrafficSender, b: TrafficSender): boolean =>
  a.siteId === b.siteId &&
  a.userAgent === b.userAgent &&
  a.clientAddress === b.clientAddress &&
  a.host === b.host &&
  a.credentialId === b.credentialId &&
  a.credential === b.credential &&
  a.orgId === b.orgId &&
  a.tool === b.tool &&
  a.tls === b.tls &&
  a.scheme === b.scheme &&
  a.httpVersion === b.httpVersion &&
  a.gatewayId === b.gatewayId &&
  a.researcherId === b.researcherId
