/**
 * The gateways as they last reported: which are alive, which revision each runs, until when it may serve without hearing of a
 * later one, how they find the origins, and the keys of their assertions. Every control process hears only some gateways; what
 * each hears it writes to the database once a second, and reads there of the others. Nobody is forgotten by silence alone: a gateway
 * that cannot be heard may serve until its lease has run out.
 */
import { createHash } from 'node:crypto'
import {
  type BatchHeader,
  GATEWAY_LIVE_MS,
  type JSONWebKeySet,
  LEASE_DEFAULT_SECONDS,
  type LeaseChallenge,
  type OriginHealth,
  type PublicJsonWebKey,
} from '@sallyport/contract'
import type { Database } from '../database/database.ts'
import { type GatewayScope, isServedIn } from '../gateway-access/gateway-scope.ts'
import {
  CLOCKS_APART_MAX_MS,
  type ForgottenGateways,
  forgetLapsed,
  type GatewayState,
  grantLease,
  type OrganizationLease,
  readForgotten,
  readGateways,
  readLeases,
  writeGateway,
} from './gateway-store.ts'

/** Keys are published for this long after their gateway was last heard of: assertions outlive it a little. */
const KEYS_KEPT_MS = 600_000
/** Added to a lease before it counts as over here: what a gateway takes to cut its streams, and what is not known here yet. */
const MARGIN_MS = 3_000
/** Clocks that both run may differ by less than a thousandth. */
const CLOCK_RATES_APART = 1e-3
/** What was read of the gateways is taken for what is so for this long. */
const FRESH_MS = 2_500
const FORGET_INTERVAL_MS = 60_000
/** Origins whose health is kept of one gateway, those that it spoke of last: it may say more than there are. */
const ORIGINS_MAX = 100_000

/** A gateway as one organization sees it. */
export interface GatewayStanding {
  readonly gateway: GatewayState
  readonly state: 'serving' | 'silent' | 'over'
  /** Until when it may serve the organization if it hears nothing more, milliseconds since the epoch; null for ever. */
  readonly mayServeUntil: number | null
}

export interface GatewayRegister {
  /** Records the header of a batch; called for every one, at once. */
  reported(header: BatchHeader): void
  /** Grants a lease; returns the revision that the gateway must run for it, or null. */
  grant(challenge: LeaseChallenge): Promise<number | null>
  /** The lowest revision of all gateways that are known; infinite where there are none. */
  lowestRevision(): number
  /** Whether some gateway runs an older revision than this one, and may still serve an organization by it. */
  mayServeBefore(revision: number, orgId: string): boolean
  live(): readonly GatewayState[]
  /** Those of them that serve an organization. */
  liveOf(orgId: string): readonly GatewayState[]
  /** All that an organization has not forgotten, by name. */
  standings(orgId: string): readonly GatewayStanding[]
  /** The keys of those gateways that `isAdmitted` lets in. */
  publishedKeys(isAdmitted: (gatewayId: string) => boolean): JSONWebKeySet
  /** Writes what this process heard, and reads what others did. */
  synchronize(): Promise<void>
}

