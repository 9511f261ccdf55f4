/**
 * The gateways as an organization sees them, and its word that it waits for one of them no longer. Who is let in concerns the whole
 * installation: an organization decides it only where it is the only one.
 */
import type { ListedGateway } from '@sallyport/contract'
import type { Database } from '../../database/database.ts'
import { hasOtherOrganization } from '../../database/rows.ts'
import { notFound, ProblemError } from '../../errors.ts'
import type { Feed } from '../../feed/feed.ts'
import { issueEnrolmentToken, revokeGateway } from '../../gateway-access/enrolment.ts'
import type { GatewayAccess } from '../../gateway-access/gateway-access.ts'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import type { RequestContext } from '../../http/context.ts'
import type { QueryOf } from '../../http/handlers.ts'
import { pageOfRows } from '../../http/request/paging.ts'
import * as store from './store.ts'

export interface GatewayDeps {
  readonly database: Database
  readonly feed: Pick<Feed, 'gatewaysOf' | 'synchronizeGateways'>
  readonly access: Pick<GatewayAccess, 'standingOf' | 'refresh'>
}

type Standing = ReturnType<Feed['gatewaysOf']>[number]

async function list(
  { database, feed, access }: GatewayDeps,
  { orgId }: RequestContext,
  query: QueryOf<'gatewaysList'>,
) {
  const [revisions, siteIds] = await database.read(orgId, (tx) =>
    Promise.all([store.readRevisions(tx, orgId), store.listSiteIds(tx, orgId)]),
  )
  const after = query.cursor ?? ''
  const rows = feed.gatewaysOf(orgId).filter(({ gateway }) => gateway.id > after)
  return pageOfRows(
    rows.slice(0, query.limit + 1),
    query.limit,
    ({ gateway }) => gateway.id,
    (standing) => ({
      ...presentGateway(standing, revisions, siteIds),
      credential: access.standingOf(standing.gateway.id),
    }),
  )
}

async function forget({ database, feed }: GatewayDeps, context: RequestContext, id: string): Promise<void> {
  const { orgId } = context
  const standing = feed.gatewaysOf(orgId).find(({ gateway }) => gateway.id === id)
  if (!standing) throw notFound()
  if (standing.state === 'serving')
    throw new ProblemError('conflict', { detail: 'This gateway is heard of: stop it before you forget it.' })
  const { lastSeen, mayServeUntil } = instantsOf(standing)
  await database.change(context, async (tx) => {
    if ((await store.insertForgotten(tx, orgId, id, lastSeen)) === undefined) throw notFound()
    tx.record({
      action: 'gateway.forget',
      target: { kind: 'gateway', id },
      before: { revision: standing.gateway.revision, lastSeen, state: standing.state, mayServeUntil },
      after: null,
    })
  })
  await feed.synchronizeGateways()
}

async function enroll({ database }: GatewayDeps, context: RequestContext, gatewayId: string | null) {
  await requireAlone(database, context.orgId, 'token')
  const purpose = { gatewayId, organizations: null }
  const { token, expires } = await database.change(context, (tx) =>
    issueEnrolmentToken(tx, purpose, context.actor.email),
  )
  return { token, gatewayId, expires }
}

async function revoke({ database, access }: GatewayDeps, context: RequestContext, id: string): Promise<void> {
  await requireAlone(database, context.orgId, 'revoke')
  if (!(await database.change(context, (tx) => revokeGateway(tx, id))))
    throw new ProblemError('conflict', { detail: 'This gateway has no credential of its own that holds.' })
  await access.refresh()
}

/** A gateway reads what every organization has. */
async function requireAlone(database: Database, orgId: string, command: string): Promise<void> {
  if (await database.readInstallation((tx) => hasOtherOrganization(tx, orgId)))
    throw new ProblemError('conflict', {
      detail: `This installation serves several organizations: its operator does this, by \`sallyport gateways ${command}\`.`,
    })
}

/** The operations on gateways. */
export const createGatewayService = (deps: GatewayDeps) =>
  bindDependencies(deps, { list, forget, enroll, revoke })

export type GatewayService = ReturnType<typeof createGatewayService>

const instantsOf = ({ gateway, mayServeUntil }: Standing) => ({
  lastSeen: new Date(gateway.seenAt).toISOString(),
  mayServeUntil: mayServeUntil === null ? null : new Date(mayServeUntil).toISOString(),
})

function presentGateway(
  standing: Standing,
  revisions: store.Revisions,
  siteIds: ReadonlySet<string>,
): Omit<ListedGateway, 'credential'> {
  const { gateway, state } = standing
  const origins = { healthy: 0, failing: 0, open: 0 }
  // What one found that is not heard of any more, it may not find now.
  if (state === 'serving')
    for (const [siteId, health] of gateway.health) if (siteIds.has(siteId)) origins[health.state] += 1
  return {
    id: gateway.id,
    version: gateway.version,
    state,
    revision: gateway.revision,
    lag: Math.max(0, revisions.present - gateway.revision),
    isConfirmed: gateway.revision >= revisions.own,
    origins,
    ...instantsOf(standing),
  }
}
