/**
 * Sessions of browsers: `<researcher id>.<generation>.<key id>.<begun, seconds>.<mac>`. Nothing is stored; raising the
 * researcher's generation ends every session begun before, and one that was begun by a key ends with that key.
 *
 * There are three kinds. The one of the gate's own host signs a researcher in, and is what gets a browser into gated hosts;
 * each gated host has one of its own, which lives a day and is renewed through the gate's; a group of sites has one for all of
 * its hosts. Each is sealed to its kind and its host, or the domain of the group.
 */
import type { ResearcherConfig, SiteConfig } from '@sallyport/contract'
import { GROUP_COOKIE_PREFIX, OWN_COOKIE_PREFIX, ownCookie } from './cookies.ts'
import { type SealContext, type SealPurpose, seal, unseal } from './seal.ts'

export interface SessionKind {
  readonly cookie: string
  readonly purpose: SealPurpose
  readonly lifetimeMs: number
  readonly sameSite: 'None' | 'Strict'
  /** Whether it is for all hosts under a domain, which is then what it is sealed to. */
  readonly isForDomain?: true
}

/** Which session a request may come with: its kind, and the host or domain that it is sealed to. */
export interface SessionPlace {
  readonly kind: SessionKind
  readonly host: string
}

const DAY_MS = 86_400_000

/** Of a gated host. */
const GATED_SESSION: SessionKind = {
  cookie: OWN_COOKIE_PREFIX,
  purpose: 'gated session',
  lifetimeMs: DAY_MS,
  sameSite: 'None',
}
/** Of the hosts of a group of sites. */
export const GROUP_SESSION: SessionKind = {
  cookie: `${GROUP_COOKIE_PREFIX}-group`,
  purpose: 'group session',
  lifetimeMs: DAY_MS,
  sameSite: 'None',
  isForDomain: true,
}
/** All kinds of gated hosts. */
export const GATED_SESSIONS: readonly SessionKind[] = [GATED_SESSION, GROUP_SESSION]

/** Where the session of a gated host is kept. */
export const gatedPlaceOf = ({ gatedName, group }: Pick<SiteConfig, 'gatedName' | 'group'>): SessionPlace =>
  group ? { kind: GROUP_SESSION, host: group.gatedName } : { kind: GATED_SESSION, host: gatedName }

/** Of the gate's own host. Nothing relies on `SameSite` there: gated hosts are same-site with it. */
export const GATE_SESSION: SessionKind = {
  cookie: `${OWN_COOKIE_PREFIX}-gate`,
  purpose: 'gate session',
  lifetimeMs: 30 * DAY_MS,
  sameSite: 'Strict',
}

/** A session that was unsealed. */
export interface ResearcherSession {
  readonly researcherId: string
  readonly generation: number
  /** The key that it was begun by, as `Recognized` says it; empty for an invitation. */
  readonly keyId: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

const SESSION_CHARS_MAX = 256

const contextOf = (kind: SessionKind, host: string, key: string): SealContext => ({
  key,
  purpose: kind.purpose,
  host,
})

/** The `Set-Cookie` value that begins a session of a researcher at a host, or under a domain, now. `key` is the snapshot's. */
export function sessionCookie(
  { kind, host }: SessionPlace,
  key: string,
  { id, sessionGeneration }: Pick<ResearcherConfig, 'id' | 'sessionGeneration'>,
  keyId: string,
): string {
  const begun = Math.floor(Date.now() / 1000)
  const value = seal(contextOf(kind, host, key), [id, String(sessionGeneration), keyId, String(begun)])
  return ownCookie(kind.cookie, value, kind.lifetimeMs / 1000, kind.sameSite, kind.isForDomain ? host : '')
}

/** The `Set-Cookie` value that ends the session of this browser at a host. */
export const noSessionCookie = (kind: SessionKind): string => ownCookie(kind.cookie, '', 0, kind.sameSite)

/** The researcher that a cookie's value claims to be of, whose organization's keys say whether it is. */
export const claimedResearcher = (value: string): string => value.slice(0, Math.max(0, value.indexOf('.')))

/** Reads a cookie's value; null where it was not sealed for this place. Says nothing about who may still enter. */
export function openSession(
  { kind, host }: SessionPlace,
  key: string,
  value: string,
): ResearcherSession | null {
  if (value.length > SESSION_CHARS_MAX) return null
  const fields = unseal(contextOf(kind, host, key), value)
  if (fields?.length !== 4) return null
  const [researcherId = '', generation = '', keyId = '', begun = ''] = fields
  return {
    researcherId,
    generation: Number(generation),
    keyId,
    expiresAt: Number(begun) * 1000 + kind.lifetimeMs,
  }
}
