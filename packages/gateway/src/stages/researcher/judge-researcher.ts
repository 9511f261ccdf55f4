/**
 * The researcher stage: who is calling, and whether they may enter this site now. Closed by default: a request without
 * a valid key or session goes no further.
 */
import { createHash } from 'node:crypto'
import type { Credential, ResearcherConfig } from '@sallyport/contract'
import type { Exchange, Refusal, Stage } from '../../exchange.ts'
import { refuse } from '../../exchange.ts'
import { findSessionCookie, openSession, SESSION_LIFETIME_MS } from '../../session-cookie.ts'
import type { CompiledSite, Snapshot } from '../../snapshot/snapshot.ts'
import { TextCache } from '../../text-cache.ts'

/** A credential that was recognized: whose it is, which one, and when it lapses by itself. */
interface Recognized {
  readonly researcher: ResearcherConfig
  readonly credential: Credential
  readonly credentialId: string
  readonly expiresAt: number | null
}

const KEY_CHARS_MAX = 128
/** No key or session is longer. */
const REMEMBERED = { entriesMax: 20_000, charsMax: 256 }

/**
 * Makes the stage. It remembers what it recognized, because hashing costs more than the rest of the stage together;
 * the memory is of one snapshot only and bounded, so a revoked key is forgotten with the snapshot that knew it.
 */
export function createResearcherStage(): Stage {
  let snapshot: Snapshot | null = null
  const recognized = new TextCache<Recognized>(REMEMBERED)
  const remember = (text: string, found: Recognized | null): Recognized | null =>
    found && recognized.keep(text, found)
  const recognize = (exchange: Exchange): Recognized | null => {
    const { key, cookies } = exchange.request
    if (key !== '') return recognized.get(key) ?? remember(key, byKey(key, exchange.snapshot))
    const cookie = findSessionCookie(cookies)
    if (cookie === null) return null
    return recognized.get(cookie) ?? remember(cookie, bySession(cookie, exchange.snapshot))
  }
  return (exchange) => {
    if (snapshot !== exchange.snapshot) {
      recognized.clear()
      snapshot = exchange.snapshot
    }
    const found = recognize(exchange)
    return found ? admit(exchange, found) : refuseStranger(exchange)
  }
}

function byKey(key: string, snapshot: Snapshot): Recognized | null {
  if (key.length > KEY_CHARS_MAX) return null
  const hash = createHash('sha256').update(key, 'latin1').digest('hex')
  const researcher = snapshot.researcherByKeyHash(hash)
  return researcher
    ? { researcher, credential: 'key', credentialId: hash.slice(0, 12), expiresAt: null }
    : null
}

function bySession(cookie: string, snapshot: Snapshot): Recognized | null {
  if (!snapshot.installation) return null
  const session = openSession(cookie, snapshot.installation.sessionKey)
  const researcher = session && snapshot.researcher(session.researcherId)
  if (!researcher || researcher.sessionGeneration !== session.generation) return null
  const credentialId = createHash('sha256').update(cookie, 'latin1').digest('hex').slice(0, 12)
  return {
    researcher,
    credential: 'session',
    credentialId,
    expiresAt: session.issuedAt + SESSION_LIFETIME_MS,
  }
}

function admit(exchange: Exchange, found: Recognized): Refusal | null {
  const { site, event } = exchange
  const { researcher } = found
  const expired = found.expiresAt !== null && event.time >= found.expiresAt
  if (!site || expired || researcher.orgId !== site.config.orgId) return refuseStranger(exchange)
  exchange.researcher = researcher
  exchange.credentialExpiresAt = found.expiresAt
  event.researcherId = researcher.id
  event.credential = found.credential
  event.credentialId = found.credentialId
  const reason = whyNotAdmitted(researcher, site, event.time)
  return reason ? refuse(403, 'gate', reason) : null
}

/** Why a known researcher may not enter a site at an instant; null where they may. */
export function whyNotAdmitted(
  researcher: ResearcherConfig,
  site: CompiledSite,
  now: number,
): 'researcher_paused' | 'researcher_expired' | 'researcher_not_listed' | null {
  if (researcher.paused) return 'researcher_paused'
  if (researcher.expiresAt !== null && now >= researcher.expiresAt) return 'researcher_expired'
  if (site.config.access === 'listed' && !site.lists(researcher.id)) return 'researcher_not_listed'
  return null
}

function refuseStranger(exchange: Exchange): Refusal {
  const { key, cookies } = exchange.request
  const tried = key !== '' || findSessionCookie(cookies) !== null
  return refuse(401, 'gate', tried ? 'unknown_credential' : 'no_credential')
}
