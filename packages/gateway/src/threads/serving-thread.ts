/**
 * A thread that serves requests: the whole data plane, with a journal of its own. Its configuration, leases and closures come from the
 * main thread, and what must be exact over all threads is counted in memory that all of them share.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { Closures } from '../closures/closures.ts'
import { createCredentialsReveal, createInvitationAcceptance } from '../control-plane/control-client.ts'
import { ControlUrls } from '../control-plane/control-urls.ts'
import { GatewayCredential } from '../control-plane/credential.ts'
import { createOriginPools, type ServingPlane, startServing } from '../data-plane.ts'
import { startGatewayTracing } from '../exchange/tracing.ts'
import type { CallThrottles, ThrottledCall } from '../gate-host/call-throttle.ts'
import { RecentRequests } from '../gate-host/recent-requests.ts'
import { Lease } from '../lease/lease.ts'
import { createGatewayLog } from '../log.ts'
import { startRecorder } from '../record/start-recorder.ts'
import type { GatewaySettings } from '../settings.ts'
import { SnapshotCopy } from '../snapshot/copies/snapshot-copy.ts'
import { RuleEngines } from '../stages/firewall/rule-engines.ts'
import { createPreparation } from '../stages/firewall/table-file.ts'
import { createCounters } from '../stages/limit/create-counters.ts'
import { type LimiterMemories, ThreadCounters } from '../stages/limit/thread-counters.ts'
import { createAssertionSigner } from '../upstream/forward/assertion.ts'
import { Channel, portOf } from './channel.ts'
import { journalFolder } from './journal-folders.ts'
import type { MainQuestions, ServingAddresses, ThreadQuestions, ThreadStart } from './messages.ts'
import { ThreadBoard } from './thread-board.ts'
import { ThreadSenderCounts } from './thread-sender-counts.ts'
import { HEARTBEAT_INTERVAL_MS } from './watch/hang-watch.ts'

/** How often a thread says what it has of which nobody asks. */
const NEWS_INTERVAL_MS = 250

const { settings, thread, threads, board: boardMemory, assertionKeys, ticketKeys } = workerData as ThreadStart
if (!parentPort) throw new Error('this is run in a thread of a gateway')
const { logger, log, flush } = createGatewayLog(settings.logLevel, { thread })
const board = new ThreadBoard(threads, boardMemory)
const snapshots = new SnapshotCopy()
const closures = Closures.inMemory()
const lease = new Lease()
const controlUrls = new ControlUrls(settings.controlUrls)
const credential = new GatewayCredential(settings.gatewayToken)
const recent = new RecentRequests()
setInterval(() => board.beat(thread), HEARTBEAT_INTERVAL_MS)
/** What serves, and that while it is being started. */
let serving: Awaited<ReturnType<typeof serve>> | undefined
let starting: ReturnType<typeof serve> | undefined
let stopTracing: (() => Promise<void>) | undefined

const main = new Channel<MainQuestions, ThreadQuestions>(portOf(parentPort), {
  snapshotPart: (part) => void snapshots.take(part),
  closures: (closed) => void closures.mirror(closed),
  controlUrl: (url) => void controlUrls.moveTo(url),
  credential: (shown) => void credential.replace(shown),
  vouched: (moment) => void lease.vouchedAt(moment),
  serve: async () => {
    starting = serve()
    serving = await starting
    return serving.addresses
  },
  measure: () => {
    if (!serving) throw new Error('nothing is served yet')
    return serving.plane.measure()
  },
  recentRequests: ({ researcherId, siteId }) => recent.list(researcherId, siteId),
  stop: async () => {
    // A thread that is ended while it hands its rules to the native engine takes the process with it.
    const started = await starting?.catch(() => undefined)
    await started?.stop()
    await stopTracing?.()
    flush()
    setImmediate(() => process.exit(0))
    return undefined
  },
})

const memories: LimiterMemories = {
  take: (key, limiter) => main.ask('takeLimiter', { key, settings: limiter }),
  drop: (key) => main.tell('dropLimiter', key),
}

