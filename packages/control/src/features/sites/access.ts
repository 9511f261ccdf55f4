/** Who may enter a site: its own list of researchers, and the answer to "would this researcher be admitted now". */
import { type accessDecision, isUuid } from '@sallyport/contract'
import { type AccessReason, decideAccess, isAdmitted, isOrganizationOpen } from '@sallyport/policy'
import type { z } from 'zod'
import type { Database, Transaction } from '../../database/database.ts'
import { millisecondsOf } from '../../database/types.ts'
import { invalid, ProblemError } from '../../errors.ts'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import type { RequestContext } from '../../http/context.ts'
import type { QueryOf, Versioned } from '../../http/handlers.ts'
import { lockForChange, readRowWith } from '../../http/rows.ts'
import { openingTimesOf } from './opening.ts'
import * as store from './store.ts'

export interface SiteHackers {
  siteId: string
  hasCustomList: boolean
  ids: string[]
}

export interface SiteAccessDeps {
  readonly database: Database
}

type AccessDecision = z.output<typeof accessDecision>
const UNKNOWN_SHOWN_MAX = 20

async function getHackers({ database }: SiteAccessDeps, { orgId }: RequestContext, id: string) {
  const [site, ids] = await readRowWith(database, orgId, id, store.findSite, store.listedResearchers)
  return presentHackers(site, ids, site.version)
}

async function setHackers(
  { database }: SiteAccessDeps,
  context: RequestContext,
  id: string,
  given: readonly string[],
): Promise<Versioned<SiteHackers>> {
  const { orgId } = context
  const ids = [...new Set(given)].toSorted()
  return database.change(context, async (tx) => {
    const site = await lockForChange(store.lockSite, tx, context, id)
    await requireKnown(tx, orgId, ids)
    const before = await store.listedResearchers(tx, orgId, id)
    if (JSON.stringify(before) === JSON.stringify(ids)) return presentHackers(site, ids, site.version)
    const version = await store.replaceListedResearchers(tx, orgId, id, ids)
    tx.record({ action: 'site.setHackers', ...store.siteChange(id), before: { ids: before }, after: { ids } })
    return presentHackers(site, ids, version)
  })
}

async function validate(
  { database }: SiteAccessDeps,
  { orgId }: RequestContext,
  check: QueryOf<'sitesValidateHacker'>,
): Promise<AccessDecision> {
  const { siteId, email, id } = check
  if (siteId === undefined) throw invalid('/siteId', 'is required')
  if (email === undefined && id === undefined) throw invalid('/email', 'or id is required')
  const isNameable = id === undefined || isUuid(id)
  const findNamed = async (tx: Transaction) =>
    isNameable ? store.findAccess(tx, orgId, siteId, { id: id ?? null, email: email ?? null }) : undefined
  const [site, access] = await readRowWith(database, orgId, siteId, store.findSite, findNamed)
  const reason = decide(site, access, Date.now())
  return {
    siteId,
    email: access?.email ?? email ?? '',
    id: access?.id ?? id ?? '',
    allowed: isAdmitted(reason),
    reason,
  }
}

/** The operations on who may enter a site. */
export const createSiteAccessService = (deps: SiteAccessDeps) =>
  bindDependencies(deps, { getHackers, setHackers, validate })

export type SiteAccessService = ReturnType<typeof createSiteAccessService>

/** The rows as the decision asks for them. Whether the organization is open is known of an invited researcher only. */
function decide(site: store.SiteRow, row: store.AccessRow | undefined, now: number): AccessReason {
  const researcher = row && {
    id: row.id,
    paused: row.paused,
    expiresAt: millisecondsOf(row.expires_at),
  }
  const config = { ...openingTimesOf(site), access: site.has_custom_list ? 'listed' : 'all' } as const
  const organizationIsOpen =
    !row || isOrganizationOpen({ isSuspended: row.is_suspended, isStopped: row.is_stopped })
  const lists = () => row?.is_listed === true
  return decideAccess({ organizationIsOpen, site: { config, lists }, researcher }, now)
}

const presentHackers = (site: store.SiteRow, ids: string[], version: number): Versioned<SiteHackers> => ({
  body: { siteId: site.id, hasCustomList: site.has_custom_list, ids },
  version,
})

async function requireKnown(tx: Transaction, orgId: string, ids: readonly string[]): Promise<void> {
  const known = await store.knownResearchers(tx, orgId, ids.filter(isUuid))
  const unknown = ids.filter((id) => !known.has(id)).slice(0, UNKNOWN_SHOWN_MAX)
  if (unknown.length === 0) return
  const errors = unknown.map((id) => ({
    path: '/ids',
    message: `${id} is not a researcher of the organization`,
  }))
  throw new ProblemError('validation_failed', { errors })
}