/** @param scopeOf what a gateway serves: an organization neither waits for nor sees those that do not serve it */
export function createGatewayRegister(
  database: Database,
  scopeOf: (gatewayId: string) => GatewayScope,
): GatewayRegister {
  const gateways = new Map<string, GatewayState>()
  let leases: ReadonlyMap<string, OrganizationLease> = new Map()
  let forgotten: ForgottenGateways = new Map()
  /** Of gateways that serve some organizations alone, and have run something later than when they were bound to them: that revision. */
  const ranLaterThan = new Map<string, number>()
  let readAt = Number.NEGATIVE_INFINITY
  let forgottenAt = Number.NEGATIVE_INFINITY

  const heardOf = (withinMs: number): GatewayState[] =>
    [...gateways.values()].filter((gateway) => isHeardWithin(gateway, withinMs))
  const heard = (id: string, what: Partial<GatewayState>): void => {
    const known = gateways.get(id) ?? unheard(id)
    const now = { ...known, ...what, seenAt: Date.now(), isUnwritten: true }
    gateways.set(id, now)
    const { organizations, since } = scopeOf(id)
    if (organizations !== null && now.revision > since) ranLaterThan.set(id, since)
  }
  /** When what a gateway serves of an organization is over if it hears nothing more, by `performance.now()`. */
  const overAt = (gateway: GatewayState, orgId: string): number => {
    const leaseMs = heldLease(gateway, leases.get(orgId))
    if (gateway.grantedAt === null || leaseMs === null) return Number.POSITIVE_INFINITY
    return gateway.grantedAt + leaseMs * (1 + CLOCK_RATES_APART) + MARGIN_MS
  }
  const isForgotten = (gateway: GatewayState, orgId: string): boolean =>
    gateway.seenAt <= (forgotten.get(orgId)?.get(gateway.id) ?? Number.NEGATIVE_INFINITY)
  const standingOf = (gateway: GatewayState, orgId: string): GatewayStanding['state'] => {
    if (isHeardWithin(gateway, GATEWAY_LIVE_MS)) return 'serving'
    const now = performance.now()
    return now - readAt > FRESH_MS || now < overAt(gateway, orgId) ? 'silent' : 'over'
  }
  /**
   * One that was bound to other organizations lately may serve what it was told before: until it runs something later, or the lease is
   * over that it had then. What it says counts against the others no longer than that, whatever it goes on to say.
   */
  const isOfOrganization = (gateway: GatewayState, orgId: string): boolean => {
    const { organizations, since } = scopeOf(gateway.id)
    if (isServedIn(organizations, orgId)) return true
    if (gateway.revision > since || ranLaterThan.get(gateway.id) === since) return false
    const now = performance.now()
    return now - readAt > FRESH_MS || now < overAt(gateway, orgId)
  }
  const mayServe = (gateway: GatewayState, orgId: string): boolean => {
    if (!isOfOrganization(gateway, orgId)) return false
    const state = standingOf(gateway, orgId)
    return state === 'serving' || (state === 'silent' && !isForgotten(gateway, orgId))
  }

  return {
    reported({ gatewayId, revision, assertionKeys, journal, health, healthUnknown = [] }) {
      const before = gateways.get(gatewayId)
      // What it said before it was started anew, it does not take back.
      const isSameStart = before !== undefined && idsOf(before.assertionKeys) === idsOf(assertionKeys)
      const known = isSameStart ? before.health : new Map<string, OriginHealth>()
      for (const siteId of healthUnknown) known.delete(siteId)
      for (const one of health) {
        known.delete(one.siteId)
        known.set(one.siteId, one)
      }
      for (const siteId of known.keys()) {
        if (known.size <= ORIGINS_MAX) break
        known.delete(siteId)
      }
      heard(gatewayId, { revision, health: known, assertionKeys, journal })
    },
    async grant(challenge) {
      const { gatewayId: id, revision, version } = challenge
      const granted = await database.writeInstallationAtOnce((tx) => grantLease(tx, challenge))
      heard(id, { revision, version, ...(granted !== undefined && { grantedAt: performance.now() }) })
      return granted ?? null
    },
    lowestRevision: () =>
      [...gateways.values()].reduce((lowest, { revision }) => Math.min(lowest, revision), Infinity),
    mayServeBefore: (revision, orgId) =>
      [...gateways.values()].some((gateway) => gateway.revision < revision && mayServe(gateway, orgId)),
    live: () => heardOf(GATEWAY_LIVE_MS),
    liveOf: (orgId) =>
      heardOf(GATEWAY_LIVE_MS).filter(({ id }) => isServedIn(scopeOf(id).organizations, orgId)),
    standings: (orgId) =>
      [...gateways.values()]
        .filter((gateway) => isOfOrganization(gateway, orgId))
        .map((gateway) => {
          const leftMs = overAt(gateway, orgId) - performance.now()
          const mayServeUntil = Number.isFinite(leftMs) ? Date.now() + leftMs : null
          return { gateway, state: standingOf(gateway, orgId), mayServeUntil }
        })
        .filter(({ gateway, state }) => state === 'serving' || !isForgotten(gateway, orgId))
        .sort((one, other) => (one.gateway.id < other.gateway.id ? -1 : 1)),
    publishedKeys: (isAdmitted) => {
      const keys = new Map<string, PublicJsonWebKey>()
      for (const gateway of heardOf(KEYS_KEPT_MS).filter(({ id }) => isAdmitted(id)))
        for (const key of gateway.assertionKeys.keys) if (isNamedByItself(key)) keys.set(key.kid, key)
      return { keys: [...keys.values()] }
    },
    async synchronize() {
      const startedAt = performance.now()
      const unwritten = [...gateways.values()].filter((gateway) => gateway.isUnwritten)
      for (const gateway of unwritten) gateway.isUnwritten = false
      const [held, notWaitedFor] = await database.readInstallation((tx) =>
        Promise.all([readLeases(tx), readForgotten(tx)]),
      )
      const longestMs = longestOf(held)
      const isTimeToForget = longestMs !== null && startedAt - forgottenAt > FORGET_INTERVAL_MS
      const stored = await database.writeInstallationAtOnce(async (tx) => {
        const [rows] = await Promise.all([
          readGateways(tx),
          ...unwritten.map((gateway) => writeGateway(tx, gateway)),
          ...(isTimeToForget ? [forgetLapsed(tx, KEYS_KEPT_MS, longestMs + CLOCKS_APART_MAX_MS)] : []),
        ])
        return rows
      })
      if (isTimeToForget) forgottenAt = startedAt
      take(gateways, stored, new Set(unwritten))
      leases = held
      forgotten = notWaitedFor
      readAt = startedAt
    },
  }
}

