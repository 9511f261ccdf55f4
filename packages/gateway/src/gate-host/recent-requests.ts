/** The last requests of each researcher on each site, for their page: in memory, bounded, of this gateway alone. */
import {
  type EventDraft,
  GATED_OWN_PATH,
  REASONS,
  RESEARCHER_RECENT_MAX,
  type Reason,
  type ResearcherPageRequest,
} from '@sallyport/contract/words'
import { flatCopy, PairCache } from '@sallyport/toolbox'
import type { Exchange } from '../exchange/exchange.ts'

/** Rings kept at most; beyond, those that nothing was added to or read of for longest are forgotten. */
const RINGS_MAX = 500

/** Texts of an event hold the head that they were read from; those of a longer one are copied. */
const HELD_HEAD_CHARS_MAX = 2 * 1024

/**
 * What is shown of an event, in an object of its own. A ring outlives collections of young objects, and whatever hangs on it is
 * copied by them: of an event that would be forty objects, and the headers of its request.
 */
type Noted = Pick<
  EventDraft,
  'id' | 'time' | 'method' | 'target' | 'status' | 'outcome' | 'reason' | 'rule' | 'reading' | 'durationUs'
>

interface Ring {
  readonly events: Noted[]
  next: number
}

/** Where finished exchanges are noted, and looked up for the page. */
export interface RecentSource {
  note(exchange: Exchange): void
  /** Newest first. */
  list(researcherId: string, siteId: string): ResearcherPageRequest[] | Promise<ResearcherPageRequest[]>
}

export class RecentRequests implements RecentSource {
  /** By researcher and site. */
  readonly #rings = new PairCache<Ring>(RINGS_MAX)

  /** Notes a finished exchange. */
  note({ event, request, snapshot }: Exchange): void {
    // Signing in, and what the page itself asks for, are no part of anyone's testing.
    if (request.host === snapshot.gate?.host || event.target.startsWith(GATED_OWN_PATH)) return
    const { researcherId, siteId } = event
    if (researcherId === '' || siteId === '') return
    const ring =
      this.#rings.get(researcherId, siteId) ?? this.#rings.set(researcherId, siteId, { events: [], next: 0 })
    ring.events[ring.next] = noted(event, request.headers.text.length > HELD_HEAD_CHARS_MAX)
    ring.next = (ring.next + 1) % RESEARCHER_RECENT_MAX
  }

  /** Newest first. */
  list(researcherId: string, siteId: string): ResearcherPageRequest[] {
    const ring = this.#rings.get(researcherId, siteId)
    if (!ring) return []
    const { events, next } = ring
    return [...events.slice(0, next).reverse(), ...events.slice(next).reverse()].map(present)
  }
}

/** @param isCopied whether its texts are to hold nothing else of the head */
const noted = (event: EventDraft, isCopied: boolean): Noted => ({
  id: event.id,
  time: event.time,
  method: isCopied ? flatCopy(event.method) : event.method,
  target: isCopied ? flatCopy(event.target) : event.target,
  status: event.status,
  outcome: event.outcome,
  reason: event.reason,
  rule: event.rule,
  reading: isCopied ? flatCopy(event.reading) : event.reading,
  durationUs: event.durationUs,
})

const isReason = (text: string): text is Reason => text in REASONS

const present = (event: Noted): ResearcherPageRequest => ({
  id: event.id,
  time: event.time,
  method: event.method,
  target: event.target,
  status: event.status,
  outcome: event.outcome,
  reason: event.reason,
  sentence: isReason(event.reason) ? REASONS[event.reason] : '',
  rule: event.rule,
  reading: event.reading,
  durationUs: event.durationUs,
})
