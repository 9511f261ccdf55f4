/** The config feed put together: the hub, the gateways' reports, and what keeps them in step with other processes. */
import {
  GATEWAY_LIVE_MS,
  type InstallationConfig,
  type JSONWebKeySet,
  type SiteHealth,
} from '@sallyport/contract'
import type { FastifyInstance } from 'fastify'
import type { CommittedChange, Database } from '../database/database.ts'
import type { Notifications } from '../database/notifications.ts'
import { addFeedRoute } from './feed-route.ts'
import type { GatewayState } from './gateway-store.ts'
import { createGatewayRegister, type GatewayRegister } from './gateways.ts'
import { createFeedHub } from './hub.ts'
import { openRevisionNotifier } from './revision-notifier.ts'

const LOOK_INTERVAL_MS = 1_000

export interface FeedOptions {
  readonly database: Database
  /** By which processes hear of each other's commits. */
  readonly notifications: Notifications
  readonly gatewayToken: string
  /** What holds for the whole installation. */
  readonly installation: InstallationConfig
  readonly failed: (error: unknown) => void
}

export interface Feed {
  readonly gateways: Pick<GatewayRegister, 'reported' | 'live' | 'publishedKeys'>
  /** Told of commits of this process. */
  committed(change: CommittedChange): void
  /** Whether a live gateway runs an older revision than the last change of the site. */
  isDeploymentProgress(siteId: string): boolean
  healthOf(siteId: string): SiteHealth
  addRoutes(app: FastifyInstance): void
  close(): Promise<void>
}

export async function createFeed(options: FeedOptions): Promise<Feed> {
  const { database, notifications, gatewayToken, installation, failed } = options
  const gateways = createGatewayRegister(database)
  const hub = await createFeedHub({ database, installation, failed })
  const notifier = openRevisionNotifier({
    notifications,
    heard: () => void hub.refresh().catch(failed),
    failed,
  })

  const tick = async (): Promise<void> => {
    await Promise.all([hub.refresh(), gateways.synchronize()]).catch(failed)
    hub.acknowledged(gateways.lowestLiveRevision())
  }
  let ticking: Promise<void> = tick()
  const timer = setInterval(() => {
    ticking = ticking.then(tick)
  }, LOOK_INTERVAL_MS)

  const isDeploymentProgress = (siteId: string): boolean => {
    const changedAt = hub.pendingRevision(siteId)
    return changedAt > 0 && gateways.lowestLiveRevision() < changedAt
  }
  return {
    gateways,
    committed(change) {
      hub.committed(change)
      notifier.notify(change.revision)
    },
    isDeploymentProgress,
    healthOf: (siteId) => healthOf(siteId, gateways.live(), hub.pendingRevision(siteId)),
    addRoutes(app) {
      addFeedRoute(app, { hub, gatewayToken })
      app.get('/.well-known/sallyport/jwks.json', async (_request, reply): Promise<JSONWebKeySet> => {
        reply.header('cache-control', `max-age=${GATEWAY_LIVE_MS / 1000}`)
        return gateways.publishedKeys()
      })
    },
    async close() {
      clearInterval(timer)
      await ticking
      notifier.close()
    },
  }
}

const WORSE = ['unknown', 'healthy', 'failing', 'open'] as const

function healthOf(siteId: string, gateways: readonly GatewayState[], changedAt: number): SiteHealth {
  const told = gateways.flatMap(({ id, revision, health }) => {
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
  const worst = Math.max(0, ...told.map(({ state }) => WORSE.indexOf(state)))
  return { siteId, state: WORSE[worst] ?? 'unknown', gateways: told }
}
