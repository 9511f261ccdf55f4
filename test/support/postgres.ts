/**
 * A PostgreSQL database for a test, cloned from a migrated template in milliseconds.
 *
 * `node tools/test.ts` starts one cluster for the whole run and names it in `SALLYPORT_TEST_DATABASE_URL`; a test file
 * that is run by itself gets a cluster of its own, which ends with it.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { Client } from 'pg'
import { migrate } from '../../packages/control/src/database/migrate.ts'
import { startPostgres } from '../../packages/sallyport/src/embedded/postgres.ts'
import { APP_ROLE, OWNER_ROLE } from '../../packages/sallyport/src/embedded/postgres-roles.ts'

/** URL of the run's cluster, for its superuser. The roles' passwords are their names. */
export const TEST_DATABASE_VARIABLE = 'SALLYPORT_TEST_DATABASE_URL'
const TEMPLATE = 'sallyport_template'

export interface TestDatabase {
  /** For the role that the application uses. */
  readonly appUrl: string
  /** For the role that migrates. */
  readonly ownerUrl: string
  /** Drops the database, ending whatever is connected to it. */
  drop(): Promise<void>
}

/** A cluster for tests, with the template in it. */
export interface TestCluster {
  readonly url: string
  stop(): Promise<void>
}

let ownCluster: Promise<TestCluster> | undefined
/** Databases that somebody still uses. */
const inUse = new Set<string>()
/** Set once the tests have ended: then whoever drops the last database stops the cluster. */
let overdue: NodeJS.Timeout | undefined
const DROP_WAIT_MS = 20_000

if (!process.env[TEST_DATABASE_VARIABLE])
  after(async () => {
    // This hook runs before those of the test file, which was loaded later and closes what uses its databases there.
    overdue = setTimeout(stopOwnCluster, DROP_WAIT_MS)
    await stopWhenUnused()
  })

async function stopWhenUnused(): Promise<void> {
  if (!overdue || inUse.size > 0) return
  clearTimeout(overdue)
  await stopOwnCluster()
}

async function stopOwnCluster(): Promise<void> {
  const cluster = await ownCluster
  ownCluster = undefined
  await cluster?.stop()
}

/** A fresh database with every migration applied. */
export const createTestDatabase = (): Promise<TestDatabase> => cloneDatabase(TEMPLATE)

/** A fresh database with nothing in it. */
export const createEmptyDatabase = (): Promise<TestDatabase> => cloneDatabase('template0')

async function cloneDatabase(template: string): Promise<TestDatabase> {
  const superuserUrl = await clusterUrl()
  const name = `test_${randomBytes(8).toString('hex')}`
  await execute(superuserUrl, `CREATE DATABASE ${name} TEMPLATE ${template} OWNER ${OWNER_ROLE}`)
  inUse.add(name)
  return {
    appUrl: roleUrl(superuserUrl, APP_ROLE, name),
    ownerUrl: roleUrl(superuserUrl, OWNER_ROLE, name),
    drop: async () => {
      await execute(superuserUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      inUse.delete(name)
      await stopWhenUnused()
    },
  }
}

/** Starts a cluster in a temporary folder, tuned for speed and not for keeping data, and makes the template. */
export async function startTestCluster(): Promise<TestCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-test-'))
  chmodSync(directory, 0o711)
  const server = await startPostgres({
    directory,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      autovacuum: 'off',
      shared_buffers: '64MB',
      max_connections: '400',
    },
  })
  const stop = async () => {
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    await makeTemplate(server.superuserUrl)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: server.superuserUrl, stop }
}

async function makeTemplate(superuserUrl: string): Promise<void> {
  for (const role of [OWNER_ROLE, APP_ROLE])
    await execute(superuserUrl, `ALTER ROLE ${role} PASSWORD '${role}'`)
  await execute(superuserUrl, `CREATE DATABASE ${TEMPLATE} OWNER ${OWNER_ROLE}`)
  await migrate(roleUrl(superuserUrl, OWNER_ROLE, TEMPLATE))
}

async function clusterUrl(): Promise<string> {
  const shared = process.env[TEST_DATABASE_VARIABLE]
  if (shared) return shared
  ownCluster ??= startTestCluster()
  return (await ownCluster).url
}

function roleUrl(superuserUrl: string, role: string, database: string): string {
  const url = new URL(superuserUrl)
  url.username = role
  url.password = role
  url.pathname = `/${database}`
  return url.href
}

async function execute(connectionString: string, statement: string): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
