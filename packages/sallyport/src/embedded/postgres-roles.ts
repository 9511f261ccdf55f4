/**
 * The roles and the database of a fresh cluster. `sallyport_owner` owns the database and migrates it; `sallyport_app`
 * is what the application connects as: it owns nothing and cannot bypass row-level security.
 */
import type { Client } from 'pg'

export const SUPERUSER = 'postgres'
export const OWNER_ROLE = 'sallyport_owner'
export const APP_ROLE = 'sallyport_app'
export const DATABASE = 'sallyport'

export interface RolePasswords {
  readonly superuser: string
  readonly owner: string
  readonly app: string
}

/** Makes the roles (with these passwords, also when they exist) and the database. May be repeated. */
export async function prepareRoles(superuserUrl: string, passwords: RolePasswords): Promise<void> {
  // A server that has them is started without a client.
  const { Client } = await import('pg')
  const client = new Client({ connectionString: superuserUrl })
  await client.connect()
  try {
    // The owner reads across organizations when it migrates data, so row-level security does not bind it.
    await putRole(client, OWNER_ROLE, 'LOGIN BYPASSRLS CREATEROLE', passwords.owner)
    await putAppRole(client, passwords.app)
    if (!(await exists(client, 'SELECT 1 FROM pg_database WHERE datname = $1', DATABASE)))
      await client.query(`CREATE DATABASE ${DATABASE} OWNER ${OWNER_ROLE}`)
  } finally {
    await client.end()
  }
}

/** Makes the application's role, or gives it this password where it exists. */
export const putAppRole = (client: Client, password: string): Promise<void> =>
  putRole(client, APP_ROLE, 'LOGIN', password)

async function putRole(client: Client, name: string, options: string, password: string): Promise<void> {
  const verb = (await exists(client, 'SELECT 1 FROM pg_roles WHERE rolname = $1', name)) ? 'ALTER' : 'CREATE'
  await client.query(`${verb} ROLE ${name} ${options} PASSWORD ${client.escapeLiteral(password)}`)
}

const exists = async (client: Client, query: string, value: string): Promise<boolean> =>
  (await client.query(query, [value])).rowCount === 1
