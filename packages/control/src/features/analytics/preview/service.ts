/**
 * Previews of changes: what a change would have refused of the recorded traffic. The requests that were let through are judged by the
 * code that the gateway judges by (`policy`), as if they came now. Where there are more than can be judged in the time that
 * there is, the newest are, and the answer says from when on.
 */
import {
  isUuid,
  OPEN_END,
  type PreviewedChange,
  type RateLimitPolicy,
  type TrafficEvent,
} from '@sallyport/contract'
import { decideAccess, holdsPermits, isAdmitted, whySiteClosed } from '@sallyport/policy'
import { FairSemaphore, TimeSlicer } from '@sallyport/toolbox'
import { notFound, type ProblemError, tooManyRequests } from '../../../errors.ts'
import { definedOnly } from '../../../http/defined-only.ts'
import { BadParameter, describeWindow, readWindow, type WindowQuery } from '../../../http/request/window.ts'
import type { TrafficStore } from '../../../traffic-store/connection.ts'
import { DAY_MS } from '../query/time-segments.ts'
import type { Scope } from '../store/predicate.ts'
import { blockRulesJudge } from './judge-block-rules.ts'
import { firewallJudge } from './judge-firewall.ts'
import { countByResearcher, newestOf, readByIds, readPieces, startOfNewest } from './preview-store.ts'
import { forgetsByTheClock, LimitReplay, warmUpMs } from './replay-limits.ts'
import type { PreviewedSite } from './site-store.ts'
import { PreviewTally, SAMPLES_MAX } from './tally.ts'

