/** Senders as the journal keeps them: as text, of which the journal knows no more than that. */
import type { TrafficSender } from '@sallyport/contract'
import { isSameSender, senderMembers, senderOf } from '@sallyport/contract/words'
import { BoundedCache } from '@sallyport/toolbox'

const NO_RESEARCHER = '"researcherId":""'

/** Whether these are the members of a stranger. A researcher's values cannot contain it: their quotes are escaped. */
export const isStranger = (members: string): boolean => members.includes(NO_RESEARCHER)

const TEXTS_MAX = 1_024
/** The last sender of each researcher as text: putting that together costs more than all the rest of an intent. */
const texts = new BoundedCache<string, { readonly sender: TrafficSender; readonly members: string }>(
  TEXTS_MAX,
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