/** Takes over what the database says, where this process knows nothing newer. */
function take(
  gateways: Map<string, GatewayState>,
  stored: readonly GatewayState[],
  justWritten: ReadonlySet<GatewayState>,
): void {
  const ids = new Set(stored.map(({ id }) => id))
  for (const known of gateways.values())
    if (!ids.has(known.id) && !known.isUnwritten && !justWritten.has(known)) gateways.delete(known.id)
  for (const row of stored) {
    const known = gateways.get(row.id)
    if (!known || (isCredible(row) && row.seenAt > known.seenAt)) gateways.set(row.id, row)
    else known.grantedAt = later(known.grantedAt, row.grantedAt)
  }
}

/** Whether a key is named by its thumbprint (RFC 7638): by another name it could stand in the place of another gateway's. */
const isNamedByItself = ({ kty, crv, x, y, kid }: PublicJsonWebKey): boolean =>
  kid === createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')

/** Of the keys that a gateway made when it started. */
const idsOf = ({ keys }: JSONWebKeySet): string => keys.map(({ kid }) => kid).join(' ')

const later = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other)

const unheard = (id: string): GatewayState => ({
  id,
  version: '',
  revision: 0,
  seenAt: 0,
  grantedAt: null,
  health: new Map(),
  assertionKeys: { keys: [] },
  journal: { pending: 0, pendingBytes: 0, damagedBytes: 0 },
  isUnwritten: false,
})

/** How long a gateway serves an organization that it hears nothing of; null for ever. */
const heldLease = ({ revision }: GatewayState, lease: OrganizationLease | undefined): number | null => {
  if (!lease) return LEASE_DEFAULT_SECONDS * 1_000
  return revision >= lease.since ? lease.leaseMs : lease.longestMs
}

/** The longest lease of any organization; null for ever. */
function longestOf(leases: ReadonlyMap<string, OrganizationLease>): number | null {
  let longest = LEASE_DEFAULT_SECONDS * 1_000
  for (const { longestMs } of leases.values()) {
    if (longestMs === null) return null
    longest = Math.max(longest, longestMs)
  }
  return longest
}

const isHeardWithin = (gateway: GatewayState, withinMs: number): boolean =>
  gateway.seenAt >= Date.now() - withinMs && isCredible(gateway)

const isCredible = ({ seenAt }: GatewayState): boolean => seenAt <= Date.now() + CLOCKS_APART_MAX_MS
