/**
 * Senders in the journal. A sender is written once in each segment, under a number, and the requests that it sends name
 * the number. A record may name the last `SENDERS_MAX` senders that its segment declares before it: so a segment can be read by
 * itself, and neither its writer nor a reader keeps more than that, whoever sends.
 */
import type { TrafficSender } from '@sallyport/contract'
import { senderMembers, senderOf } from '@sallyport/contract/words'
import { BoundedCache } from '@sallyport/toolbox'
import { RECORD_HEADER_BYTES, RECORD_KINDS } from './record-codec.ts'

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

const NO_RESEARCHER = '"researcherId":""'

/** Whether these are the members of a stranger. No value can say so in a researcher's: its quotes are escaped there. */
export const isStranger = (members: string): boolean => members.includes(NO_RESEARCHER)

/** Bytes of the record that declares a sender. */
export const declarationBytes = (members: string): number => RECORD_HEADER_BYTES + Buffer.byteLength(members)

/**
 * What strangers take of a journal that is read, record by record in order: counted as `Journal` counts it while writing.
 * The declaration of a sender counts with the first of its events.
 */
export class StrangerBytes {
  /** Of each stranger, bytes that no event has taken with it yet. */
  readonly #unclaimed = new LastSenders<number, number>()

  declare(sender: number, members: string): void {
    if (isStranger(members)) this.#unclaimed.add(sender, declarationBytes(members))
  }

  /** What a record of so many bytes counts; 0 where it is not a stranger's. */
  claim(kind: number, sender: number, recordBytes: number): number {
    if (kind !== RECORD_KINDS.event) return 0
    const unclaimed = this.#unclaimed.get(sender)
    if (unclaimed === undefined) return 0
    this.#unclaimed.add(sender, 0)
    return recordBytes + unclaimed
  }

  /** Another segment begins. */
  clear(): void {
    this.#unclaimed.clear()
  }
}

/** The last sender of each researcher as text: putting that together costs more than all the rest of an intent. */
const texts = new BoundedCache<string, { readonly sender: TrafficSender; readonly members: string }>(
  SENDERS_MAX,
)

/** What `senderMembers` says of the sender in what is given. */
export function membersOf(given: TrafficSender): string {
  const known = texts.get(given.researcherId)
  if (known && isSameSender(known.sender, given)) return known.members
  const sender = senderOf(given)
  const members = senderMembers(sender)
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