/** What several threads have together must not be more than one would have: each has a part of what cannot be shared. */
function partOf({ limits, journal, ...rest }: GatewaySettings): GatewaySettings {
  const part = (number: number): number => Math.max(1, Math.floor(number / threads))
  return {
    ...rest,
    journal: { ...journal, totalBytesMax: part(journal.totalBytesMax), sharers: threads },
    limits: {
      ...limits,
      originConnectionsMax: part(limits.originConnectionsMax),
      originConnectionsPerResearcherMax: part(limits.originConnectionsPerResearcherMax),
    },
  }
}

async function serve() {
  const own = partOf(settings)
  stopTracing = await startGatewayTracing(own, log)
  const { gatewayId } = own
  const assertions = await createAssertionSigner(assertionKeys)
  const origins = await createOriginPools(own)
  const sharers = threads + 1
  const [recorder, counters] = await Promise.all([
    startRecorder({
      directory: journalFolder(own.dataDir, thread),
      journal: own.journal,
      controlUrls,
      credential,
      report: () => ({
        gatewayId,
        revision: board.revision,
        assertionKeys: assertions.keys,
        health: [],
      }),
      amongOthers: {
        journalNumber: thread,
        waiting: (waiting) => {
          board.noteWaiting(thread, waiting)
          return board.waiting
        },
      },
      log,
    }),
    createCounters(own, log, new ThreadCounters({ memories, sharer: thread, sharers })),
  ])
  // By itself: where something fails before, the thread is not ended amid it.
  const prepare = inTurn(createPreparation(own.dataDir, log))
  const engines = await RuleEngines.start({ snapshots, prepare, log })
  const plane = await startServing({
    settings: own,
    snapshots,
    lease,
    closures,
    recorder,
    origins,
    assertions,
    counters,
    engines,
    onUnexpected: (error, requestId) =>
      logger.error({ err: error, requestId }, 'a request could not be judged'),
    revealCredentials: createCredentialsReveal({ controlUrls, credential, gatewayId }),
    acceptInvitation: createInvitationAcceptance({ controlUrls, credential, gatewayId }),
    shared: {
      threads,
      senders: new ThreadSenderCounts(memories, thread, sharers),
      connections: board.connectionsOf(thread),
      redeem: ({ id, issuedAt }, now) => main.ask('redeem', { id, issuedAt, now }),
      throttles: throttlesOfMain(),
      recent: {
        note: (exchange) => recent.note(exchange),
        list: (researcherId, siteId) => main.ask('recentRequests', { researcherId, siteId }),
      },
      ticketKeys: Buffer.from(ticketKeys),
    },
    log,
  })
  const tellNews = startNews({
    readiness: () => (engines.isReady ? null : "the firewall's rules are being prepared"),
    tell: () => {
      const { pending, pendingBytes, damagedBytes } = recorder.progress()
      board.noteWaiting(thread, { pending, pendingBytes, damagedBytes })
      const health = origins.drainHealthChanges(snapshots.current)
      if (health.length > 0) main.tell('originHealth', health)
    },
  })
  return {
    plane,
    addresses: addressesOf(plane),
    async stop() {
      await plane.close()
      clearInterval(tellNews)
      engines.close()
      await counters.close()
      await recorder.close()
    },
  }
}

const addressesOf = ({ http, https, proxy }: ServingPlane): ServingAddresses => ({ http, https, proxy })

interface News {
  readonly readiness: () => string | null
  readonly tell: () => void
}

function startNews({ readiness, tell }: News): NodeJS.Timeout {
  let said: string | null | undefined
  const sayAll = (): void => {
    const why = readiness()
    if (why !== said) main.tell('readiness', why)
    said = why
    tell()
  }
  sayAll()
  return setInterval(sayAll, NEWS_INTERVAL_MS)
}

/** Lets one thread prepare at a time: those after it find what it has written. */
function inTurn<Asked, Prepared>(
  prepare: (asked: Asked) => Promise<Prepared>,
): (asked: Asked) => Promise<Prepared> {
  return async (asked) => {
    await main.ask('tableTurn', undefined)
    try {
      return await prepare(asked)
    } finally {
      main.tell('tableTurnOver', undefined)
    }
  }
}

function throttlesOfMain(): CallThrottles {
  const admit = (call: ThrottledCall) => (caller: string, now: number) =>
    main.ask('admitCall', { call, caller, now })
  return {
    attempts: admit('attempts'),
    reveals: admit('reveals'),
    codes: admit('codes'),
    lists: admit('lists'),
  }
}
