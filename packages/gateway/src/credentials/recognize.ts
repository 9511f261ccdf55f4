/**
 * Whose a key or a session is. What was recognized is remembered, because hashing costs more than the rest of the researcher
 * stage together; the memory is of one snapshot only and bounded, so a revoked key is forgotten with the snapshot that knew it.
 */
import { createHash } from 'node:crypto'
import type { Credential, ResearcherConfig } from '@sallyport/contract'
import { TextCache } from '@sallyport/toolbox'
import type { Exchange } from '../exchange/exchange.ts'
import { openByAny, sealKeysOf } from '../snapshot/seal-keys.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { findCookies } from './cookies.ts'
import { bringsKey, keyOf } from './password-key.ts'
import { claimedResearcher, openSession, type SessionKind, type SessionPlace } from './session.ts'

/** A credential that was recognized: whose it is, which one, and when it lapses by itself. */
export interface Recognized {
  readonly researcher: ResearcherConfig
  readonly credential: Credential
  readonly credentialId: string
  /** Beginning of the hash of the key, or of the one that a session was begun by; empty for a session by invitation. */
  readonly keyId: string
  readonly expiresAt: number | null
  /** The host, or the domain of the group, that a session is for; empty for a key, which is for every host. */
  readonly host: string
}

/** Finds whose the credential of a request is; null where it has none, or none that is valid. */
export type Recognizer = (exchange: Exchange) => Recognized | null

export const KEY_CHARS_MAX = 128
const ID_CHARS = 12
/** No key or session is longer. */
const REMEMBERED = { entriesMax: 20_000, charsMax: 256 }

/** What was recognized. Keys and sessions apart, or what was recognized as the one would be taken for the other from then on. */
class Memory {
  readonly keys = new TextCache<Recognized>(REMEMBERED)
  readonly sessions = new TextCache<Recognized>(REMEMBERED)
}

const rememberIn = (cache: TextCache<Recognized>, text: string, found: Recognized | null) =>
  found && cache.set(text, found)

/** Makes a recognizer of keys and of the sessions of a place. A request that brings a key is judged by it alone. */
export function createRecognizer(placeOf: (exchange: Exchange) => SessionPlace): Recognizer {
  const memories = new WeakMap<Snapshot, Memory>()
  const memoryOf = (snapshot: Snapshot): Memory => {
    const known = memories.get(snapshot)
    if (known) return known
    const made = new Memory()
    memories.set(snapshot, made)
    return made
  }
  const ofValue = (value: string, place: SessionPlace, snapshot: Snapshot): Recognized | null => {
    const { sessions } = memoryOf(snapshot)
    const known = sessions.get(value)
    // A session is sealed to one host, so there is never another one to remember under the same text.
    if (known?.host === place.host) return known
    return rememberIn(sessions, value, recognizeSession(place, value, snapshot))
  }
  const byKey = (key: string, snapshot: Snapshot): Recognized | null => {
    const { keys } = memoryOf(snapshot)
    return keys.get(key) ?? rememberIn(keys, key, recognizeKey(key, snapshot))
  }
  const bySession = (exchange: Exchange): Recognized | null => {
    const { request, snapshot } = exchange
    const place = placeOf(exchange)
    const values = findCookies(request.cookies, place.kind.cookie)
    const [only] = values
    if (only === undefined) return null
    if (values.length === 1) return ofValue(only, place, snapshot)
    return place.kind.isForDomain ? theOne(values.map((value) => ofValue(value, place, snapshot))) : null
  }
  return (exchange) => {
    const key = keyOf(exchange)
    const found = key === '' ? bySession(exchange) : byKey(key, exchange.snapshot)
    if (!found || (found.expiresAt !== null && exchange.event.time >= found.expiresAt)) return null
    return found
  }
}

/** What others planted beside it is no session of the place; where there are sessions of two researchers, neither counts. */
function theOne(found: readonly (Recognized | null)[]): Recognized | null {
  const [first, ...others] = found.filter((one) => one !== null)
  return first && others.every(({ researcher }) => researcher.id === first.researcher.id) ? first : null
}

/** Whose a key is. */
export function recognizeKey(key: string, snapshot: Snapshot): Recognized | null {
  if (key.length > KEY_CHARS_MAX) return null
  const hash = createHash('sha256').update(key, 'latin1').digest('hex')
  const researcher = snapshot.researcherByKeyHash(hash)
  if (!researcher) return null
  const keyId = hash.slice(0, ID_CHARS)
  return { researcher, credential: 'key', credentialId: keyId, keyId, expiresAt: null, host: '' }
}

/** Whether a researcher still has the key that somebody came in by; true for `''`, which is none. */
export const isKeyOf = ({ keyHashes }: ResearcherConfig, keyId: string): boolean =>
  keyId === '' || keyHashes.some((hash) => hash.startsWith(keyId))

/** Whether what somebody came in by is valid still, given the researcher as they are now. */
export function isStillValid(
  { researcher: before, credential, keyId }: Pick<Recognized, 'researcher' | 'credential' | 'keyId'>,
  researcher: ResearcherConfig,
): boolean {
  if (researcher === before) return true
  if (credential === 'session' && researcher.sessionGeneration !== before.sessionGeneration) return false
  return isKeyOf(researcher, keyId)
}

function recognizeSession(place: SessionPlace, value: string, snapshot: Snapshot): Recognized | null {
  const researcher = snapshot.researcher(claimedResearcher(value))
  if (!researcher) return null
  const keys = sealKeysOf(snapshot, researcher.orgId)
  const session = openByAny(keys, (key) => openSession(place, key, value))
  if (session?.researcherId !== researcher.id || researcher.sessionGeneration !== session.generation)
    return null
  const { keyId, expiresAt } = session
  if (!isKeyOf(researcher, keyId)) return null
  const credentialId = createHash('sha256').update(value, 'latin1').digest('hex').slice(0, ID_CHARS)
  return { researcher, credential: 'session', credentialId, keyId, expiresAt, host: place.host }
}

/** Notes on an exchange and its record who calls. */
export function noteResearcher(exchange: Exchange, found: Recognized): void {
  const { event } = exchange
  exchange.researcher = found.researcher
  exchange.keyId = found.keyId
  event.orgId = found.researcher.orgId
  event.researcherId = found.researcher.id
  event.credential = found.credential
  event.credentialId = found.credentialId
}

/** Whether a request brings anything that looks like a credential. */
export const triesCredential = (exchange: Exchange, kinds: readonly SessionKind[]): boolean =>
  bringsKey(exchange) ||
  exchange.request.cookies.some((header) => kinds.some(({ cookie }) => header.includes(`${cookie}=`)))
