/**
 * The two database roles that the control plane uses. `DATABASE_OWNER_URL` and `DATABASE_URL` name both; with
 * `DATABASE_URL` alone, that role owns the tables, and the application's role is made by it, with a password derived
 * from the installation's secret key, so that every control plane process comes to the same one.
 */
import { hkdfSync } from 'node:crypto'
import { Client } from 'pg'
import { APP_ROLE, putAppRole } from '../embedded/postgres-roles.ts'
import { OperatorError, POSTGRES_DISK_FULL, systemErrorCode } from '../operator-error.ts'
import type { Settings } from '../settings.ts'

export interface DatabaseUrls {
  /** For the role that the application uses. */
  readonly app: string
  /** The same past a pooler, where `app` is one. */
  readonly direct?: string | undefined
  /** For the role that owns the tables. */
  readonly owner: string
}

/** Throws an `OperatorError` where no database is named. */
export function requireDatabaseUrl({ databaseUrl }: Pick<Settings, 'databaseUrl'>): string {
  if (!databaseUrl) throw new OperatorError('DATABASE_URL: must be set to a PostgreSQL database')
  return databaseUrl
}

/** Throws an `OperatorError` where no database is named or its role cannot make the application's. */
export async function databaseUrls(
  settings: Pick<Settings, 'databaseUrl' | 'databaseDirectUrl' | 'databaseOwnerUrl'>,
  secretKey: Buffer,
): Promise<DatabaseUrls> {
  const { databaseDirectUrl, databaseOwnerUrl } = settings
  const databaseUrl = requireDatabaseUrl(settings)
  if (databaseOwnerUrl) return { app: databaseUrl, direct: databaseDirectUrl, owner: databaseOwnerUrl }
  const password = Buffer.from(hkdfSync('sha256', secretKey, '', `database role ${APP_ROLE}`, 24))
  const url = new URL(databaseUrl)
  url.username = APP_ROLE
  url.password = password.toString('base64url')
  const canEnter = await connect(url.href).then(
    () => true,
    () => false,
  )
  if (!canEnter) await makeRole(databaseUrl, url.password)
  return { app: url.href, owner: databaseUrl }
}

/** Throws an `OperatorError` that names the setting whose database does not let us in. */
export async function requireDatabases(urls: {
  readonly databaseUrl: string
  readonly directDatabaseUrl?: string | undefined
  readonly migrationDatabaseUrl: string
}): Promise<void> {
  const named = [
    ['DATABASE_OWNER_URL', urls.migrationDatabaseUrl],
    ['DATABASE_URL', urls.databaseUrl],
    ...(urls.directDatabaseUrl ? [['DATABASE_DIRECT_URL', urls.directDatabaseUrl] as const] : []),
  ] as const
  const outcomes = await Promise.allSettled(named.map(([variable, url]) => requireConnection(variable, url)))
  // The first of them in this order, whichever was noticed first.
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

async function requireConnection(variable: string, connectionString: string): Promise<void> {
  try {
    await connect(connectionString)
  } catch (error) {
    const reason = error instanceof Error ? error.message || systemErrorCode(error) : String(error)
    if (systemErrorCode(error) === POSTGRES_DISK_FULL)
      throw new OperatorError(`${variable}: the disk of the database is full (${reason}): make room on it`)
    throw new OperatorError(
      `${variable}: the database does not let us in (${reason}): correct the URL or start it`,
    )
  }
}

async function makeRole(ownerUrl: string, password: string): Promise<void> {
  try {
    await connect(ownerUrl, (client) => putAppRole(client, password))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(
      `DATABASE_URL: the role ${APP_ROLE} cannot be made (${reason}): correct the URL, give its role CREATEROLE, or name both roles with DATABASE_OWNER_URL and DATABASE_URL`,
    )
  }
}

/** Connects, does `act` and ends the connection. */
async function connect(
  connectionString: string,
  act: (client: Client) => Promise<void> = async () => {},
): Promise<void> {
  const client = new Client({ connectionString })
  try {
    await client.connect()
    await act(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}
