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

/**
 * Texts of an event hold the head that they were read from; what is left of a longer one is copied, and of one whose answer has
 * much to say.
 */
const HELD_HEAD_CHARS_MAX = 2 * 1024

interface Ring {
  readonly events: EventDraft[]
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
    const isLong = request.headers.text.length > HELD_HEAD_CHARS_MAX || event.leadsTo.length > 0
    ring.events[ring.next] = isLong ? withoutHead(event) : event
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

/** The event with copies of what is shown, and nothing else that was sent. */
const withoutHead = (event: EventDraft): EventDraft => ({
  ...event,
  method: flatCopy(event.method),
  target: flatCopy(event.target),
  path: '',
  route: '',
  queryNames: [],
  host: '',
  userAgent: '',
  hits: [],
  leadsTo: [],
})

const isReason = (text: string): text is Reason => text in REASONS

const present = (event: EventDraft): ResearcherPageRequest => ({
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
