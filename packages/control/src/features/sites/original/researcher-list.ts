/** The researcher list of a site by e-mail addresses, one at a time, as the original interface keeps it (decision 0306). */
import { isUuid, SITE_HACKERS_MAX } from '@sallyport/contract'
import type { ChangeTransaction, Database } from '../../../database/database.ts'
import { invalid, notFound, ProblemError } from '../../../errors.ts'
import { bindDependencies } from '../../../http/bind-dependencies.ts'
import type { RequestContext } from '../../../http/context.ts'
import type { BodyOf } from '../../../http/handlers.ts'
import { lockForChange, readRowWith } from '../../../http/rows.ts'
import { findSite, lockSite, siteChange } from '../store.ts'
import * as store from './store.ts'

/** Finds the researcher with an e-mail address, and adds one where the organization has none. */
export type FindOrAddResearcher = (
  tx: ChangeTransaction,
  context: RequestContext,
  email: string,
) => Promise<{ readonly id: string; readonly isNew: boolean }>

export interface ResearcherListDeps {
  readonly database: Database
  readonly findOrAddResearcher: FindOrAddResearcher
}

interface ListEntry extends store.ListedRow {
  readonly siteId: string
}

const entriesOf = (rows: readonly store.ListedRow[], siteId: string): ListEntry[] =>
  rows.map(({ id, email }) => ({ id, email, siteId }))

async function list({ database }: ResearcherListDeps, { orgId }: RequestContext, id: string) {
  const [, rows] = await readRowWith(database, orgId, id, findSite, store.listedEmails)
  return entriesOf(rows, id)
}

async function add(
  { database, findOrAddResearcher }: ResearcherListDeps,
  context: RequestContext,
  { siteId, email }: BodyOf<'sitesAddHacker'>,
) {
  const { orgId } = context
  const rows = await database.change(context, async (tx) => {
    await lockForChange(lockSite, tx, context, siteId)
    const researcher = await findOrAddResearcher(tx, context, email)
    const before = await store.listedEmails(tx, orgId, siteId)
    if (before.some(({ id }) => id === researcher.id)) throw invalid('/email', 'is on the list already')
    if (before.length >= SITE_HACKERS_MAX)
      throw new ProblemError('conflict', { detail: `The list has ${SITE_HACKERS_MAX} researchers already.` })
    await store.addListed(tx, orgId, siteId, researcher.id)
    const { target, config } = siteChange(siteId)
    const changed = researcher.isNew ? [...config, ['researcher', researcher.id] as const] : config
    tx.record({
      action: 'site.addHacker',
      target,
      config: changed,
      before: null,
      after: { id: researcher.id, email, isNew: researcher.isNew },
    })
    return store.listedEmails(tx, orgId, siteId)
  })
  return entriesOf(rows, siteId)
}

async function remove(
  { database }: ResearcherListDeps,
  context: RequestContext,
  { id, siteId, email }: BodyOf<'sitesRemoveHacker'>,
): Promise<Record<string, never>> {
  const { orgId } = context
  await database.change(context, async (tx) => {
    await lockForChange(lockSite, tx, context, siteId)
    const listed = isUuid(id) ? await store.findListed(tx, orgId, siteId, id) : undefined
    if (!listed) throw notFound()
    if (listed.email.toLowerCase() !== email.toLowerCase())
      throw invalid('/email', 'is not the address of the researcher with this id')
    await store.removeListed(tx, orgId, siteId, id)
    tx.record({ action: 'site.removeHacker', ...siteChange(siteId), before: listed, after: null })
  })
  return {}
}

/** The operations on the researcher list of a site, by addresses. */
export const createResearcherListService = (deps: ResearcherListDeps) =>
  bindDependencies(deps, { list, add, remove })

export type ResearcherListService = ReturnType<typeof createResearcherListService>
