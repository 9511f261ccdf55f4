/** PostgreSQL, ClickHouse and Valkey as servers of their own, which a fleet reaches by URL. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { startPostgres } from '../../../packages/sallyport/src/embedded/postgres.ts'
import { APP_ROLE, DATABASE, OWNER_ROLE } from '../../../packages/sallyport/src/embedded/postgres-roles.ts'
import { startClickHouse } from '../clickhouse/server.ts'
import { bareEnvironment } from '../environment.ts'
import { freePorts } from '../loopback.ts'
import { keepRunning, type Service, startProgram } from './service.ts'

/** A server, and where it listens: a port of loopback, or the path of a socket. */
export interface Engine extends Service {
  readonly target: number | string
}

/** PostgreSQL, and how who owns all of it reaches the database of the fleet. */
export interface DatabaseEngine extends Engine {
  readonly superuserUrl: string
}

export const DATABASE_ROLE = 'sallyport'
export const DATABASE_PASSWORD = 'a-password-of-an-operator'

/** PostgreSQL with an empty database that belongs to a role that may make roles, as docs/operations.md asks for. */
export async function startDatabase(): Promise<DatabaseEngine> {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-database-'))
  chmodSync(directory, 0o711)
  let superuserUrl = ''
  const service = await keepRunning('PostgreSQL', async () => {
    const server = await startPostgres({ directory })
    superuserUrl = server.superuserUrl
    return { pid: server.pid, ended: server.exited, stop: server.stop }
  })
  const client = new Client({ connectionString: superuserUrl })
  await client.connect()
  // What the embedded server made for itself; an operator's does not have it.
  await client.query(`DROP DATABASE ${DATABASE}`)
  await client.query(`DROP ROLE ${APP_ROLE}, ${OWNER_ROLE}`)
  await client.query(`CREATE ROLE ${DATABASE_ROLE} LOGIN CREATEROLE PASSWORD '${DATABASE_PASSWORD}'`)
  await client.query(`CREATE DATABASE ${DATABASE_ROLE}_fleet OWNER ${DATABASE_ROLE}`)
  await client.end()
  const url = new URL(superuserUrl)
  url.pathname = `/${DATABASE_ROLE}_fleet`
  return {
    ...service,
    superuserUrl: url.href,
    target: join(directory, 'socket', '.s.PGSQL.5432'),
    stop: async () => {
      await service.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** How the fleet reaches the database through a port. */
export const databaseUrlAt = (port: number): string =>
  `postgres://${DATABASE_ROLE}:${DATABASE_PASSWORD}@127.0.0.1:${port}/${DATABASE_ROLE}_fleet`

/** ClickHouse's HTTP interface, on what it has stored. */
export async function startTrafficStore(): Promise<Engine> {
  const server = await startClickHouse({ isStarted: false })
  const service = await keepRunning('ClickHouse', async () => {
    await server.start()
    return { pid: server.pid(), ended: server.ended(), stop: server.kill }
  })
  return {
    ...service,
    target: server.port,
    stop: async () => {
      await service.stop()
      await server.remove()
    },
  }
}

/** Valkey, or the Redis whose protocol it speaks; keeps nothing on disk. */
export async function startValkey(): Promise<Engine> {
  const [port = 0] = await freePorts(1)
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const service = await keepRunning('Valkey', () => startProgram('redis-server', args, bareEnvironment))
  return { ...service, target: port }
}
