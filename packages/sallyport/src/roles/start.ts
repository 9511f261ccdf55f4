/**
 * `sallyport start`: everything on one machine. A supervisor, which does nothing else, keeps PostgreSQL, the control
 * plane and the gateway running as processes of their own: a busy or crashed gateway never takes the API down, nor the
 * reverse. It stops them in the order in which they need each other: the gateway hands over its last records, then
 * the control plane, then the database.
 */
import { existsSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import { lockDirectory } from '../directory-lock.ts'
import { hasCluster } from '../embedded/postgres.ts'
import { findPostgresPrograms } from '../embedded/postgres-programs.ts'
import { OperatorError } from '../operator-error.ts'
import { CONTROL_PORTS, claimPorts, gatewayPorts } from '../ports.ts'
import { readSecrets } from '../secrets.ts'
import { SETTINGS, type Settings } from '../settings.ts'
import { superviseChild } from '../supervisor/supervised-child.ts'
import { supervisePostgres } from '../supervisor/supervised-postgres.ts'
import { announce } from './announce.ts'
import { firstRunFile } from './first-run-file.ts'
import { partUrl } from './loopback-url.ts'
import { untilReady } from './reachable.ts'
import type { RunningRole } from './run-role.ts'
import { servingThreads } from './threads/serving-threads.ts'

const MAIN = join(import.meta.dirname, '../main.ts')
const GATEWAY_READY_MS = 5_000
/**
 * The processes of an installation. V8 lets short-lived objects fill semi-spaces of 32 MiB, where less serves as well:
 * docs/decisions/0170-snapshot-rows-are-the-feeds-text.md.
 */
const CHILDREN = {
  control: {
    name: 'the control plane',
    role: ['control', '--first-run'],
    semiSpaceMiB: 16,
    stopTimeoutMs: 15_000,
  },
  gateway: { name: 'the gateway', role: ['gateway'], semiSpaceMiB: 8, stopTimeoutMs: 30_000 },
} as const
/**
 * Threads of libuv's pool in the control plane. The embedded store keeps three busy under load, and passwords, files and
 * names must not wait for it in the fourth. An operator's own number wins.
 */
const CONTROL_POOL_THREADS = '8'

/**
 * Where glibc takes the gateway's memory from. With an arena for each thread, what V8's and libuv's threads free stays
 * with each, 10 to 30 MB in all. Threads that serve requests would wait for one another at a single one. An operator's own number wins.
 */
const gatewayArenas = (settings: Settings): string => String(servingThreads(settings))

/** What only the control plane may know. */
const CONTROL_ONLY = [
  'databaseUrl',
  'databaseDirectUrl',
  'databaseOwnerUrl',
  'clickhouseUrl',
  'clickhouseCluster',
  'secretKey',
  'earlierSecretKeys',
  'smtpUrl',
  'smtpFrom',
] as const
/** What only the gateway needs to know. */
const GATEWAY_ONLY = ['gatewayAdminToken', 'valkeyUrl'] as const
/** Variables that say nothing of these settings, whatever the operator's say. */
const hiding = (keys: readonly (keyof typeof SETTINGS)[]): NodeJS.ProcessEnv =>
  Object.fromEntries(keys.map((key) => [SETTINGS[key].variable, '']))

/** Starts everything and resolves when it is ready to serve. */
export async function startAll(
  given: Settings,
  environment: NodeJS.ProcessEnv,
  configFile?: string,
): Promise<RunningRole> {
  const lock = await lockDirectory(given.dataDir)
  const stops: (() => Promise<void>)[] = [async () => lock.release()]
  const close = async (): Promise<void> => {
    while (stops.length > 0) await stops.pop()?.()
  }
  try {
    // Children of a supervisor that was killed still have the ports until they have stopped.
    for (const part of Object.keys(CHILDREN)) (await lockDirectory(join(given.dataDir, part))).release()
    const settings = await claimPorts(given, [...CONTROL_PORTS, ...gatewayPorts(given)])
    const { childEnvironment, database } = describeChildren(settings, environment, stops)
    const child = (which: keyof typeof CHILDREN, env: NodeJS.ProcessEnv) => {
      const { name, role, semiSpaceMiB, stopTimeoutMs } = CHILDREN[which]
      const config = configFile ? ['--config', configFile] : []
      const args = [`--max-semi-space-size=${semiSpaceMiB}`, MAIN, ...config, ...role]
      const supervised = superviseChild({ name, args, env, report, stopTimeoutMs, needed: database })
      stops.push(supervised.stop)
      return supervised.ready
    }
    const controlEnvironment = {
      ...{ UV_THREADPOOL_SIZE: CONTROL_POOL_THREADS, ...childEnvironment },
      ...hiding(GATEWAY_ONLY),
    }
    const gatewayEnvironment = {
      ...{ MALLOC_ARENA_MAX: gatewayArenas(settings), ...childEnvironment },
      ...hiding(CONTROL_ONLY),
    }
    const isFirstRun = !existsSync(firstRunFile(settings))
    // Side by side: both load what they run, and the traffic store opens, while the database starts; then the gateway waits for
    // the control plane by itself.
    await Promise.all([database, child('control', controlEnvironment), child('gateway', gatewayEnvironment)])
    await untilReady(`${partUrl('gateway', settings)}/readyz`, GATEWAY_READY_MS)
    announce(settings, isFirstRun, process.stdout.isTTY === true)
    return { close }
  } catch (error) {
    await close()
    throw error
  }
}

interface ChildrenDescription {
  readonly childEnvironment: NodeJS.ProcessEnv
  /** Resolves when the database takes connections; rejects where it is ours and cannot be started. */
  readonly database: Promise<void>
}

/** Starts the database where it is ours, and says in environment variables what the children need to know. */
function describeChildren(
  settings: Settings,
  environment: NodeJS.ProcessEnv,
  stops: (() => Promise<void>)[],
): ChildrenDescription {
  // Before secrets are made, which would be those of no installation.
  if (!settings.databaseUrl) requireEmbeddedDatabase(settings)
  const { secretKey, gatewayToken } = readSecrets(settings)
  const ownUrl = partUrl('control', settings)
  const passedOn: Partial<Record<keyof Settings, string>> = {
    dataDir: settings.dataDir,
    secretKey: secretKey.toString('base64'),
    gatewayToken,
    controlPort: String(settings.controlPort),
    controlAdminPort: String(settings.controlAdminPort),
    gatewayPort: String(settings.gatewayPort),
    gatewayAdminPort: String(settings.gatewayAdminPort),
    tlsPort: String(settings.tlsPort),
    ...(settings.proxyPort !== undefined && { proxyPort: String(settings.proxyPort) }),
    controlUrl: (settings.controlUrl ?? [ownUrl]).join(','),
    // The gateway beside it reaches the control plane without a network, on whichever address it listens.
    allowPlainControlUrl: [...settings.allowPlainControlUrl, new URL(ownUrl).hostname].join(','),
  }
  let database = Promise.resolve()
  if (!settings.databaseUrl) {
    const postgres = supervisePostgres(join(settings.dataDir, 'postgres'), report)
    stops.push(postgres.stop)
    database = postgres.ready
    passedOn.databaseUrl = postgres.appUrl
    passedOn.databaseOwnerUrl = postgres.ownerUrl
  }
  const variables = Object.entries(passedOn).map(([key, value]) => [
    SETTINGS[key as keyof typeof SETTINGS].variable,
    value,
  ])
  const childEnvironment = {
    ...environment,
    ...Object.fromEntries(variables),
    NODE_COMPILE_CACHE: compileCacheOf(settings),
  }
  return { childEnvironment, database }
}

/** A database that was lost, or whose setting was, must not be taken for one that was never made. */
function requireEmbeddedDatabase(settings: Settings): void {
  findPostgresPrograms()
  const directory = join(settings.dataDir, 'postgres')
  const file = firstRunFile(settings)
  if (existsSync(file) && !hasCluster(directory))
    throw new OperatorError(
      `${file} says that an installation was made here, and its database, ${join(directory, 'cluster')}, is missing: put it back, set DATABASE_URL where it is elsewhere, or restore a backup into a new data directory; to begin anew, remove ${file}`,
    )
}

/**
 * Where Node keeps what it made of the sources, which halves the time that a child takes to start: the folder that this process uses, where
 * there is one. Children are told before they read their first file, or they would load a compiler for it, 14 MiB that stay.
 */
function compileCacheOf({ dataDir }: Settings): string {
  const own = getCompileCacheDir()
  // A folder of it for each version of Node.
  return own === undefined ? join(dataDir, 'compile-cache') : dirname(own)
}

const report = (line: string): void => console.error(`sallyport: ${line}`)
