/** The story of researchers: their visits, what one did step by step, and several beside each other. */
import { onlyValue } from '@sallyport/contract'
import { bindDependencies } from '../../../http/bind-dependencies.ts'
import type { QueryOf } from '../../../http/handlers.ts'
import { BadParameter, describeWindow, readWindow, type WindowQuery } from '../../../http/request/window.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import { DAY_MS } from '../query/time-segments.ts'
import type { AnalyticsDeps } from '../service.ts'
import { profiles } from '../store/researchers/profiles.ts'
import { steps } from '../store/researchers/steps.ts'
import { visits } from '../store/researchers/visits.ts'

export type ResearcherStoryDeps = Pick<AnalyticsDeps, 'store' | 'now' | 'sitesOf'>

const WINDOW_DAYS_MAX = 31

/** [from, to), milliseconds since the epoch. Throws `BadParameter` for a window that is too long. */
function open({ now = Date.now }: ResearcherStoryDeps, query: WindowQuery) {
  const window = readWindow(query, now())
  requireShort(window, 'gte')
  return window
}

function requireShort({ from, to }: { readonly from: number; readonly to: number }, parameter: string): void {
  // The last millisecond is included, so a window of whole days has one more.
  if (to - from > WINDOW_DAYS_MAX * DAY_MS + 1)
    throw new BadParameter(parameter, `must be at most ${WINDOW_DAYS_MAX} days before lte`)
}

async function listVisits(
  deps: ResearcherStoryDeps,
  orgId: string,
  { hacker, site, include, ...query }: QueryOf<'analyticsListVisits'>,
) {
  const { from, to } = open(deps, query)
  const scope = { orgId, from, to, filter: { hacker: hacker.map(onlyValue), site } }
  const [found, included] = await Promise.all([
    visits(deps.store, scope),
    include?.includes('profiles') ? profilesWithNames(deps, { orgId, from, to }, hacker) : null,
  ])
  return { ...describeWindow({ from, to }), ...found, ...included }
}

async function profilesWithNames(
  { store, sitesOf }: ResearcherStoryDeps,
  window: { readonly orgId: string; readonly from: number; readonly to: number },
  hackers: readonly string[],
) {
  const [found, sites] = await Promise.all([
    profiles(store, window, [...new Set(hackers)]),
    sitesOf(window.orgId),
  ])
  const seen = new Set(found.flatMap((profile) => profile.sites.map(({ site }) => site)))
  const siteNames = sites
    .filter(({ id }) => seen.has(id))
    .map(({ id, gatedName }) => ({ id, name: gatedName }))
  return { profiles: found, siteNames }
}

async function listSteps(
  deps: ResearcherStoryDeps,
  orgId: string,
  { hacker, site, limit, cursor: written, ...query }: QueryOf<'analyticsListSteps'>,
) {
  const cursor = written ? readCursor(written) : undefined
  if (cursor) requireShort(cursor, 'cursor')
  const { from, to } = cursor ?? open(deps, query)
  const scope = { orgId, from, to, filter: { hacker: [onlyValue(hacker)], site } }
  const found = await steps(deps.store, scope, limit, cursor?.position)
  return {
    ...describeWindow({ from, to }),
    items: found.steps,
    next: found.next
      ? writeCursor({ direction: 'newer', position: { ...found.next, kind: 'request' }, from, to })
      : null,
  }
}

async function getProfiles(
  deps: ResearcherStoryDeps,
  orgId: string,
  { hacker, ...query }: QueryOf<'analyticsGetProfiles'>,
) {
  const { from, to } = open(deps, query)
  return {
    ...describeWindow({ from, to }),
    profiles: await profiles(deps.store, { orgId, from, to }, [...new Set(hacker)]),
  }
}

/** The operations on what researchers did in their order. They throw `BadParameter` for what cannot be read. */
export const createResearcherStoryService = (deps: ResearcherStoryDeps) =>
  bindDependencies(deps, { visits: listVisits, steps: listSteps, profiles: getProfiles })

export type ResearcherStoryService = ReturnType<typeof createResearcherStoryService>
