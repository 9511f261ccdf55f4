/** The situation of an organization: one answer, made of what is noted in the database and of a fixed number of counts of the record. */
import {
  ATTENTION,
  ATTENTION_KINDS,
  type AttentionItem,
  type AttentionKind,
  OUTCOMES,
  type Outcome,
  type Role,
  roleAllows,
  SITUATION_WINDOWS,
  type Situation,
  type SituationWindow,
} from '@sallyport/contract'
import { isSiteOpen } from '@sallyport/policy'
import type { ChangesBetween } from '../../audit/change-marks.ts'
import type { Database } from '../../database/database.ts'
import { findResearcherNames } from '../../http/answer/researcher-names-store.ts'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import type { RequestContext } from '../../http/context.ts'
import type { QueryOf } from '../../http/handlers.ts'
import { describeWindow, readWindow, type Window } from '../../http/request/window.ts'
import type {
  RecordedPeriod,
  RecordedSite,
  RecordedSituation,
} from '../../traffic-store/rows/recorded-situation.ts'
import {
  type AttentionNames,
  itemOfErrors,
  itemOfLimit,
  itemOfSighting,
  itemOfState,
  kindOfSighting,
  kindOfState,
} from './attention-items.ts'
import { rankAttention } from './rank-attention.ts'
import { type CountedSite, exceptionalSites } from './site-remarks.ts'
import * as store from './store.ts'

/** How many of each there are in an answer. */
export const SITUATION_BOUNDS = {
  senders: 8,
  tools: 5,
  rules: 8,
  limits: 100,
  errors: 100,
  newest: 10,
} as const
const SITES_MAX = 50
/** States and sightings of one kind that are read; there are names for so many. */
const NOTED_OF_KIND_MAX = 100
const DAY_MS = 86_400_000
const LONGEST_MS = 30 * DAY_MS

type Span = Window & { readonly orgId: string }

export interface SituationDeps {
  readonly database: Pick<Database, 'read'>
  /** When the newest request since an instant came, both in milliseconds since the epoch; null for none. */
  readonly newestSince: (orgId: string, from: number) => Promise<number | null>
  readonly trafficOf: (span: Span, max: typeof SITUATION_BOUNDS) => Promise<RecordedSituation>
  readonly changesBetween: ChangesBetween
  readonly now?: () => number
}

async function get(
  deps: SituationDeps,
  context: RequestContext,
  query: QueryOf<'analyticsGetSituation'>,
): Promise<Situation> {
  const { orgId, principal } = context
  const { database, newestSince, trafficOf, changesBetween, now = Date.now } = deps
  const instant = now()
  // A window that cannot be read is refused before anything is asked.
  const asked = readWindow(query, instant)
  const newest = await newestSince(orgId, instant - LONGEST_MS)
  const chosen = query.gte || query.lte ? null : shortestWindow(newest, instant)
  const window = chosen === null ? asked : readWindow({ ...query, gte: chosen }, instant)
  const described = describeWindow(window)
  const [traffic, noted, changes] = await Promise.all([
    trafficOf({ ...window, orgId }, SITUATION_BOUNDS),
    database.read(orgId, async (tx) => ({
      organization: await store.readOrganization(tx, orgId),
      sites: await store.listSiteFacts(tx, orgId),
      states: await store.listNotedStates(tx, orgId, NOTED_OF_KIND_MAX),
      sightings: await store.listNewSightings(
        tx,
        orgId,
        { from: described.gte, to: new Date(window.to).toISOString() },
        NOTED_OF_KIND_MAX,
      ),
    })),
    changesBetween(context, described),
  ])
  const names: AttentionNames = {
    sites: new Map(noted.sites.map((site) => [site.id, site.gated_name])),
    researchers: await database.read(orgId, (tx) =>
      findResearcherNames(tx, orgId, researcherIdsOf(traffic, noted)),
    ),
  }
  const before = periodBefore(traffic, noted.organization, window, instant)
  const attention = attentionOf(traffic, noted, names, principal.role)
  const counted = countedSites(noted.sites, traffic, before !== null, instant)
  const speaking = exceptionalSites(counted, attention.all)
  const senderOf = (id: string) => ({ id, name: names.researchers.get(id) ?? id })
  return {
    ...described,
    window: chosen,
    newestRequest: newest === null ? null : new Date(newest).toISOString(),
    interval: traffic.interval,
    timeZone: window.timeZone,
    buckets: [...traffic.buckets],
    period: countsOf(traffic.period),
    before,
    attention: {
      items: rankAttention(attention.all),
      counts: attention.counts,
      withheld: ATTENTION_KINDS.filter((kind) => !isAllowed(principal.role, kind)),
    },
    senders: traffic.period.senders.map(({ researcherId, requests, scanners }) => ({
      ...senderOf(researcherId),
      requests,
      scanners,
    })),
    tools: traffic.tools.flatMap(({ value, count }) =>
      value === '' ? [] : { tool: value, requests: count },
    ),
    rules: [...traffic.rules],
    sites: {
      total: noted.sites.length,
      items: speaking.slice(0, SITES_MAX),
      more: Math.max(speaking.length - SITES_MAX, 0),
      others: noted.sites.length - speaking.length,
    },
    newest: traffic.newest.map((event) => ({ ...event, time: new Date(event.time).toISOString() })),
    newestSenders: [...new Set(traffic.newest.map(({ researcherId }) => researcherId))]
      .filter((id) => names.researchers.has(id))
      .map(senderOf),
    ...(changes && { changes }),
  }
}

