/**
 * The data plane: servers, pipeline, upstream. Where its configuration comes from and where its record goes are
 * passed in, so that it can be tried without a control plane.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { AddressInfo, Server } from 'node:net'
import { createAddressPolicy } from '@sallyport/policy'
import { createAdminServer } from './admin/admin-server.ts'
import { createClosureCalls } from './admin/closure-calls.ts'
import { createMetrics, type MeasuredParts } from './admin/metrics.ts'
import { TrafficCounts } from './admin/traffic-counts.ts'
import { type TrafficMeasures, threadProcessorMs } from './admin/traffic-measures.ts'
import { Behaviours } from './behaviour/behaviours.ts'
import type { Closures } from './closures/closures.ts'
import type { AcceptInvitation } from './control-plane/control-client.ts'
import { createRecognizers } from './credentials/callers.ts'
import { type RedeemCode, RedeemedCodes } from './credentials/sign-in-code.ts'
import { createArrivals } from './downstream/arrival/arrivals.ts'
import {
  type ConnectionCount,
  ConnectionLimiter,
  OwnConnectionCount,
} from './downstream/connections/connection-limiter.ts'
import { WorkBudget } from './downstream/connections/work-budget.ts'
import { createHttpServer } from './downstream/http1/http-server.ts'
import { createProxyListener } from './downstream/proxy/proxy-listener.ts'
import { Certificates } from './downstream/tls/certificates.ts'
import { createTlsListener } from './downstream/tls/tls-server.ts'
import type { Exchange } from './exchange/exchange.ts'
import { LiveExchanges } from './exchange/live-exchanges.ts'
import { OwnSenderCounts, type SenderCounts } from './exchange/sender-counts.ts'
import { traceExchange } from './exchange/tracing.ts'
import { type CallThrottles, createCallThrottles } from './gate-host/call-throttle.ts'
import { loadPageFiles } from './gate-host/page-files.ts'
import { RecentRequests, type RecentSource } from './gate-host/recent-requests.ts'
import type { Lease } from './lease/lease.ts'
import type { Recorder } from './record/recorder.ts'
import { createRequestHandler, type HandlerServices } from './serve/handle-request.ts'
import { createConnectJudge } from './serve/judge-connect.ts'
import { createStages } from './serve/pipeline.ts'
import { createMalformedRecorder, createUnreadableHandler } from './serve/unreadable.ts'
import { whyEnded } from './serve/why-ended.ts'
import type { GatewaySettings, Log } from './settings.ts'
import type { Snapshot, SnapshotSource } from './snapshot/snapshot.ts'
import type { RuleEngines } from './stages/firewall/rule-engines.ts'
import type { Counters } from './stages/limit/counters.ts'
import type { AssertionSigner } from './upstream/forward/assertion.ts'
import { OriginPools } from './upstream/pool/origin-pools.ts'

/** What serving requests needs. */
export interface ServingParts {
  readonly settings: GatewaySettings
  readonly snapshots: SnapshotSource
  /** Until when what is served is vouched for. */
  readonly lease: Lease
  /** What the operator has closed at this gateway. */
  readonly closures: Closures
  readonly recorder: Recorder
  readonly origins: OriginPools
  readonly assertions: AssertionSigner
  /** Where requests are counted for rate limits. */
  readonly counters: Counters
  /** What the firewall judges by. */
  readonly engines: Pick<RuleEngines, 'current'>
  readonly onUnexpected: (error: unknown, requestId: string) => void
  /** Asks the control plane for the credentials of the site of an exchange; null where there are none. */
  readonly revealCredentials: (exchange: Exchange) => Promise<string | null>
  /** Uses up an invitation at the control plane. */
  readonly acceptInvitation: AcceptInvitation
  /** What several threads of a gateway share; where there is one, all of it is its own. */
  readonly shared?: SharedParts
  readonly log: Log
}

/** What threads that serve the same ports keep together. */
export interface SharedParts {
  readonly threads: number
  readonly senders: SenderCounts
  readonly connections: ConnectionCount
  readonly redeem: RedeemCode
  readonly throttles: CallThrottles
  readonly recent: RecentSource
  /** By which the sessions of TLS that one thread began are resumed by another. */
  readonly ticketKeys: Buffer
}

const ownParts = (): Omit<SharedParts, 'ticketKeys'> => {
  const redeemed = new RedeemedCodes()
  return {
    threads: 1,
    senders: new OwnSenderCounts(),
    connections: new OwnConnectionCount(),
    redeem: (code, now) => redeemed.redeem(code, now),
    throttles: createCallThrottles(),
    recent: new RecentRequests(),
  }
}

