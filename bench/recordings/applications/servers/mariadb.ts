/** MariaDB with a data folder of its own, for applications that need one. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { freePorts } from '../../../../test/support/loopback.ts'
import type { RecordingSession } from '../../session.ts'

/** What an application has to know of its database. */
export interface RunningMariaDb {
  readonly port: number
  readonly user: string
  readonly password: string
}

/** Starts a server with an empty database of that name. */
export async function startMariaDb(session: RecordingSession, database: string): Promise<RunningMariaDb> {
  const data = join(session.folder, 'mariadb')
  const account = { user: 'application', password: 'application' }
  const own = [`--datadir=${data}`, '--user=root', '--no-defaults'].toReversed()
  execFileSync('mariadb-install-db', [...own, '--auth-root-authentication-method=normal'], {
    stdio: 'ignore',
  })
  const [port = 0] = await freePorts(1)
  const socket = join(data, 'socket')
  const net = [
    '--bind-address=127.0.0.1',
    `--port=${port}`,
    `--socket=${socket}`,
    '--skip-log-bin',
    '--skip-name-resolve',
  ]
  await session.start('mariadbd', [...own, ...net], { cwd: session.folder, port })
  const statements = `CREATE DATABASE ${database}; GRANT ALL ON *.* TO ${account.user}@'%' IDENTIFIED BY '${account.password}';`
  execFileSync('mariadb', ['--no-defaults', '-uroot', `--socket=${socket}`, '-e', statements])
  return { port, ...account }
}
