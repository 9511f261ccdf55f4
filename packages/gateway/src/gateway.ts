/** Puts the gateway together: configuration in, data plane started, record out. */
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { createCredentialsReveal, createInvitationAcceptance } from './control-plane/control-client.ts'
import { FeedClient } from './control-plane/feed-client.ts'
import { createOriginPools, startDataPlane } from './data-plane.ts'
import { startRecorder } from './record/start-recorder.ts'
import type { GatewaySettings, Log } from './settings.ts'
import { makeOwnFolder } from './snapshot/own-files.ts'
import { createCounters } from './stages/limit/create-counters.ts'
import { createAssertionSigner } from './upstream/forward/assertion.ts'

export interface Gateway {
  /** Where researchers reach it. */
  readonly http: AddressInfo
  /** Null where the settings name no certificates. */
  readonly https: AddressInfo | null
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
  const { gatewayId, controlUrl, gatewayToken } = settings
  const snapshots = await FeedClient.start({
    controlUrl,
    gatewayToken,
    lastGoodPath: join(settings.dataDir, 'snapshot.ndjson'),
    log,
  })
  const report = () => ({
    gatewayId,
    revision: snapshots.current.revision,
    assertionKeys: assertions.keys,
    health: origins.drainHealthChanges(),
  })
  const recorder = await startRecorder({
    directory: join(settings.dataDir, 'journal'),
    journal: settings.journal,
    controlUrl,
    gatewayToken,
    report,
    log,
  })
  const counters = await createCounters(settings.valkeyUrl, log)
  const unsubscribe = snapshots.onSwap(() => recorder.reportNow())
  const whyNotReady = () => (snapshots.current.revision > 0 ? null : 'no configuration received yet')
  const onUnexpected = (error: unknown, requestId: string) =>
    logger.error({ err: error, requestId }, 'a request could not be judged')
  const dataPlane = await startDataPlane({
    settings,
    snapshots,
    recorder,
    origins,
    assertions,
    counters,
    whyNotReady,
    onUnexpected,
    revealCredentials: createCredentialsReveal({ controlUrl, gatewayToken, gatewayId }),
    acceptInvitation: createInvitationAcceptance({ controlUrl, gatewayToken, gatewayId }),
    log,
  })
  logger.info({ port: dataPlane.http.port, adminPort: dataPlane.admin.port }, 'the gateway listens')
  return {
    http: dataPlane.http,
    https: dataPlane.https,
    admin: dataPlane.admin,
    async close() {
      await dataPlane.close()
      unsubscribe()
      await counters.close()
      await recorder.close()
      await snapshots.close()
    },
  }
}
