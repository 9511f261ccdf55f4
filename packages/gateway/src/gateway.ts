/** Puts the gateway together: configuration in, data plane started, record out. */
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { Closures } from './closures/closures.ts'
import { ClosureReports } from './control-plane/closure-reports.ts'
import { createCredentialsReveal, createInvitationAcceptance } from './control-plane/control-client.ts'
import { ControlUrls } from './control-plane/control-urls.ts'
import { FeedClient } from './control-plane/feed-client.ts'
import { LeaseClient } from './control-plane/lease-client.ts'
import { createOriginPools, startDataPlane } from './data-plane.ts'
import { Lease } from './lease/lease.ts'
import { LeaseFile } from './lease/lease-file.ts'
import { startRecorder } from './record/start-recorder.ts'
import type { GatewaySettings, Log } from './settings.ts'
import { makeOwnFolder } from './snapshot/own-files.ts'
import { RuleEngines } from './stages/firewall/rule-engines.ts'
import { createPreparation } from './stages/firewall/table-file.ts'
import { createCounters } from './stages/limit/create-counters.ts'
import { createAssertionSigner } from './upstream/forward/assertion.ts'

export interface Gateway {
  /** Where researchers reach it. */
  readonly http: AddressInfo
  /** Null where the settings name no certificates. */
  readonly https: AddressInfo | null
  /** Where clients find it as their proxy; null where the settings name no port for that. */
  readonly proxy: AddressInfo | null
  /** Where the operator does. */
  readonly admin: AddressInfo
  /** Stops taking requests, lets running ones finish, hands over the record. */
  close(): Promise<void>
}

/**
 * Starts a gateway; resolves when it listens. It serves as soon as it has a snapshot, the last good one included; until
 * then every request is answered with the offline page.
 */
export async function startGateway(settings: GatewaySettings): Promise<Gateway> {
  const logger = pino({ level: settings.logLevel, name: 'gateway' })
  const log: Log = (level, line) => logger[level](line)
  await makeOwnFolder(settings.dataDir)
  const assertions = await createAssertionSigner()
  const origins = await createOriginPools(settings)
  const { gatewayId, gatewayToken } = settings
  const controlUrls = new ControlUrls(settings.controlUrls)
  const snapshots = await FeedClient.start({
    controlUrls,
    gatewayToken,
    silenceMaxMs: settings.controlSilenceMaxMs,
    lastGoodPath: join(settings.dataDir, 'snapshot.ndjson'),
    log,
  })
  const closures = await Closures.open(join(settings.dataDir, 'closures.json'), log)
  const reports = new ClosureReports({ controlUrls, gatewayToken, gatewayId }, closures)
  const lease = new Lease()
  const leaseFile = await LeaseFile.open(join(settings.dataDir, 'lease.json'), log)
  await leaseFile.restore(lease)
  const leases = new LeaseClient({
    controlUrls,
    gatewayToken,
    gatewayId,
    version: settings.version,
    lease,
    file: leaseFile,
    snapshots,
    log,
  })
  const report = () => ({
    gatewayId,
    revision: snapshots.current.revision,
    assertionKeys: assertions.keys,
    health: origins.drainHealthChanges(),
  })
  const [recorder, counters, engines] = await Promise.all([
    startRecorder({
      directory: join(settings.dataDir, 'journal'),
      journal: settings.journal,
      controlUrls,
      gatewayToken,
      report,
      log,
    }),
    createCounters(settings.valkeyUrl, log),
    RuleEngines.start({ snapshots, prepare: createPreparation(settings.dataDir, log), log }),
  ])
  const unsubscribe = snapshots.onSwap(() => recorder.reportNow())
  const whyNotReady = () => {
    if (snapshots.current.revision === 0) return 'no configuration received yet'
    return engines.isReady ? null : "the firewall's rules are being prepared"
  }
  const onUnexpected = (error: unknown, requestId: string) =>
    logger.error({ err: error, requestId }, 'a request could not be judged')
  const dataPlane = await startDataPlane({
    settings,
    snapshots,
    lease,
    closures,
    isLeaseGranted: () => leases.isGranting,
    recorder,
    origins,
    assertions,
    counters,
    engines,
    whyNotReady,
    onUnexpected,
    revealCredentials: createCredentialsReveal({ controlUrls, gatewayToken, gatewayId }),
    acceptInvitation: createInvitationAcceptance({ controlUrls, gatewayToken, gatewayId }),
    log,
  })
  logger.info({ port: dataPlane.http.port, adminPort: dataPlane.admin.port }, 'the gateway listens')
  return {
    http: dataPlane.http,
    https: dataPlane.https,
    proxy: dataPlane.proxy,
    admin: dataPlane.admin,
    async close() {
      await dataPlane.close()
      engines.close()
      unsubscribe()
      await counters.close()
      await recorder.close()
      await reports.close()
      await leases.close()
      await snapshots.close()
    },
  }
}
