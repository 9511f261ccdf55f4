/**
 * Watches the record of traffic for what is new: an attack class at a site, a network or a tool of a researcher, a limit that
 * refuses. The collector says which organizations have new events, and from when on; their traffic since then is asked for at
 * most every few seconds, as few groups however many the requests are. Nothing waits for it, and an attack makes it no dearer.
 */
import { isUuid, type NotificationType } from '@sallyport/contract'
import { networkOf } from '@sallyport/policy'
import { repeat } from '@sallyport/toolbox'
import type { Database, Transaction } from '../../database/database.ts'
import { type Occasion, tell } from '../tell-store.ts'
import { type KnownBefore, lockSightings, readNames, remember, type Sighting } from './sightings-store.ts'

/** Requests of a kind since an instant, as one group. */
export interface TrafficGroup {
  readonly kind: Sighting['kind']
  readonly siteId: string
  readonly researcherId: string
  /** The class, address, tool or policy. */
  readonly value: string
  /** Of the first request, milliseconds since the epoch. */
  readonly first: number
  /** Of the last. */
  readonly last: number
}

/** The groups of an organization's requests since an instant, a bounded number. */
export type GroupsSince = (orgId: string, from: number) => Promise<readonly TrafficGroup[]>

export interface TrafficWatchOptions {
  readonly database: Pick<Database, 'write'>
  readonly groupsSince: GroupsSince
  readonly failed: (error: unknown) => void
  readonly intervalMs?: number
}

export interface TrafficWatch {
  /** There are new events of these organizations, the first of which began at this instant, milliseconds since the epoch. */
  stored(orgIds: readonly string[], first: number): void
  close(): Promise<void>
}

const INTERVAL_MS = 5_000
/** Older traffic tells nobody anything. */
const OLDEST_MS = 86_400_000
/** A limit that refused again within this is the same occasion. */
const LIMIT_QUIET_MS = 3_600_000

export function watchTraffic(options: TrafficWatchOptions): TrafficWatch {
  const { database, groupsSince, failed, intervalMs = INTERVAL_MS } = options
  const closing = new AbortController()
  let changed = new Map<string, number>()

  const look = async (): Promise<void> => {
    const now = changed
    changed = new Map()
    for (const [orgId, from] of now)
      await groupsSince(orgId, from)
        .then((groups) => tellNew(database, orgId, groups))
        .catch((error: unknown) => {
          changed.set(orgId, Math.min(from, changed.get(orgId) ?? from))
          failed(error)
        })
  }
  const watched = repeat(look, intervalMs, failed, closing.signal)
  return {
    stored: (orgIds, first) => {
      // A server of ClickHouse takes whole milliseconds, and requests begin between two.
      const from = Math.floor(Math.max(first, Date.now() - OLDEST_MS))
      for (const orgId of orgIds)
        if (isUuid(orgId)) changed.set(orgId, Math.min(from, changed.get(orgId) ?? from))
    },
    close: () => {
      closing.abort()
      return watched
    },
  }
}

async function tellNew(
  database: TrafficWatchOptions['database'],
  orgId: string,
  groups: readonly TrafficGroup[],
): Promise<void> {
  if (groups.length === 0) return
  await database.write(orgId, async (tx) => {
    await lockSightings(tx, orgId)
    const isNew: TrafficGroup[] = []
    for (const group of groups.map(storable)) {
      const known = await remember(tx, orgId, sightingOf(group))
      if (known && isWorthTelling(group, known)) isNew.push(group)
    }
    if (isNew.length > 0) await tellAll(tx, orgId, isNew)
  })
}

/** PostgreSQL stores no NUL, and a gateway may report any text: what one says of one request must not hold up what is told of others. */
const storable = (group: TrafficGroup): TrafficGroup => ({
  ...group,
  siteId: withoutNul(group.siteId),
  researcherId: withoutNul(group.researcherId),
  value: withoutNul(group.value),
})
const withoutNul = (text: string): string => text.replaceAll('\0', '\ufffd')

function sightingOf({ kind, siteId, researcherId, value, first, last }: TrafficGroup): Sighting {
  const subject = kind === 'class' ? siteId : researcherId
  const seen = kind === 'address' ? networkOf(value) : kind === 'limit' ? `${siteId} ${value}` : value
  const [from, to] = [new Date(first).toISOString(), new Date(last).toISOString()]
  return { kind, subject, value: seen, first: from, last: to }
}

/** The first network of a researcher is new to nobody; a limit is new again after an hour without. */
function isWorthTelling({ kind, first }: TrafficGroup, known: KnownBefore): boolean {
  if (kind === 'limit') return known.last_seen_ms === null || first - known.last_seen_ms > LIMIT_QUIET_MS
  if (known.last_seen_ms !== null) return false
  return kind !== 'address' || known.is_subject_known
}

async function tellAll(tx: Transaction, orgId: string, groups: readonly TrafficGroup[]): Promise<void> {
  const siteIds = groups.map(({ siteId }) => siteId).filter(isUuid)
  const researcherIds = groups.map(({ researcherId }) => researcherId).filter(isUuid)
  const names = await readNames(tx, orgId, siteIds, researcherIds)
  for (const group of groups) await tell(tx, orgId, occasionOf(group, names))
}

/** What is told of a group, and the field of the message that has its value. */
const TOLD = {
  class: ['attack.new_class', 'attackClass'],
  address: ['researcher.new_address', 'address'],
  tool: ['researcher.new_tool', 'tool'],
  limit: ['limit.exhausted', 'policy'],
} as const satisfies Record<Sighting['kind'], readonly [NotificationType, string]>

function occasionOf(group: TrafficGroup, names: ReadonlyMap<string, string>): Occasion {
  const { kind, siteId, researcherId, value, first } = group
  const [type, field] = TOLD[kind]
  return {
    type,
    subject: sightingOf(group).subject,
    occurredAt: new Date(first).toISOString(),
    data: {
      researcher: { id: researcherId, email: names.get(researcherId) ?? '' },
      site: { id: siteId, name: names.get(siteId) ?? '' },
      [field]: value,
    },
  }
}