/** What the operator's port needs. */
export interface AdminParts extends Pick<MeasuredParts, 'revision' | 'threads' | 'threadRestarts'> {
  readonly settings: GatewaySettings
  readonly snapshots: SnapshotSource
  readonly lease: Lease
  /** Whether the control plane grants leases now. */
  readonly isLeaseGranted: () => boolean
  readonly closures: Closures
  /** Why the gateway is not ready to serve; null where it is. */
  readonly whyNotReady: () => string | null
  readonly log: Log
}

export type DataPlaneParts = ServingParts & Omit<AdminParts, 'revision' | 'threads' | 'threadRestarts'>

/** Listeners that serve requests. */
export interface ServingPlane {
  readonly http: AddressInfo
  /** Null where the settings name no certificates. */
  readonly https: AddressInfo | null
  /** Null where the settings name no port for it. */
  readonly proxy: AddressInfo | null
  measure(): TrafficMeasures
  /** Stops taking requests, lets those under way finish within the drain time, then cuts the rest. */
  close(): Promise<void>
}

export interface DataPlane extends Omit<ServingPlane, 'measure'> {
  readonly admin: AddressInfo
}

/** How often live exchanges and idle connections are looked at: what closes by the clock closes within this. */
const TICK_MS = 250

/** Starts a data plane of one thread; resolves when it listens. */
export async function startDataPlane(parts: DataPlaneParts): Promise<DataPlane> {
  const { measure, close, ...addresses } = await startServing(parts)
  const admin = await startAdmin({
    ...parts,
    revision: () => parts.snapshots.current.revision,
    threads: () => [measure()],
    threadRestarts: () => 0,
  })
  return {
    ...addresses,
    admin: admin.address,
    async close() {
      await Promise.all([close(), admin.close()])
    },
  }
}

/** The operator's port. */
export interface AdminPort {
  readonly address: AddressInfo
  close(): Promise<void>
}

/** Starts the operator's port; resolves when it listens. */
export async function startAdmin(parts: AdminParts): Promise<AdminPort> {
  const { settings, snapshots, lease, closures } = parts
  const server = createAdminServer({
    version: settings.version,
    whyNotReady: parts.whyNotReady,
    metrics: createMetrics({
      version: settings.version,
      isReady: () => parts.whyNotReady() === null,
      revision: parts.revision,
      lease: () => ({ ageMs: lease.ageMs, isGranted: parts.isLeaseGranted() }),
      threads: parts.threads,
      threadRestarts: parts.threadRestarts,
    }),
    answerClosures: createClosureCalls({ closures, snapshots, adminToken: settings.adminToken }),
  })
  await listen(server, settings.adminPort, settings.adminHost)
  reportErrors(server, parts.log)
  return {
    address: addressOf(server),
    async close() {
      const closed = closeServer(server)
      server.closeAllConnections()
      await closed
    },
  }
}

