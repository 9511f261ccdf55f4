/** What the PostgreSQL of an installation must be: new enough, and a server whose sessions are ours unless a pooler was named. */
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'

/** The oldest major version that the tests run on: that of Debian 12. */
export const POSTGRES_MAJOR_MIN = 15

/** The server cannot be used as the settings have it, which the operator can mend. */
export class UnfitServer extends Error {
  readonly code = 'UNFIT_SERVER'
}

/** Throws an `UnfitServer` where the server of a connection is too old. */
export async function requireVersion(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: number; name: string }>(
    "SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS name",
  )
  const [version] = rows
  if (version && version.number < POSTGRES_MAJOR_MIN * 10_000)
    throw new UnfitServer(
      `the database is PostgreSQL ${version.name}: run PostgreSQL ${POSTGRES_MAJOR_MIN} or later`,
    )
}

/** Throws an `UnfitServer` where the application's role would see every organization without asking for it, which no policy then prevents. */
export async function requireBoundRole(client: Client): Promise<void> {
  const { rows } = await client.query<{ inherits: boolean }>(
    "SELECT pg_has_role('sallyport_app', 'sallyport_installation', 'USAGE') AS inherits",
  )
  if (rows[0]?.inherits)
    throw new UnfitServer(
      'the role sallyport_app inherits what sallyport_installation may: ALTER ROLE sallyport_app NOINHERIT, and on PostgreSQL 16 or later GRANT sallyport_installation TO sallyport_app WITH INHERIT FALSE',
    )
}

const POOLER =
  'DATABASE_URL: a pooler that keeps no sessions is in front of the database: name the database itself in DATABASE_DIRECT_URL, or pool by session'

/**
 * Throws an `UnfitServer` where a connection has no session of its own. What is set for one organization would then be seen by
 * whoever is given the same connection of the server next.
 */
export async function requireSession(url: string): Promise<void> {
  const mark = randomBytes(8).toString('hex')
  const client = new Client({ connectionString: url, options: `-c app.session=${mark}` })
  // A lost connection also rejects the statement that runs.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ mark: string | null }>(
      "SELECT current_setting('app.session', true) AS mark",
    )
    if (rows[0]?.mark !== mark) throw new UnfitServer(POOLER)
  } catch (error) {
    // PgBouncer, of what it would have to keep for a session.
    if (error instanceof Error && error.message.includes('startup parameter')) throw new UnfitServer(POOLER)
    throw error
  } finally {
    await client.end().catch(() => undefined)
  }
}
