/** The root of the control plane: databases, identity, features, feed and collector behind one server. */
import { hkdfSync, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { BATCHES_PATH } from '@sallyport/contract'
import { Repetitions } from '@sallyport/toolbox'
import { startTracing } from '@sallyport/tracing'
import type { Logger } from 'pino'
import { startAdminServer } from './admin/admin-server.ts'
import { type ControlMetrics, type ControlState, createControlMetrics } from './admin/control-metrics.ts'
import { tracedDatabase } from './admin/traced-database.ts'
import { addTrafficBackupRoute } from './backup/traffic-frames.ts'
import { type BatchReader, createBatchReader } from './collector/batch-reader/batch-reader.ts'
import { readerDied } from './collector/collector.ts'
import { openRetention, type Retention } from './collector/retention.ts'
import { openTraffic, type Traffic } from './collector/traffic.ts'
import { type CommittedChange, type Database, openDatabase } from './database/database.ts'
import { createTrafficLedger } from './database/ledger/traffic-ledger.ts'
import { migrate } from './database/migrate.ts'
import { type Notifications, openNotifications } from './database/notifications.ts'
import { resealAll } from './database/reseal.ts'
import { requireSession } from './database/server/require-server.ts'
import { newGroups } from './features/analytics/new-groups-store.ts'
import { siteTraffic } from './features/analytics/site-traffic.ts'
import { coverageDocument } from './features/coverage/coverage-document.ts'
import { addEvidenceKey } from './features/evidence/routes.ts'
import { createEvidenceService } from './features/evidence/service.ts'
import { createFeatures } from './features/features.ts'
import { addInvitationRoute } from './features/hackers/accept-invitation.ts'
import { projectEvidence } from './features/projects/checks/project-evidence.ts'
import { type ApiLearner, createApiLearner } from './features/sites/definition/api-learner.ts'
import { type RuleHealing, startRuleHealing } from './features/sites/definition-rule/heal-rules.ts'
import { createRuleCompiler, type RuleCompiler } from './features/sites/definition-rule/rule-compiler.ts'
import { createDocumentWorker, type DocumentWorker } from './features/sites/documents/document-worker.ts'
import { warnOfHiddenSite } from './features/sites/hidden-site.ts'
import {
  createOperationsInForce,
  type OperationsInForce,
} from './features/sites/operations/known-operations.ts'
import { type RouteLearning, startRouteLearning } from './features/sites/operations/learn-routes.ts'
import { readKnown } from './features/sites/operations/store.ts'
import { addRevealRoute } from './features/sites/reveal.ts'
import { createFeed, type Feed } from './feed/feed.ts'
import { addEnrolmentRoutes } from './gateway-access/enrolment-routes.ts'
import { type OpenGatewayAccess, openGatewayAccess } from './gateway-access/gateway-access.ts'
import { createApp, type Readiness } from './http/app.ts'
import { addConsole } from './http/console.ts'
import { createDocumentReader, type DocumentReader } from './http/documents/document-reader.ts'
import { createLog } from './http/log.ts'
import { addReference } from './http/openapi/reference.ts'
import { addOperations } from './http/operations.ts'
import { traceRequests } from './http/trace-requests.ts'
import { createIdentity, type Identity } from './identity/identity.ts'
import { EMPTY_QUEUE } from './notify/delivery/delivery-store.ts'
import { type Notify, startNotify } from './notify/notify.ts'
import { addClosuresRoute } from './operator/closures-route.ts'
import { type AddressesOf, createHostAddresses } from './outgoing/host-addresses.ts'
import { type Cipher, createCipher } from './secrets/cipher.ts'
import type { ControlSettings } from './settings.ts'
import type { TrafficStore } from './traffic-store/connection.ts'
import type { TrafficLedger } from './traffic-store/migrate-under-lock.ts'
import { openMigratedStore, type StoreNote } from './traffic-store/migrated-store.ts'

/** A running control plane. */
export interface ControlPlane {
  /** Where it listens, as `http://host:port`. */
  readonly url: string
  /** Port of metrics. */
  readonly adminPort: number
  /** Stops taking requests, finishes those under way, and closes the databases. */
  close(): Promise<void>
}

/** What is done beside a start. */
export interface StartSteps {
  /** Awaited before PostgreSQL is used for the first time; the traffic store is opened meanwhile. */
  prepare(): Promise<void>
  /** Begun once PostgreSQL has its tables, and awaited before anybody can ask. */
  fill(): Promise<void>
}

const NO_STEPS: StartSteps = { prepare: async () => undefined, fill: async () => undefined }

/** Migrates the databases and starts to serve. Throws where a database cannot be reached or the port is taken. */
export async function startControl(
  settings: ControlSettings,
  steps: StartSteps = NO_STEPS,
): Promise<ControlPlane> {
  const repetitions = new Repetitions()
  const log = createLog(settings.logLevel, repetitions)
  const metrics = createControlMetrics(settings.version, () => stateOf(parts))
  const failed = (error: unknown): void => {
    metrics.failedInBackground()
    log.error({ err: error }, 'something failed in the background')
  }
  const stopTracing = await startTracing(settings.traces, {
    service: 'sallyport-control',
    instance: randomUUID(),
    version: settings.version,
    failed: (reason) => log.warn(`traces could not be handed over: ${reason}`),
  })
  const note: StoreNote = (line, problem) => log.warn({ err: problem }, line)
  const migrated = steps.prepare().then(() => migrateDatabase(settings))
  const filled = migrated.then(() => steps.fill())
  // Said when it is waited for.
  filled.catch(() => undefined)
  const storeOpening = openStore(settings, migrated, note)
  // Its thread loads what it runs meanwhile, too.
  const reader = createBatchReader(readerDied(log))
  reader.start().catch(() => undefined)
  const parts = await openParts(settings, {
    log,
    failed,
    metrics,
    note,
    migrated,
    storeOpening,
    reader,
  }).catch(async (error: unknown) => {
    await reader.close()
    const store = await storeOpening.catch(() => undefined)
    await store?.close()
    throw error
  })
  const app = await createServer(settings, parts, { log, metrics })
  await filled.catch(async (error: unknown) => {
    await app.close()
    await closeParts(parts)
    await stopTracing()
    throw error
  })
  const closing = new AbortController()
  const resealing = resealAll(parts.database, parts.cipher, closing.signal).then((counts) => {
    if (counts.unreadable > 0)
      log.error(
        counts,
        'stored secrets are under a secret key that is not known: name it among the earlier ones',
      )
    else if (counts.resealed > 0) log.warn(counts, 'secrets were sealed anew under the present secret key')
  }, failed)
  const url = await app.listen({ host: settings.host, port: settings.port })
  const { adminHost: host, adminPort: port } = settings
  const admin = await startAdminServer(metrics, { host, port })
  log.info({ url, batches: BATCHES_PATH }, 'the control plane serves')
  return {
    url,
    adminPort: admin.port,
    close: async () => {
      closing.abort()
      await Promise.all([app.close(), admin.close()])
      await resealing
      await closeParts(parts)
      await stopTracing()
      repetitions.flush()
    },
  }
}

/** What the server is made of, each of which must be closed. */
interface Parts {
  readonly cipher: Cipher
  readonly addressesOf: AddressesOf
  readonly database: Database
  readonly notifications: Notifications
  readonly access: OpenGatewayAccess
  readonly feed: Feed
  readonly retention: Retention
  readonly traffic: Traffic
  readonly identity: Identity
  readonly documents: DocumentReader
  readonly apiLearner: ApiLearner
  readonly operationsInForce: OperationsInForce
  readonly documentWorker: DocumentWorker
  readonly ruleCompiler: RuleCompiler
  readonly routeLearning: RouteLearning
  readonly ruleHealing: RuleHealing
  readonly notify: Notify
}

/** To whom parts say what happens. */
interface Reporting {
  readonly log: Logger
  readonly failed: (error: unknown) => void
  readonly metrics: ControlMetrics
}

interface Opening extends Reporting {
  readonly note: StoreNote
  /** Resolves once PostgreSQL has its tables. */
  readonly migrated: Promise<void>
  readonly storeOpening: Promise<TrafficStore>
  readonly reader: BatchReader
}

async function migrateDatabase(settings: ControlSettings): Promise<void> {
  await migrate(settings.migrationDatabaseUrl)
  await requireSession(settings.directDatabaseUrl ?? settings.databaseUrl)
}

/** The engine in this process is loaded while PostgreSQL may not be there yet; its tables are migrated under a lock of PostgreSQL. */
function openStore(
  { clickhouse, migrationDatabaseUrl }: ControlSettings,
  migrated: Promise<void>,
  note: StoreNote,
): Promise<TrafficStore> {
  const ledger = createTrafficLedger(migrationDatabaseUrl)
  const waiting: TrafficLedger = {
    knownOf: async (storeId) => {
      await migrated
      return ledger.knownOf(storeId)
    },
    locked: async (work, wait) => {
      await migrated
      await ledger.locked(work, wait)
    },
  }
  const opening =
    'url' in clickhouse
      ? migrated.then(() => openMigratedStore(clickhouse, ledger, note))
      : openMigratedStore(clickhouse, waiting, note)
  // Where it cannot be opened, that is said when it is needed.
  opening.catch(() => undefined)
  return opening
}

async function openParts(settings: ControlSettings, opening: Opening): Promise<Parts> {
  const { log, failed, metrics, note, migrated, storeOpening, reader } = opening
  await migrated
  const cipher = createCipher(settings.secretKey, settings.earlierSecretKeys)
  let feed: Feed | undefined
  const database = tracedDatabase(
    openDatabase({
      url: settings.databaseUrl,
      isPooled: settings.directDatabaseUrl !== undefined,
      cipher,
      committed: (change: CommittedChange) => feed?.committed(change),
      failed,
    }),
  )
  const databaseUrl = settings.directDatabaseUrl ?? settings.databaseUrl
  const notifications = openNotifications({ databaseUrl, database, failed })
  const installation = { sessionKey: sessionKeyOf(settings.secretKey), gateUrl: settings.gateUrl }
  const { gatewayToken } = settings
  const access = await openGatewayAccess({ database, notifications, gatewayToken, failed })
  feed = await createFeed({ database, notifications, access, installation, failed })
  const retention = await openRetention({ database, failed })
  const traffic = openTraffic({
    store: await storeOpening,
    access,
    reported: feed.gateways.reported,
    retentionDaysOf: retention.daysOf,
    ...('url' in settings.clickhouse && { notifications }),
    note,
    reader,
    observe: metrics,
    stored: (orgIds, first) => notify.stored(orgIds, first),
  })
  retention.keep(traffic.store)
  const warn = (fields: object, line: string): void => log.warn(fields, line)
  await warnOfHiddenSite(database, new URL(settings.gateUrl).hostname, warn)
  const identity = await createIdentity({ settings, database, cipher, warn, failed })
  const documents = createDocumentReader({ failed })
  const apiLearner = createApiLearner({
    store: traffic.store,
    knownOf: ({ orgId, id }) => database.read(orgId, (tx) => readKnown(tx, orgId, id)),
  })
  const operationsInForce = createOperationsInForce({ database, apiLearner, failed })
  const routeLearning = startRouteLearning({
    ...{ database, store: traffic.store, failed },
    learner: operationsInForce,
  })
  const documentWorker = createDocumentWorker(failed)
  const ruleCompiler = createRuleCompiler()
  const ruleHealing = startRuleHealing({ database, ruleCompiler, failed })
  // One for all who look names up: it is what bounds how many are looked up at once.
  const addressesOf = createHostAddresses()
  const notify = await startNotify({
    ...{ settings, database, cipher, addressesOf, failed, attempted: metrics.attempted },
    groupsSince: (orgId, from) => newGroups(traffic.store, { orgId, from, to: Infinity, filter: {} }),
  })
  return {
    cipher,
    addressesOf,
    database,
    notifications,
    access,
    feed,
    retention,
    traffic,
    identity,
    documents,
    apiLearner,
    operationsInForce,
    documentWorker,
    ruleCompiler,
    routeLearning,
    ruleHealing,
    notify,
  }
}

/** In the reverse of the order in which they need each other. */
async function closeParts(parts: Parts): Promise<void> {
  const { access, feed, identity, retention, traffic, notifications, database } = parts
  await parts.notify.close()
  await Promise.all([
    parts.documents.close(),
    parts.routeLearning.close(),
    parts.ruleHealing.close(),
    parts.apiLearner.close(),
    parts.documentWorker.close(),
    parts.ruleCompiler.close(),
  ])
  await feed.close()
  await access.close()
  await identity.close()
  await retention.close()
  await traffic.close()
  await notifications.close()
  await database.close()
}

/** The server with every route. */
async function createServer(
  settings: ControlSettings,
  parts: Parts,
  { log: logger, metrics }: Omit<Reporting, 'failed'>,
) {
  const { access, cipher, database, feed, traffic, identity, documents } = parts
  const readiness = () => readinessOf(database, traffic)
  const { trustedProxies } = settings
  const app = createApp({ logger, readiness, trustedProxies, answered: metrics.answered })
  traceRequests(app, access.isAdmitted)
  const evidence = createEvidenceService({
    database,
    trafficOf: (window) => siteTraffic(traffic.store, window),
    coverageOf: async (window) => {
      const site = await parts.operationsInForce.of(window.orgId, window.siteId, { isFresh: true })
      return coverageDocument(site.operations, siteTraffic(traffic.store, window), window)
    },
    projectOf: (orgId, projectId) => projectEvidence(database, orgId, projectId),
    keptFrom: parts.retention.keptFrom,
    secretKey: settings.secretKey,
  })
  const handlers = createFeatures({ ...parts, settings, evidence })
  await addReference(app, settings.publicUrl)
  await addOperations(app, { handlers, authenticate: identity.authenticate, documents })
  await identity.addRoutes(app)
  await addConsole(app, { settings, signIn: identity.consoleSignIn })
  feed.addRoutes(app)
  addEvidenceKey(app, evidence)
  addRevealRoute(app, { database, cipher, access })
  addClosuresRoute(app, { database, access })
  addInvitationRoute(app, { database, access })
  addEnrolmentRoutes(app, { database, access })
  addTrafficBackupRoute(app, { store: traffic.store, secretKey: settings.secretKey })
  await app.register(traffic.collector)
  // A live tail never ends by itself, and the server waits for what is under way.
  app.addHook('preClose', async () => traffic.tail.close())
  return app
}

async function readinessOf(database: Database, traffic: Traffic): Promise<Readiness> {
  const [isDatabaseThere, isStoreThere] = await Promise.all([database.ping(), traffic.store.ping()])
  return { database: isDatabaseThere, trafficStore: isStoreThere }
}

/** What a question of metrics waits for a database that is away. */
const STATE_WAIT_MS = 2_000

async function stateOf({ database, traffic, feed, notify }: Parts): Promise<ControlState> {
  const soon = <T>(answer: Promise<T>, otherwise: T): Promise<T> =>
    Promise.race([answer, sleep(STATE_WAIT_MS, otherwise, { ref: false })])
  const [databaseUp, storeUp, queue] = await Promise.all([
    soon(database.ping(), false),
    soon(traffic.store.ping(), false),
    soon(
      notify.queue().catch(() => EMPTY_QUEUE),
      EMPTY_QUEUE,
    ),
  ])
  return { databaseUp, storeUp, pool: database.pool, feed: feed.progress(), queue }
}

/** Sessions at gateways are signed with a key of their own, which every control process derives alike. */
const sessionKeyOf = (secretKey: Uint8Array): string =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'sallyport researcher sessions', 32)).toString('base64url')