export interface PreviewDeps {
  readonly store: TrafficStore
  /** Undefined where the organization has no such site. */
  readonly siteOf: (orgId: string, siteId: string, since: Date) => Promise<PreviewedSite | undefined>
  /** Undefined where the plan of the organization has no such policy. */
  readonly policyOf: (orgId: string, name: string) => Promise<RateLimitPolicy | undefined>
  readonly emailsOf: (orgId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
  readonly now?: () => number
  /** Judging goes on so long. */
  readonly timeoutMs?: number
}

export interface PreviewQuery extends WindowQuery {
  readonly change: PreviewedChange
}

/** What was found, and in which part of the window. */
interface Found {
  readonly tally: PreviewTally
  readonly from: number
  readonly to: number
  /** Where they are known already; otherwise those of the tally are read. */
  readonly samples?: TrafficEvent[]
  readonly takesEffect?: number
}

/** A question while it is worked out. */
interface Work {
  readonly store: TrafficStore
  readonly scope: Scope
  readonly now: number
  /** True once it is to be ended: the time is over, or nobody waits for the answer. */
  readonly isOver: () => boolean
}

const WINDOW_MS = 7 * DAY_MS
const TIMEOUT_MS = 6_000
/** Longest time for which nothing else is served. */
const SLICE_MS = 8
/** Requests that limits are replayed over. */
const REPLAYED_MAX = 300_000
/** The newest requests are looked for among those of so many, the busiest: a statement has a bound, too. */
const SAMPLED_RESEARCHERS_MAX = 1_000
/** Previews at once; judging is work for the processor. */
const RUNNING_MAX = 2
/** For previews that wait. */
const ROOM = { ofOwner: 30, ofAll: 300 }

const tooManyWait = (): ProblemError => tooManyRequests(TIMEOUT_MS / 1000)

export function createPreviewService(deps: PreviewDeps) {
  const turns = new FairSemaphore(RUNNING_MAX, { room: ROOM, refusal: tooManyWait })
  return {
    preview: async (orgId: string, { change, ...asked }: PreviewQuery, signal?: AbortSignal) => {
      const now = (deps.now ?? Date.now)()
      const window = readWindow(asked, now, WINDOW_MS)
      const { from, to } = window
      const site = 'siteId' in change ? await findSite(deps, orgId, change.siteId, from) : undefined
      const known = change.kind === 'pause' ? await deps.emailsOf(orgId, change.hackerIds) : undefined
      if (change.kind === 'pause' && change.hackerIds.some((id) => !known?.has(id))) throw notFound()
      const filter = site ? { site: [site.id] } : {}
      const scope: Scope = { orgId, from, to, filter }
      const policy = change.kind === 'rateLimit' ? await findPolicy(deps, orgId, change.rateLimit) : undefined
      const found = await turns.run(orgId, () => {
        const end = performance.now() + (deps.timeoutMs ?? TIMEOUT_MS)
        const isOver = () => signal?.aborted === true || performance.now() >= end
        return judge({ store: deps.store, scope, now, isOver }, change, site, policy)
      })
      return describe(deps, scope, found)
    },
  }
}
export type PreviewService = ReturnType<typeof createPreviewService>

async function findSite(deps: PreviewDeps, orgId: string, id: string, from: number): Promise<PreviewedSite> {
  const site = isUuid(id) ? await deps.siteOf(orgId, id, new Date(from)) : undefined
  if (!site) throw notFound()
  return site
}

async function findPolicy(deps: PreviewDeps, orgId: string, name: string) {
  if (name === '') return undefined
  const policy = await deps.policyOf(orgId, name)
  if (!policy) throw new BadParameter('change/rateLimit', 'must be a policy that the plan includes, or empty')
  return policy
}

/** By kind of change. */
function judge(
  work: Work,
  change: PreviewedChange,
  site: PreviewedSite | undefined,
  policy: RateLimitPolicy | undefined,
): Promise<Found> {
  const { now } = work
  const tally = new PreviewTally()
  switch (change.kind) {
    case 'blockRules':
      return judgeRows(
        work,
        'target',
        tally,
        blockRulesJudge(change.rules, site?.conventions ?? [], now, tally),
      )
    case 'firewall': {
      if (!site) throw notFound()
      const { kind: _kind, siteId: _siteId, ...changed } = change
      const before = site.firewall
      const after = { ...before, ...definedOnly(changed) }
      if (site.firewallChanged) tally.gaps.add('otherSettings')
      const judgeRow = firewallJudge({ before, after, conventions: site.conventions, now }, tally)
      return judgeRows(work, 'inspected', tally, judgeRow)
    }
    case 'rateLimit':
      return policy ? replay(work, policy, tally) : judgeAccess(work, () => true)
    case 'accessList': {
      const listed = new Set(change.hackerIds)
      return judgeAccess(work, (id) => admits({ ...OPEN, access: 'listed' }, listed, id, false, now))
    }
    case 'window': {
      const startsAt = Date.parse(change.startDate)
      const stopsAt = change.stopDate === OPEN_END ? null : Date.parse(change.stopDate)
      const config = { ...OPEN, startsAt, stopsAt }
      // A window that is open now refuses from its end on.
      const isOpen = whySiteClosed(config, true, now) === null
      const at = isOpen && stopsAt !== null ? stopsAt : now
      return judgeAccess(
        work,
        (id) => admits(config, NOBODY, id, false, at),
        isOpen && stopsAt !== null ? stopsAt : undefined,
      )
    }
    case 'stop':
      return judgeAccess(work, (id) => admits({ ...OPEN, enabled: false }, NOBODY, id, false, now))
    case 'pause': {
      const paused = new Set(change.hackerIds)
      const { scope } = work
      const theirs = { ...scope, filter: { ...scope.filter, hacker: [...paused] } }
      return judgeAccess({ ...work, scope: theirs }, (id) => admits(OPEN, NOBODY, id, paused.has(id), now))
    }
  }
}

const OPEN = { enabled: true, startsAt: null, stopsAt: null, access: 'all' } as const
const NOBODY: ReadonlySet<string> = new Set()

/** Whether somebody who was let in then would be, by all that a change of access may change. */
function admits(
  config: Parameters<typeof whySiteClosed>[0] & { readonly access: 'all' | 'listed' },
  listed: ReadonlySet<string>,
  researcherId: string,
  paused: boolean,
  now: number,
): boolean {
  // A preflight is nobody's: only whether the site is open matters.
  if (researcherId === '') return whySiteClosed(config, true, now) === null
  const researcher = { id: researcherId, paused, expiresAt: null }
  const site = { config, lists: (id: string) => listed.has(id) }
  return isAdmitted(decideAccess({ organizationIsOpen: true, site, researcher }, now))
}

/** All requests of a researcher share one fate, so they are counted, and nothing else is read of them. */
async function judgeAccess(
  { store, scope }: Work,
  isAdmittedNow: (researcherId: string) => boolean,
  takesEffect?: number,
): Promise<Found> {
  const tally = new PreviewTally()
  const refused: string[] = []
  for (const { researcherId, requests, benign } of await countByResearcher(store, scope)) {
    tally.requests += requests
    if (isAdmittedNow(researcherId)) continue
    tally.add(researcherId, requests, benign)
    refused.push(researcherId)
  }
  const sampled = refused.slice(0, SAMPLED_RESEARCHERS_MAX)
  const samples = sampled.length > 0 ? await newestOf(store, scope, sampled, SAMPLES_MAX) : []
  return { tally, from: scope.from, to: scope.to, samples, ...(takesEffect !== undefined && { takesEffect }) }
}

/** Judges one request after the other, from the newest on. */
async function judgeRows<Kind extends 'target' | 'inspected'>(
  { store, scope, isOver }: Work,
  reading: Kind,
  tally: PreviewTally,
  refuses: (row: RowOf<Kind>) => boolean,
): Promise<Found> {
  const slicer = new TimeSlicer(SLICE_MS)
  let { to: judgedFrom } = scope
  for await (const { rows, from } of readPieces(store, scope, reading, 'older')) {
    for (const row of rows) {
      tally.count(row, refuses(row))
      if (!slicer.spent) continue
      await slicer.next()
      if (isOver()) return { tally, from: row.timeMs, to: scope.to }
    }
    judgedFrom = from
    if (isOver()) break
  }
  return { tally, from: judgedFrom, to: scope.to }
}

type RowOf<Kind extends 'target' | 'inspected'> =
  ReturnType<typeof readPieces<Kind>> extends AsyncGenerator<{ readonly rows: (infer Row)[] }> ? Row : never

/** Runs the limiters over the newest requests, in the order in which they came. */
async function replay(
  { store, scope, isOver }: Work,
  policy: RateLimitPolicy,
  tally: PreviewTally,
): Promise<Found> {
  const start = await startOfNewest(store, scope, 'limited', REPLAYED_MAX)
  if (!start) return { tally, from: scope.from, to: scope.to }
  const from = start.isAll ? scope.from : start.time
  const replayed = new LimitReplay(policy)
  const slicer = new TimeSlicer(SLICE_MS)
  let judgedTo = from
  const earlier = { ...scope, from: from - warmUpMs(policy) }
  for await (const piece of readPieces(store, earlier, 'limited', 'newer')) {
    for (const row of piece.rows) {
      const isRefused = replayed.refuses(row)
      if (row.timeMs < from) {
        if (!forgetsByTheClock(policy)) tally.gaps.add('earlierRequests')
      } else if (row.passed) tally.count(row, isRefused)
      if (slicer.spent) await slicer.next()
      // What is left of the piece is soon counted: a limiter judges in a microsecond.
    }
    judgedTo = Math.max(judgedTo, piece.to)
    if (isOver()) break
  }
  if (holdsPermits(policy)) tally.gaps.add('durations')
  if (replayed.gateways > 1) tally.gaps.add('gateways')
  return { tally, from, to: judgedTo }
}

async function describe({ store, emailsOf }: PreviewDeps, scope: Scope, found: Found) {
  const { tally, takesEffect } = found
  const top = tally.topResearchers()
  const [emails, samples] = await Promise.all([
    emailsOf(
      scope.orgId,
      top.map(({ id }) => id),
    ),
    found.samples ?? readSamples(store, scope, tally),
  ])
  const gaps = [...tally.gaps].sort()
  return {
    ...describeWindow(scope),
    judged: describeWindow({ from: Math.min(found.from, found.to - 1), to: found.to }),
    isWhole: found.from <= scope.from && found.to >= scope.to,
    requests: tally.requests,
    refused: tally.refused,
    precision: gaps.length === 0 ? ('exact' as const) : ('atLeast' as const),
    gaps,
    benign: tally.benign,
    researchers: tally.researchers,
    topResearchers: top.map(({ id, refused }) => ({ id, email: emails.get(id) ?? null, refused })),
    samples,
    takesEffect: takesEffect === undefined ? null : new Date(takesEffect).toISOString(),
  }
}

async function readSamples(
  store: TrafficStore,
  scope: Scope,
  { samples }: Pick<PreviewTally, 'samples'>,
): Promise<TrafficEvent[]> {
  if (samples.length === 0) return []
  const times = samples.map(({ timeMs }) => timeMs)
  const within = { ...scope, from: Math.min(...times), to: Math.max(...times) + 1 }
  return readByIds(
    store,
    within,
    samples.map(({ id }) => id),
  )
}