/** Serves requests; resolves when it listens. */
export async function startServing(parts: ServingParts): Promise<ServingPlane> {
  const { settings, snapshots, lease, closures, recorder, origins, engines } = parts
  const shared: SharedParts | Omit<SharedParts, 'ticketKeys'> = parts.shared ?? ownParts()
  const live = new LiveExchanges(shared.senders)
  const firewallStatistics = { overruns: 0, longestUs: 0 }
  const counts = new TrafficCounts()
  const behaviours = new Behaviours()
  const { recent, throttles } = shared
  const pageFiles = settings.researcherPageDir ? await loadPageFiles(settings.researcherPageDir) : new Map()
  const recognizers = createRecognizers()
  const services: HandlerServices = {
    ...parts,
    recognizers,
    gatewayId: settings.gatewayId,
    limits: settings.limits,
    live,
    stages: createStages({
      recognizers,
      pageFiles,
      gateHost: {
        snapshots,
        lease,
        closures,
        recent,
        throttles,
        running: (researcherId) => live.countOf(researcherId),
        runningMax: settings.limits.streamsPerResearcherMax,
        left: (siteId, researcherId, policy) => parts.counters.peek(siteId, researcherId, policy),
        revealCredentials: parts.revealCredentials,
        acceptInvitation: parts.acceptInvitation,
      },
      lease,
      closures,
      counters: parts.counters,
      engines,
      firewallStatistics,
      threads: shared.threads,
      redeem: shared.redeem,
    }),
    onEnding: (exchange) => behaviours.judge(exchange),
    onFinished: (exchange) => {
      counts.count(exchange)
      recent.note(exchange)
      traceExchange(exchange)
    },
  }
  const handle = createRequestHandler(services)
  const limiter = new ConnectionLimiter(settings.limits.connectionsMax, shared.connections)
  const budget = new WorkBudget()
  const { limits } = settings
  const onUnreadable = createUnreadableHandler(services)
  const createListener = createArrivals({ settings, limiter, budget, log: parts.log })
  const http = createHttpServer(createListener, { limits, budget, handle, onUnreadable })
  const { server } = http
  const certificates = settings.tls && (await Certificates.load(settings.tls.directory, parts.log))
  const ticketKeys = parts.shared?.ticketKeys
  const tls =
    certificates &&
    createTlsListener(certificates, createListener, http, {
      limits,
      budget,
      ticketKeys,
      handle,
      onMalformed: createMalformedRecorder(services),
    })
  const proxy =
    tls && certificates && settings.tls?.proxyPort !== undefined
      ? createProxyListener(certificates, createListener, {
          ...{ limits, budget, ticketKeys, http, onUnreadable },
          takeTunnel: tls.takeTunnel,
          judgeConnect: createConnectJudge(services),
        })
      : null
  const cutEnded = (snapshot: Snapshot): void => {
    const present = { snapshot, lease, closures, now: Date.now() }
    live.cutWhere((exchange) => whyEnded(exchange, present))
  }
  const unsubscribe = [snapshots.onSwap(cutEnded), closures.onAct(() => cutEnded(snapshots.current))]
  const ticking = setInterval(() => {
    cutEnded(snapshots.current)
    live.sweep(performance.now())
    limiter.sweep(performance.now())
    budget.sweep(performance.now())
    origins.sweep(performance.now())
  }, TICK_MS)
  const reusePort = shared.threads > 1
  await listen(server, settings.port, settings.host, reusePort)
  if (tls && settings.tls) await listen(tls.server, settings.tls.port, settings.host, reusePort)
  if (proxy) await listen(proxy, settings.tls?.proxyPort ?? 0, settings.host, reusePort)
  const listeners = [server, ...(tls ? [tls.server] : []), ...(proxy ? [proxy] : [])]
  for (const listener of listeners) reportErrors(listener, parts.log)
  return {
    http: addressOf(server),
    https: tls && addressOf(tls.server),
    proxy: proxy && addressOf(proxy),
    measure: () => ({
      ...counts.read(),
      liveExchanges: live.size,
      firewall: firewallStatistics,
      originErrors: origins.errors,
      sharedLimits: parts.counters.shared ?? null,
      certificates: certificates ? certificates.expirations() : new Map(),
      journal: recorder.progress(),
      uploads: recorder.uploads,
      processorMs: threadProcessorMs(),
    }),
    async close() {
      const closed = Promise.all(listeners.map(closeServer))
      certificates?.close()
      http.drain()
      limiter.drain()
      await drained(live, settings.limits.drainTimeoutMs)
      for (const exchange of live.all()) exchange.cut('gateway_stopping')
      // Over TLS an answer is on its way for a moment.
      await drained(live, LAST_WORDS_MS)
      limiter.destroy()
      budget.close()
      clearInterval(ticking)
      for (const stop of unsubscribe) stop()
      await closed
      origins.close()
    },
  }
}

/** The origins as the settings allow them. Rejects where a file or a range named in the settings is not usable. */
export async function createOriginPools(settings: GatewaySettings): Promise<OriginPools> {
  const { limits, allowPrivateOrigins, originAuthoritiesFile } = settings
  const authorities = originAuthoritiesFile === null ? [] : [await readFile(originAuthoritiesFile, 'utf8')]
  return new OriginPools(limits, createAddressPolicy(allowPrivateOrigins), authorities)
}

async function listen(server: Server, port: number, host: string, reusePort = false): Promise<void> {
  server.listen({ port, host, reusePort })
  await once(server, 'listening')
}

/** A listener that could not accept a connection (too many open files, for one) goes on. */
function reportErrors(listener: Server, log: Log): void {
  listener.on('error', ({ message }) => log('error', `a listener could not accept a connection: ${message}`))
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}

/** A server that listens on TCP has such an address. */
const addressOf = (server: Server): AddressInfo => server.address() as AddressInfo

async function drained(live: LiveExchanges, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (live.size > 0 && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, DRAIN_CHECK_MS))
}
const DRAIN_CHECK_MS = 20
const LAST_WORDS_MS = 250
