/** The versions of API definitions: listed, compared, brought back. */
import type { DocumentDifference, DocumentVersion, SiteDocument } from '@sallyport/contract'
import { notFound, ProblemError } from '../../../errors.ts'
import { bindDependencies } from '../../../http/bind-dependencies.ts'
import type { RequestContext } from '../../../http/context.ts'
import type { BodyOf, QueryOf, Versioned } from '../../../http/handlers.ts'
import { lockForChange, readRowWith } from '../../../http/rows.ts'
import { prepareDocuments } from '../definition-rule/keep-rule.ts'
import { findSite, lockSite } from '../store.ts'
import { changedSite, present, putInForce, type SiteDocumentDeps } from './service.ts'
import * as store from './store.ts'

const presentVersion = (row: store.VersionRow): DocumentVersion => ({
  ...present(row),
  restoredFrom: row.restored_from,
})

async function list({ database }: SiteDocumentDeps, { orgId }: RequestContext, id: string, name: string) {
  const [, rows] = await readRowWith(database, orgId, id, findSite, (tx) =>
    store.listVersions(tx, orgId, id, name),
  )
  const newest = rows[0]
  if (!newest) throw notFound()
  return { items: rows.map(presentVersion), dropped: newest.number - rows.length }
}

async function compare(
  { database, documentWorker }: SiteDocumentDeps,
  { orgId }: RequestContext,
  id: string,
  { name, from, to }: QueryOf<'sitesCompareDocument'>,
): Promise<DocumentDifference> {
  const [, [before, after]] = await readRowWith(database, orgId, id, findSite, (tx) =>
    Promise.all([store.findDocument(tx, orgId, id, name, from), store.findDocument(tx, orgId, id, name, to)]),
  )
  if (!before || !after) throw notFound()
  for (const { format } of [before, after])
    if (!store.isOpenApi(format))
      throw new ProblemError('conflict', { detail: 'Only OpenAPI documents can be compared.' })
  const changes = await documentWorker.work(orgId, {
    kind: 'compare',
    before: store.storedDocument(before),
    after: store.storedDocument(after),
  })
  return { name, from, to, ...changes }
}

/** The version becomes the next one, so that what was in force since stays among the versions. */
async function restore(
  deps: SiteDocumentDeps,
  context: RequestContext,
  id: string,
  { name, number }: BodyOf<'sitesRestoreDocument'>,
): Promise<Versioned<SiteDocument>> {
  const { database } = deps
  const { orgId } = context
  const [, kept] = await readRowWith(database, orgId, id, findSite, (tx) =>
    store.findDocument(tx, orgId, id, name, number),
  )
  if (!kept) throw notFound()
  const rule = await prepareDocuments(deps, orgId, id, {
    name,
    text: store.isOpenApi(kept.format) ? kept : null,
  })
  return database.change(context, async (tx) => {
    const site = await lockForChange(lockSite, tx, context, id)
    const old = await store.findDocument(tx, orgId, id, name, number)
    if (!old) throw notFound()
    const { format, size_bytes: sizeBytes, operations, content, packing } = old
    const version = { format, sizeBytes, operations, content, packing, restoredFrom: number }
    return putInForce(tx, context, site, { name, version, rule }, ({ written, before, isRuleChanged }) =>
      tx.record({
        action: 'site.restoreDocument',
        ...changedSite(id, isRuleChanged),
        before: { name, number: before?.number ?? null },
        after: { name, number: written.number, restoredFrom: number },
      }),
    )
  })
}

/** The operations on the versions of API definitions of a site. */
export const createDocumentVersionService = (deps: SiteDocumentDeps) =>
  bindDependencies(deps, { list, compare, restore })

export type DocumentVersionService = ReturnType<typeof createDocumentVersionService>
