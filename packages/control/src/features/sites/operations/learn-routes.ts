/**
 * Learns the templates of sites in the background, so that gateways can say of each request which operation it was. A site is learned
 * when there is new traffic or a new definition, at most once in a while, by one control plane; organizations take turns. Only templates
 * that changed are recorded and sent.
 */
import type { LearnedOperation } from '@sallyport/api-learning'
import { isUuid } from '@sallyport/contract'
import { ROUTES_MAX, readTemplate } from '@sallyport/policy'
import { FairQueue, repeat } from '@sallyport/toolbox'
import { type Database, newId } from '../../../database/database.ts'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { type ApiLearner, LEARNED_DAYS } from '../definition/api-learner.ts'
import type { LearnedSite } from '../definition/observations-store.ts'
import { lockSite, siteChange } from '../store.ts'
import * as observed from './observed-store.ts'
import { refreshRoutes } from './routes-in-force.ts'
import type { LearnedTemplate } from './store.ts'

export interface RouteLearningOptions {
  readonly database: Database
  readonly store: Pick<TrafficStore, 'query'>
  readonly learner: Pick<ApiLearner, 'learn'>
  readonly failed: (error: unknown) => void
  /** Between looks for definitions that changed. */
  readonly lookMs?: number
  /** The least time between learning one site twice. */
  readonly paceMs?: number
}

export interface RouteLearning {
  /** Learns what there is to learn now. */
  look(): Promise<void>
  close(): Promise<void>
}

const LOOK_MS = 5_000
/** New traffic is looked for less often. */
const TRAFFIC_LOOK_MS = 60_000
const PACE_MS = 15 * 60_000
const DAY_MS = 86_400_000
/** Longer than learning a site may take. */
const CLAIM_MS = 5 * 60_000
/** A template that is not learned any more stays so long, so that routes do not come and go with each request. */
const KEPT_MS = DAY_MS

/** Looks until it is closed; with `lookMs` of infinity only when it is told to. */
export function startRouteLearning(options: RouteLearningOptions): RouteLearning {
  const { failed, lookMs = LOOK_MS, paceMs = PACE_MS } = options
  const closing = new AbortController()
  let lookedAt = 0

  const look = async (): Promise<void> => {
    const now = Date.now()
    const isTraffic = now - lookedAt >= Math.min(TRAFFIC_LOOK_MS, paceMs)
    // At first all traffic that counts, of which some came while nobody looked.
    const since = lookedAt === 0 ? now - LEARNED_DAYS * DAY_MS : now - 2 * paceMs - TRAFFIC_LOOK_MS
    const sites = await dueSites(options, paceMs, isTraffic ? since : undefined)
    if (isTraffic) lookedAt = now
    for (let site = sites.shift(); site && !closing.signal.aborted; site = sites.shift())
      await learnSite(options, site).catch((error: unknown) => {
        // The learner ends while it is asked.
        if (!closing.signal.aborted) failed(error)
      })
  }
  const running = Number.isFinite(lookMs) ? repeat(look, lookMs, failed, closing.signal) : Promise.resolve()
  return {
    look,
    close: () => {
      closing.abort()
      return running
    },
  }
}

/** Sites to learn, organizations in turns, of each the one first that was learned longest ago. */
async function dueSites(
  { database, store }: RouteLearningOptions,
  paceMs: number,
  since: number | undefined,
): Promise<FairQueue<LearnedSite>> {
  const now = Date.now()
  const learnings = await database.readInstallation((tx) => observed.readLearnings(tx, since === undefined))
  // By organization, too: what one says of another's site is in its own record.
  const keyOf = ({ orgId, id }: LearnedSite): string => `${orgId} ${id}`
  const due = new Map<string, LearnedSite & { readonly learnedAt: number }>()
  // What nobody uses any more goes, too.
  for (const { orgId, id, isDue, learnedAt } of learnings)
    if (isDue || (learnedAt !== null && learnedAt < now - DAY_MS))
      due.set(keyOf({ orgId, id }), { orgId, id, learnedAt: learnedAt ?? 0 })
  if (since !== undefined) {
    const known = new Map(learnings.map((learning) => [keyOf(learning), learning.learnedAt ?? 0]))
    for (const { orgId, id, lastSeen } of await observed.readObservedSites(store, since)) {
      const learnedAt = known.get(keyOf({ orgId, id })) ?? 0
      if (isUuid(orgId) && isUuid(id) && learnedAt < lastSeen && learnedAt < now - paceMs)
        due.set(keyOf({ orgId, id }), { orgId, id, learnedAt })
    }
  }
  const queue = new FairQueue<LearnedSite>()
  for (const site of [...due.values()].sort((left, right) => left.learnedAt - right.learnedAt))
    queue.push(site.orgId, { orgId: site.orgId, id: site.id })
  return queue
}

async function learnSite({ database, learner }: RouteLearningOptions, site: LearnedSite): Promise<void> {
  const { orgId, id } = site
  const claimed = await database.write(orgId, (tx) => observed.claimSite(tx, site, CLAIM_MS))
  if (!claimed) return
  // Where this fails, the claim lapses, and the site is tried again.
  const api = await learner.learn(site)
  const given = [...new Set(api.known.given.map(({ template }) => template))].slice(0, ROUTES_MAX)
  const learned = keptTemplates(claimed.learned, api.seen, Date.now())
  const isKept = await database.write(orgId, (tx) =>
    observed.keepLearned(tx, site, claimed.claim, given, learned),
  )
  // Whoever took the site over learned it later.
  if (!isKept) return
  const actor = { kind: 'system', id: 'api-learning', email: 'api-learning' } as const
  await database.change({ orgId, actor, requestId: newId() }, async (tx) => {
    if (!(await lockSite(tx, orgId, id))) return
    const changed = await refreshRoutes(tx, orgId, id)
    if (changed) tx.record({ action: 'site.learnRoutes', ...siteChange(id), ...changed })
  })
}

/** The templates that are learned now, and those that were within a day. */
export function keptTemplates(
  before: readonly LearnedTemplate[],
  seen: readonly LearnedOperation[],
  now: number,
): LearnedTemplate[] {
  const kept = new Map(
    before.filter(({ at }) => at > now - KEPT_MS).map(({ template, at }) => [template, at] as const),
  )
  for (const { state, template } of seen)
    if (state === 'learned' && readTemplate(template)) kept.set(template, now)
  return [...kept]
    .map(([template, at]) => ({ template, at }))
    .sort((left, right) => right.at - left.at)
    .slice(0, ROUTES_MAX)
}
