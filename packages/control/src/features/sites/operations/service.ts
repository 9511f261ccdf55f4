/** The operations of a site's API: listed, confirmed, taken out again, and compared with what was given. */
import {
  type ApiOperation,
  CONFIRMED_OPERATIONS_MAX,
  FINDINGS_MAX,
  type FindingKind,
} from '@sallyport/contract'
import type { Database } from '../../../database/database.ts'
import { notFound, ProblemError } from '../../../errors.ts'
import { bindDependencies } from '../../../http/bind-dependencies.ts'
import { type RequestContext, requireVersion } from '../../../http/context.ts'
import type { BodyOf, QueryOf, Versioned } from '../../../http/handlers.ts'
import { pageOfRows } from '../../../http/request/paging.ts'
import { lockForChange, readRow } from '../../../http/rows.ts'
import { type ApiLearner, LEARNED_DAYS } from '../definition/api-learner.ts'
import { raiseSiteVersion } from '../documents/store.ts'
import { findSite, lockSite, siteChange } from '../store.ts'
import { compareApi } from './compare-api.ts'
import { afterCursor, writeOperationCursor } from './operation-cursor.ts'
import { refreshRoutes } from './routes-in-force.ts'
import { nameOf, type OperationName, type SiteOperation, siteOperations } from './site-api.ts'
import * as store from './store.ts'

export interface ApiOperationDeps {
  readonly database: Database
  readonly apiLearner: Pick<ApiLearner, 'learn'>
}

const DAY_MS = 86_400_000

/** The operations of a site, and whether a document gives any. Throws a 404. */
async function operationsOf(
  { database, apiLearner }: ApiOperationDeps,
  orgId: string,
  id: string,
): Promise<{ readonly operations: readonly SiteOperation[]; readonly hasDocument: boolean }> {
  const site = await readRow(database, orgId, id, findSite)
  const { hasDocument, known, seen } = await apiLearner.learn({ orgId, id: site.id })
  return { operations: siteOperations(known, seen), hasDocument }
}

const present = ({ evidence, seen: _, ...operation }: SiteOperation): ApiOperation => ({
  method: operation.method,
  template: operation.template,
  state: operation.state,
  deprecated: operation.deprecated,
  parameters: [...operation.parameters],
  bodyTypes: [...operation.bodyTypes],
  mediaTypes: [...operation.mediaTypes],
  statuses: [...operation.statuses],
  evidence: evidence && {
    ...evidence,
    firstSeen: new Date(evidence.firstSeen).toISOString(),
    lastSeen: new Date(evidence.lastSeen).toISOString(),
  },
})

async function list(
  deps: ApiOperationDeps,
  { orgId }: RequestContext,
  id: string,
  { limit, cursor, state, search }: QueryOf<'sitesListOperations'>,
) {
  // One that is none is refused before its API is learned, which takes long.
  if (cursor !== undefined) afterCursor([], cursor)
  const { operations } = await operationsOf(deps, orgId, id)
  const found = (cursor === undefined ? operations : afterCursor(operations, cursor)).filter(
    (operation) =>
      (state === undefined || operation.state === state) &&
      (search === undefined || operation.template.toLowerCase().includes(search.toLowerCase())),
  )
  return pageOfRows(found, limit, writeOperationCursor, present)
}

async function confirm(
  deps: ApiOperationDeps,
  context: RequestContext,
  id: string,
  body: BodyOf<'sitesConfirmOperation'>,
): Promise<Versioned<ApiOperation>> {
  const { orgId } = context
  // Before its API is learned, which takes long.
  requireVersion(context, (await readRow(deps.database, orgId, id, findSite)).version)
  const { operations } = await operationsOf(deps, orgId, id)
  const found = operations.find((operation) => nameOf(operation) === nameOf(body))
  if (!found) throw notFound()
  if (found.state === 'given')
    throw new ProblemError('conflict', { detail: 'The operation is given by a document already.' })
  const { method, template, seen } = found
  const version = await deps.database.change(context, async (tx) => {
    const site = await lockForChange(lockSite, tx, context, id)
    if (!seen || found.state === 'confirmed') return site.version
    if ((await store.countConfirmed(tx, orgId, id)) >= CONFIRMED_OPERATIONS_MAX)
      throw new ProblemError('conflict', {
        detail: `At most ${CONFIRMED_OPERATIONS_MAX} operations of a site are confirmed.`,
      })
    const { parameters, bodyTypes, mediaTypes, statuses } = seen
    const operation = { method, template, parameters, bodyTypes, mediaTypes, statuses }
    await store.insertConfirmed(tx, orgId, id, operation, context.principal.userId)
    await refreshRoutes(tx, orgId, id)
    tx.record({
      action: 'site.confirmOperation',
      ...siteChange(id),
      before: null,
      after: { method, template },
    })
    return raiseSiteVersion(tx, orgId, id)
  })
  return { body: present({ ...found, state: 'confirmed' }), version }
}

const unconfirm = (
  { database }: ApiOperationDeps,
  context: RequestContext,
  id: string,
  name: OperationName,
): Promise<void> =>
  database.change(context, async (tx) => {
    const { orgId } = context
    await lockForChange(lockSite, tx, context, id)
    const removed = await store.deleteConfirmed(tx, orgId, id, name)
    if (!removed) return
    await refreshRoutes(tx, orgId, id)
    const { method, template } = removed
    tx.record({
      action: 'site.unconfirmOperation',
      ...siteChange(id),
      before: { method, template },
      after: null,
    })
    await raiseSiteVersion(tx, orgId, id)
  })

async function compare(
  deps: ApiOperationDeps,
  { orgId }: RequestContext,
  id: string,
  { kind, minRequests, minResearchers }: QueryOf<'sitesCompareDefinition'>,
) {
  const { operations, hasDocument } = await operationsOf(deps, orgId, id)
  const noise = { requestsMin: minRequests, researchersMin: minResearchers }
  const findings = hasDocument ? compareApi(operations, noise) : []
  const countOf = (one: FindingKind): number => findings.filter((finding) => finding.kind === one).length
  const isOrphan = (finding: (typeof findings)[number]): number => Number(finding.kind === 'orphan')
  return {
    hasDocument,
    from: new Date(Date.now() - LEARNED_DAYS * DAY_MS).toISOString(),
    counts: {
      shadow: countOf('shadow'),
      orphan: countOf('orphan'),
      zombie: countOf('zombie'),
      drift: countOf('drift'),
    },
    items: findings
      .filter((finding) => kind === undefined || finding.kind === kind)
      .sort((left, right) => isOrphan(left) - isOrphan(right))
      .slice(0, FINDINGS_MAX)
      .map((finding) => ({
        kind: finding.kind,
        operation: present(finding.operation),
        differences: [...finding.differences],
      })),
  }
}

/** The operations on the API of a site. */
export const createApiOperationService = (deps: ApiOperationDeps) =>
  bindDependencies(deps, { list, confirm, unconfirm, compare })

export type ApiOperationService = ReturnType<typeof createApiOperationService>
