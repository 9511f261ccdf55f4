/** SQL of the gateways: what they last reported, and when they were last vouched for. */
import type { BatchHeader, JSONWebKeySet, LeaseChallenge, OriginHealth } from '@sallyport/contract'
import { LEASE_DEFAULT_SECONDS } from '@sallyport/contract'
import type { Transaction } from '../database/database.ts'
import { firstValue } from '../database/rows.ts'

/** Clocks of control processes differ by less. A report that is dated further ahead than that comes from a clock that is wrong. */
export const CLOCKS_APART_MAX_MS = 60_000

export interface GatewayState {
  readonly id: string
  version: string
  revision: number
  seenAt: number
  /** When it was last granted a lease, by this process's `performance.now()`; null where it never was. */
  grantedAt: number | null
  health: Map<string, OriginHealth>
  assertionKeys: JSONWebKeySet
  journal: BatchHeader['journal']
  /** Heard of by this process since it was last written. */
  isUnwritten: boolean
}

interface GatewayRow {
  readonly id: string
  readonly version: string
  readonly revision: number
  readonly seen_at: string
  readonly grant_age_ms: number | null
  readonly health: readonly OriginHealth[]
  readonly assertion_keys: JSONWebKeySet
  readonly journal: GatewayState['journal']
}

export async function readGateways(tx: Transaction): Promise<GatewayState[]> {
  const rows = await tx.query<GatewayRow>(
    `SELECT id, version, revision, seen_at, health, assertion_keys, journal,
       (extract(epoch FROM clock_timestamp() - granted_at) * 1000)::float8 AS grant_age_ms FROM gateways`,
  )
  const now = performance.now()
  return rows.map((row) => ({
    id: row.id,
    version: row.version,
    revision: row.revision,
    seenAt: Date.parse(row.seen_at),
    grantedAt: row.grant_age_ms === null ? null : now - row.grant_age_ms,
    health: new Map(row.health.map((one) => [one.siteId, one])),
    assertionKeys: row.assertion_keys,
    journal: row.journal,
    isUnwritten: false,
  }))
}

export async function writeGateway(tx: Transaction, gateway: GatewayState): Promise<void> {
  await tx.query(
    `INSERT INTO gateways AS known (id, revision, seen_at, health, assertion_keys, journal, version)
     VALUES ($1, $2, $3, $4, $5, $6, $8)
     ON CONFLICT (id) DO UPDATE
       SET revision = $2, seen_at = $3, health = $4, assertion_keys = $5, journal = $6, version = $8
       WHERE known.seen_at < $3 OR known.seen_at > $7`,
    [
      gateway.id,
      gateway.revision,
      new Date(gateway.seenAt).toISOString(),
      JSON.stringify([...gateway.health.values()]),
      JSON.stringify(gateway.assertionKeys),
      JSON.stringify(gateway.journal),
      new Date(gateway.seenAt + CLOCKS_APART_MAX_MS).toISOString(),
      gateway.version,
    ],
  )
}

/**
 * Grants a lease, and returns the revision that the gateway must run for it; undefined where it has not caught up with the
 * grant before. One statement: its snapshot is taken after the challenge came, and the clock read after the snapshot.
 */
export const grantLease = (tx: Transaction, asked: LeaseChallenge): Promise<number | undefined> =>
  firstValue<number>(
    tx,
    `INSERT INTO gateways AS known
       (id, revision, seen_at, health, assertion_keys, journal, version, granted_at, granted_revision)
     SELECT $1, $2::bigint, now(), '[]', '{"keys": []}', '{"pending": 0, "pendingBytes": 0, "damagedBytes": 0}', $3,
       clock_timestamp(), i.revision FROM installation i
     ON CONFLICT (id) DO UPDATE SET granted_at = clock_timestamp(), granted_revision = excluded.granted_revision
       WHERE known.granted_revision IS NULL OR known.granted_revision <= $2::bigint
     RETURNING granted_revision`,
    [asked.gatewayId, asked.revision, asked.version],
  )

/** The lease of an organization that has, or had, another than usual. Null is for ever. */
export interface OrganizationLease {
  readonly leaseMs: number | null
  /** What a gateway may hold that runs an older revision than `since`. */
  readonly longestMs: number | null
  readonly since: number
}

interface LeaseRow {
  readonly org_id: string
  readonly lease_seconds: number | null
  readonly lease_longest_seconds: number | null
  readonly revision: number | null
}

const inMilliseconds = (seconds: number | null): number | null => (seconds === null ? null : seconds * 1_000)

/** The leases that are not the usual one, by organization. */
export async function readLeases(tx: Transaction): Promise<Map<string, OrganizationLease>> {
  const rows = await tx.query<LeaseRow>(
    `SELECT o.org_id, lease_seconds, lease_longest_seconds, c.revision FROM organizations o
       LEFT JOIN config_revisions c ON c.kind = 'organization' AND c.id = o.org_id::text
     WHERE lease_seconds IS DISTINCT FROM $1 OR lease_longest_seconds IS DISTINCT FROM $1`,
    [LEASE_DEFAULT_SECONDS],
  )
  return new Map(
    rows.map((row) => [
      row.org_id,
      {
        leaseMs: inMilliseconds(row.lease_seconds),
        longestMs: inMilliseconds(row.lease_longest_seconds),
        since: row.revision ?? 0,
      },
    ]),
  )
}

/** Gateways that organizations do not wait for, by organization: each with when it had last been heard of, milliseconds. */
export type ForgottenGateways = ReadonlyMap<string, ReadonlyMap<string, number>>

export async function readForgotten(tx: Transaction): Promise<ForgottenGateways> {
  const rows = await tx.query<{ org_id: string; gateway_id: string; seen_at: string }>(
    'SELECT org_id, gateway_id, seen_at FROM forgotten_gateways',
  )
  const forgotten = new Map<string, Map<string, number>>()
  for (const row of rows) {
    const ofOrganization = forgotten.get(row.org_id) ?? new Map<string, number>()
    forgotten.set(row.org_id, ofOrganization.set(row.gateway_id, Date.parse(row.seen_at)))
  }
  return forgotten
}

/** Forgets gateways that were heard of neither within the first time nor vouched for within the second, milliseconds. */
export async function forgetLapsed(tx: Transaction, silentMs: number, leaseMs: number): Promise<void> {
  await tx.query(
    `DELETE FROM gateways WHERE seen_at < now() - $1 * interval '1 millisecond'
       AND granted_at < now() - $2 * interval '1 millisecond'`,
    [silentMs, leaseMs],
  )
}
