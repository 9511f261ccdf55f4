/** The oldest PostgreSQL that is supported, and PgBouncer, from Debian's packages. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  APP_ROLE,
  DATABASE,
  OWNER_ROLE,
  prepareRoles,
  SUPERUSER,
} from '../../../packages/sallyport/src/embedded/postgres-roles.ts'
import { chooseAccount } from '../../../packages/sallyport/src/embedded/unprivileged.ts'
import { eventually } from '../../support/installation.ts'
import { freePorts } from '../../support/loopback.ts'
import type { Ending } from '../../support/temporary-folder.ts'
import { quiet, start, temporaryDirectory, without } from './programs.ts'

/** A letter of each kind that means something in a URL, in SQL, in a shell or in a file of settings. */
export const HARD_PASSWORD = `p:@/?#[]%25%&=+ '"\\$\`!*(){}<>|~^;,.é☃`

const POSTGRES = '/usr/lib/postgresql/15/bin'
export const withoutOldPostgres: string | false =
  !existsSync(POSTGRES) && 'not installed: postgresql-15 (see .ci/run)'
export const withoutPgBouncer: string | false = withoutOldPostgres || without('pgbouncer')

/** The same password for each role; `application` and `owner` are the two of Sallyport. */
const PASSWORDS = { superuser: 'superuser', owner: HARD_PASSWORD, app: HARD_PASSWORD }

export interface DatabaseServer {
  readonly port: number
  /** URL for a role of Sallyport, at this server or at another port in front of it. */
  urlOf(role: string, port?: number): string
}

const urlOf = (role: string, password: string, port: number, database: string): string =>
  `postgres://${role}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`

/** PostgreSQL 15 on a port of loopback, with the roles and the database of an installation. */
export async function startOldPostgres(context: Ending): Promise<DatabaseServer> {
  const directory = temporaryDirectory(context)
  const [port = 0] = await freePorts(1)
  const account = chooseAccount(directory)
  const passwordFile = join(directory, 'password')
  const cluster = join(directory, 'cluster')
  writeFileSync(passwordFile, PASSWORDS.superuser)
  mkdirSync(cluster)
  if (account) for (const path of [passwordFile, cluster]) chownSync(path, account.uid, account.gid)
  const made = spawnSync(
    join(POSTGRES, 'initdb'),
    [
      '-D',
      cluster,
      '-U',
      SUPERUSER,
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--no-sync',
      '-E',
      'UTF8',
    ],
    { encoding: 'utf8', cwd: '/', ...account },
  )
  assert.equal(made.status, 0, made.stderr)
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', `port=${port}`]
  const server = spawn(
    join(POSTGRES, 'postgres'),
    ['-D', cluster, ...settings.flatMap((setting) => ['-c', setting])],
    { ...quiet(), cwd: '/', ...account },
  )
  await start(context, server, port, 'SIGINT')
  // It listens before it lets anybody in.
  await eventually(() =>
    prepareRoles(urlOf(SUPERUSER, PASSWORDS.superuser, port, 'postgres'), PASSWORDS).then(
      () => true,
      (error: Error & { code?: string }) => {
        if (error.code !== '57P03') throw error
      },
    ),
  )
  return {
    port,
    urlOf: (role, at = port) => urlOf(role, HARD_PASSWORD, at, DATABASE),
  }
}

/**
 * PgBouncer before a PostgreSQL, pooling by transaction over two connections a role; returns its port. With `ignoresOptions` it takes
 * settings of a session from clients and drops them, otherwise it refuses such clients.
 */
export async function startPgBouncer(
  context: Ending,
  postgresPort: number,
  { ignoresOptions = false } = {},
): Promise<number> {
  const directory = temporaryDirectory(context)
  const [port = 0] = await freePorts(1)
  const quoted = HARD_PASSWORD.replaceAll('"', '""')
  const users = [OWNER_ROLE, APP_ROLE].map((role) => `"${role}" "${quoted}"\n`)
  writeFileSync(join(directory, 'users'), users.join(''))
  const file = join(directory, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${postgresPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(directory, 'users')}
pool_mode = transaction
default_pool_size = 2
max_client_conn = 200
${ignoresOptions ? 'ignore_startup_parameters = options' : ''}
`,
  )
  const account = chooseAccount(directory)
  await start(context, spawn('pgbouncer', ['--quiet', file], { ...quiet(), cwd: '/', ...account }), port)
  return port
}
