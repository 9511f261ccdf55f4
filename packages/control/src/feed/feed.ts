/** The config feed: the hub, the gateways' reports, and what keeps them in step with other processes. */
import {
  GATEWAY_LIVE_MS,
  type InstallationConfig,
  type JSONWebKeySet,
  type SiteHealth,
} from '@sallyport/contract'
import type { FastifyInstance } from 'fastify'
import type { CommittedChange, Database } from '../database/database.ts'
import type { Notifications } from '../database/notifications.ts'
import type { GatewayAccess } from '../gateway-access/gateway-access.ts'
import { isServedIn } from '../gateway-access/gateway-scope.ts'
import { addFeedRoute } from './feed-route.ts'
import type { GatewayState } from './gateway-store.ts'
import { createGatewayRegister, type GatewayRegister, type GatewayStanding } from './gateways.ts'
import { createFeedHub } from './hub.ts'
import { addLeaseRoute } from './lease-route.ts'
import { RevisionAges } from './revisions/revision-ages.ts'
import { openRevisionNotifier } from './revisions/revision-notifier.ts'

const LOOK_INTERVAL_MS = 1_000

export interface FeedOptions {
  readonly database: Database
  /** By which processes hear of each other's commits. */
  readonly notifications: Notifications
  readonly access: GatewayAccess
  /** What holds for the whole installation. */
  readonly installation: InstallationConfig
  readonly failed: (error: unknown) => void
}

/** How far the configuration has come. */
export interface FeedProgress {
  /** Gateways that follow the feed of this process. */
  readonly followers: number
  readonly revision: number
  /** Gateways that were heard of in the last seconds, by any control process. */
  readonly liveGateways: number
  /** By how many revisions the slowest of them is behind, and for how long. */
  readonly revisionLag: number
  readonly lagSeconds: number
}

export interface Feed {
  readonly gateways: Pick<GatewayRegister, 'reported'>
  /** Called for each commit of this process. */
  committed(change: CommittedChange): void
  /**
   * Whether a gateway that may still serve the site runs an older revision than the last change of it, or of its organization:
   * one that is heard of, or whose lease has not run out.
   */
  isDeploymentProgress(siteId: string, orgId: string): boolean
  /** The same of an organization alone: its kill switch, its lease. */
  isOrganizationDeploying(orgId: string): boolean
  healthOf(siteId: string, orgId: string): SiteHealth
  /** The gateways that an organization has not forgotten, by name. */
  gatewaysOf(orgId: string): readonly GatewayStanding[]
  /** Reads what has been said of gateways, by this process or another. */
  synchronizeGateways(): Promise<void>
  progress(): FeedProgress
  addRoutes(app: FastifyInstance): void
  close(): Promise<void>
}

export async function createFeed(options: FeedOptions): Promise<Feed> {
  const { database, notifications, access, installation, failed } = options
  const gateways = createGatewayRegister(database, access.scopeOf)
  await gateways.synchronize()
  const hub = await createFeedHub({ database, installation, failed, since: gateways.lowestRevision() })
  const notifier = openRevisionNotifier({
    notifications,
    heard: () => void hub.refresh().catch(failed),
    failed,
  })

  const ages = new RevisionAges()
  const lowestLive = (): number => Math.min(hub.revision, ...gateways.live().map(({ revision }) => revision))
  const tick = async (): Promise<void> => {
    await Promise.all([hub.refresh(), gateways.synchronize()]).catch(failed)
    hub.acknowledged(gateways.lowestRevision())
    ages.note(hub.revision, lowestLive(), performance.now())
  }
  let ticking: Promise<void> = tick()
  const timer = setInterval(() => {
    ticking = ticking.then(tick)
  }, LOOK_INTERVAL_MS)

  const isRunBefore = (changedAt: number, orgId: string): boolean =>
    changedAt > 0 && gateways.mayServeBefore(changedAt, orgId)
  const changeOf = (orgId: string): number => hub.pendingRevision('organization', orgId)
  return {
    gateways,
    committed(change) {
      hub.committed(change)
      notifier.notify(change.revision)
    },
    isDeploymentProgress: (siteId, orgId) =>
      isRunBefore(Math.max(hub.pendingRevision('site', siteId), changeOf(orgId)), orgId),
    isOrganizationDeploying: (orgId) => isRunBefore(changeOf(orgId), orgId),
    healthOf: (siteId, orgId) =>
      healthOf(siteId, gateways.liveOf(orgId), hub.pendingRevision('site', siteId)),
    gatewaysOf: gateways.standings,
    synchronizeGateways: gateways.synchronize,
    progress: () => ({
      followers: hub.followers,
      revision: hub.revision,
      liveGateways: gateways.live().length,
      revisionLag: hub.revision - lowestLive(),
      lagSeconds: ages.lagMs(lowestLive(), performance.now()) / 1_000,
    }),
    addRoutes(app) {
      addFeedRoute(app, { hub, access })
      addLeaseRoute(app, { gateways, access })
      const config = { operation: 'assertionKeys' }
      app.get<{ Querystring: { organization?: unknown } }>(
        '/.well-known/sallyport/jwks.json',
        { config },
        async ({ query }, reply): Promise<JSONWebKeySet> => {
          reply.header('cache-control', `max-age=${GATEWAY_LIVE_MS / 1000}`)
          const { organization } = query
          const mayVouch = (id: string): boolean =>
            organization === undefined || isServedIn(access.scopeOf(id).organizations, String(organization))
          return gateways.publishedKeys((id) => access.standingOf(id) !== 'revoked' && mayVouch(id))
        },
      )
    },
    async close() {
      clearInterval(timer)
      await ticking
      notifier.close()
      hub.close()
    },
  }
}

const WORSE = ['unknown', 'healthy', 'failing', 'open'] as const

function healthOf(siteId: string, gateways: readonly GatewayState[], changedAt: number): SiteHealth {
  const reports = gateways.flatMap(({ id, revision, health }) => {
    const one = health.get(siteId)
    if (!one) return []
    const { state, reason, since } = one
    return [
      {
        gatewayId: id,
        state,
        reason,
        since: new Date(since).toISOString(),
        isUpToDate: revision >= changedAt,
      },
    ]
  })
  const worst = Math.max(0, ...reports.map(({ state }) => WORSE.indexOf(state)))
  return { siteId, state: WORSE[worst] ?? 'unknown', gateways: reports }
}
