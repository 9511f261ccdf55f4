/** Puts the gateway together: configuration in, data plane started, record out. */
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { pause } from '@sallyport/toolbox'
import { collectGarbage } from './collect-garbage.ts'
import { createCredentialsReveal, createInvitationAcceptance } from './control-plane/control-client.ts'
import type { FeedClient } from './control-plane/feed-client.ts'
import { drainOtherJournals, startControlSide } from './control-side.ts'
import { createOriginPools, startDataPlane } from './data-plane.ts'
import { startGatewayTracing } from './exchange/tracing.ts'
import { Lease } from './lease/lease.ts'
import { createGatewayLog } from './log.ts'
import { type RunningRecorder, startRecorder } from './record/start-recorder.ts'
import type { GatewaySettings, Log } from './settings.ts'
import { CompiledSnapshot } from './snapshot/compile.ts'
import { makeOwnFolder } from './snapshot/own-files.ts'
import { RuleEngines } from './stages/firewall/rule-engines.ts'
import { createPreparation } from './stages/firewall/table-file.ts'
import { createCounters } from './stages/limit/create-counters.ts'
import { journalFolder } from './threads/journal-folders.ts'
import { canSharePorts } from './threads/shared-ports.ts'
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
 *
 * A gateway that is started side by side with its control plane is given `expected`, which resolves when that one can be asked, or will not
 * come: what needs no control plane is made ready meanwhile, and it listens with the present configuration.
 */
export async function startGateway(settings: GatewaySettings, expected?: Promise<void>): Promise<Gateway> {
  keepShortLivedObjectsYoung()
  const { logger, log, flush } = createGatewayLog(settings.logLevel)
  const onUnexpected = (error: unknown, requestId: string) =>
    logger.error({ err: error, requestId }, 'a request could not be judged')
  await makeOwnFolder(settings.dataDir)
  const stopTracing = await startGatewayTracing(settings, log)
  const threads = await threadsOf(settings, log)
  const gateway =
    threads === 1
      ? await startAlone(settings, onUnexpected, log, expected)
      : await startSeveral(settings, threads, log, expected)
  logger.info({ port: gateway.http.port, adminPort: gateway.admin.port }, 'the gateway listens')
  const collecting = setTimeout(() => collectGarbage(), STARTED_MS).unref()
  return {
    ...gateway,
    close: async () => {
      clearTimeout(collecting)
      await gateway.close()
      await stopTracing()
      flush()
    },
  }
}

/**
 * When what a start leaves behind is collected. Nothing else would do it in a gateway with little to do: some seconds after a
 * collection V8 finds that little is allocated, and gives back 15 MiB in small steps.
 */
const STARTED_MS = 5_000

/**
 * Has V8 make every object young. It would watch for each place of the code whether what is made there lives long, and make it old
 * from then on. Where clients repeat their headers, what a head is read into does live long; from the first client on that sends a new
 * value in each request it does not, but V8 asks no more: each request leaves its head in the old generation, and costs
 * half as much again. The flag is one of the process, for all of its threads.
 */
function keepShortLivedObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}

/** How many threads serve requests, so that each has some of the connections that an origin may be sent. */
async function threadsOf({ threads, limits }: GatewaySettings, log: Log): Promise<number> {
  if (threads === 1) return 1
  if (!(await canSharePorts())) {
    log('warn', 'this system lets only one thread listen on a port, so one serves requests')
    return 1
  }
  const most = Math.min(limits.originConnectionsMax, limits.originConnectionsPerResearcherMax)
  if (threads > most) log('warn', `an origin takes ${most} connections, so ${most} threads serve requests`)
  return Math.min(threads, most)
}

/** What it is made of is loaded only where it is used. */
async function startSeveral(
  settings: GatewaySettings,
  threads: number,
  log: Log,
  expected?: Promise<void>,
): Promise<Gateway> {
  const { startThreads } = await import('./threads/start-threads.ts')
  await expected
  return startThreads({ ...settings, threads }, log)
}

/** For so long, from when the control plane is expected, a gateway waits for the present configuration before it listens. */
const FOLLOWED_WAIT_MS = 1_000

async function untilFollowed(expected: Promise<void>, { followed }: FeedClient): Promise<void> {
  await expected
  const waiting = new AbortController()
  const waited = pause(FOLLOWED_WAIT_MS, waiting.signal)
  await Promise.race([followed, waited])
  waiting.abort()
}

/** Serves in this thread. */
async function startAlone(
  asked: GatewaySettings,
  onUnexpected: (error: unknown, requestId: string) => void,
  log: Log,
  expected?: Promise<void>,
): Promise<Gateway> {
  const settings = { ...asked, threads: 1 }
  const { gatewayId, dataDir } = settings
  const assertions = await createAssertionSigner()
  const origins = await createOriginPools(settings)
  const lease = new Lease()
  const control = await startControlSide(settings, lease, CompiledSnapshot.empty(), log, expected)
  const { controlUrls, credential, snapshots, closures } = control
  const state = () => ({ gatewayId, revision: snapshots.current.revision, assertionKeys: assertions.keys })
  const record = (): Promise<RunningRecorder> =>
    startRecorder({
      directory: journalFolder(dataDir, 0),
      journal: settings.journal,
      controlUrls,
      credential,
      report: () => ({ ...state(), health: origins.drainHealthChanges(snapshots.current) }),
      log,
    })
  const [recorder, counters, engines] = await Promise.all([
    expected === undefined ? record() : expected.then(record),
    createCounters(settings, log),
    RuleEngines.start({ snapshots, prepare: createPreparation(dataDir, log), log }),
    expected && untilFollowed(expected, snapshots),
  ])
  const leases = control.renewLeases(snapshots)
  const unsubscribe = snapshots.onSwap(() => recorder.reportNow())
  const drained = await drainOtherJournals(
    settings,
    control,
    () => ({ ...state(), health: [], journal: recorder.progress() }),
    log,
  )
  const dataPlane = await startDataPlane({
    ...{ settings, snapshots, lease, closures, recorder, origins, assertions, counters, engines },
    isLeaseGranted: () => leases.isGranting,
    whyNotReady: () => {
      if (snapshots.current.revision === 0) return 'no configuration received yet'
      return engines.isReady ? null : "the firewall's rules are being prepared"
    },
    onUnexpected,
    revealCredentials: createCredentialsReveal({ controlUrls, credential, gatewayId }),
    acceptInvitation: createInvitationAcceptance({ controlUrls, credential, gatewayId }),
    log,
  })
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
      await drained.close()
      await recorder.close()
      await control.close()
    },
  }
}