/** The operation on the situation. */
export const createSituationService = (deps: SituationDeps) => bindDependencies(deps, { get })

export type SituationService = ReturnType<typeof createSituationService>

/** The shortest window that holds the newest request; a day where none does. */
export function shortestWindow(newest: number | null, now: number): SituationWindow {
  const holding = SITUATION_WINDOWS.find(
    (window) => newest !== null && readWindow({ gte: window }, now).from <= newest,
  )
  return holding ?? 'now-24h'
}

interface Noted {
  readonly organization: store.OrganizationFacts | undefined
  readonly sites: readonly store.SiteFacts[]
  readonly states: readonly store.NotedState[]
  readonly sightings: readonly store.NewSighting[]
}

const isAllowed = (role: Role, kind: AttentionKind): boolean => roleAllows(role, ATTENTION[kind].permission)

/** Every item that the role may see, and how many there are of each kind. */
function attentionOf(
  traffic: RecordedSituation,
  { states, sightings }: Noted,
  names: AttentionNames,
  role: Role,
): { readonly all: AttentionItem[]; readonly counts: Situation['attention']['counts'] } {
  const all = [
    ...states.flatMap((state) => itemOfState(state, names)),
    ...sightings.flatMap((sighting) => itemOfSighting(sighting, names)),
    ...traffic.limits.map((limit) => itemOfLimit(limit, names)),
    ...traffic.errors.map((errors) => itemOfErrors(errors, names)),
  ].filter(({ kind }) => isAllowed(role, kind))
  const listed = Map.groupBy(all, ({ kind }) => kind)
  const unread = new Map([
    ...states.map((state) => [kindOfState(state.kind), state.of_kind - NOTED_OF_KIND_MAX] as const),
    ...sightings.map((one) => [kindOfSighting(one.kind), one.of_kind - NOTED_OF_KIND_MAX] as const),
  ])
  const counts = ATTENTION_KINDS.flatMap((kind) => {
    const found = listed.get(kind)?.length ?? 0
    return found === 0 ? [] : { kind, count: found + Math.max(unread.get(kind) ?? 0, 0) }
  })
  return { all, counts }
}

const researcherIdsOf = (
  { period, limits, errors, newest }: RecordedSituation,
  { states, sightings }: Noted,
): string[] => [
  ...new Set([
    ...period.senders.map(({ researcherId }) => researcherId),
    ...limits.map(({ researcherId }) => researcherId),
    ...errors.map(({ researcherId }) => researcherId),
    ...newest.map(({ researcherId }) => researcherId),
    ...states.filter(({ kind }) => kind === 'expiring').map(({ subject }) => subject),
    ...sightings.map(({ subject }) => subject),
  ]),
]

/**
 * The counts of the period before; null where nobody knows them: the record is not kept so long, or the organization is younger
 * than that period and had no request in it.
 */
function periodBefore(
  { before }: RecordedSituation,
  organization: store.OrganizationFacts | undefined,
  { from, to }: Window,
  now: number,
): Situation['before'] {
  const start = from - (to - from)
  if (!organization || start < now - organization.retention_days * DAY_MS) return null
  const counts = countsOf(before)
  return counts.total === 0 && Date.parse(organization.created_at) > start ? null : counts
}

function countsOf({ sites, researchers, scanners }: RecordedPeriod): Situation['period'] {
  const sum = (count: (site: RecordedSite) => number): number =>
    sites.reduce((total, site) => total + count(site), 0)
  // Each outcome has an entry, which `fromEntries` does not say.
  const outcomes = Object.fromEntries(
    OUTCOMES.map((outcome) => [outcome, sum((site) => site.outcomes[outcome])]),
  ) as Record<Outcome, number>
  return {
    total: sum(({ total }) => total),
    outcomes,
    serverErrors: sum(({ serverErrors }) => serverErrors),
    researchers,
    scanners,
  }
}

function countedSites(
  sites: readonly store.SiteFacts[],
  { period, before }: RecordedSituation,
  hasBefore: boolean,
  now: number,
): CountedSite[] {
  const present = new Map(period.sites.map((site) => [site.siteId, site]))
  const earlier = new Map(before.sites.map((site) => [site.siteId, site.total]))
  return sites.map((site) => {
    const counts = present.get(site.id)
    const { block = 0, limit = 0, firewall = 0 } = counts?.outcomes ?? {}
    return {
      id: site.id,
      name: site.gated_name,
      isOpen: isSiteOpen(
        {
          enabled: site.is_enabled,
          startsAt: Date.parse(site.starts_at),
          stopsAt: Date.parse(site.stops_at),
        },
        now,
      ),
      requests: counts?.total ?? 0,
      requestsBefore: hasBefore ? (earlier.get(site.id) ?? 0) : null,
      refused: block + limit + firewall,
      serverErrors: counts?.serverErrors ?? 0,
    }
  })
}
