/** Commands beside one another, and commands whose databases go away under them. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Client } from 'pg'
import { bareEnvironment } from '../../../../test/support/environment.ts'
import { createTestDatabase } from '../../../../test/support/postgres.ts'
import { descendantsOf, untilGone } from '../../../../test/support/processes.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { withDatabase } from '../../src/commands/with-operator.ts'
import { readConfig } from '../../src/config.ts'
import { CANNOT_START, IN_USE } from '../../src/roles/run-role.ts'
import { runCommand } from '../support/run-command.ts'

const SECRET_KEY = randomBytes(32).toString('hex')
const folder = temporaryFolder({ after })
const dataDir = join(folder, 'data')
const database = await createTestDatabase()
after(() => database.drop())

/** A command that makes the installation's database, and has it open until it is killed. */
async function startCommand(before = ''): Promise<ChildProcess> {
  const modules = ['commands/with-operator.ts', 'config.ts'].map((path) =>
    JSON.stringify(join(import.meta.dirname, '../../src', path)),
  )
  const script = `${before}
    const { withDatabase } = await import(${modules[0]})
    const { readConfig } = await import(${modules[1]})
    await withDatabase(await readConfig(process.env), () => {
      console.log('open')
      return new Promise(() => setInterval(() => {}, 1000))
    }, { create: () => undefined })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...bareEnvironment, SALLYPORT_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(child.stdout, 'data')
  return child
}

test('the database of another command is not used, because it stops with that command', async () => {
  const environment = { SALLYPORT_DATA_DIR: dataDir, SALLYPORT_SECRET_KEY: SECRET_KEY }
  const other = await startCommand()
  const servers = descendantsOf(other.pid ?? 0).map(({ pid }) => pid)
  assert.ok(servers.length > 0)
  const refused = await runCommand(environment, 'organizations', 'create', '--name', 'Second')
  assert.deepEqual([refused.code, refused.stdout], [IN_USE, ''])
  assert.equal(
    refused.stderr,
    `sallyport: the data directory ${dataDir} is in use by process ${other.pid}, which is a command: try again when it has ended\n`,
  )

  // What one that was killed has left is taken over, and stopped in the end.
  other.kill('SIGKILL')
  await once(other, 'exit')
  const listed = await runCommand(environment, 'organizations', 'list', '--json')
  assert.deepEqual([listed.code, listed.stdout], [0, '[]\n'], listed.stderr)
  await untilGone(servers)
  assert.ok(!readdirSync(join(dataDir, 'postgres', 'cluster')).includes('postmaster.pid'))
})

test('a command whose terminal is closed leaves no database', async () => {
  const command = await startCommand()
  const servers = descendantsOf(command.pid ?? 0).map(({ pid }) => pid)
  assert.ok(servers.length > 0)
  command.kill('SIGHUP')
  assert.deepEqual(await once(command, 'exit'), [129, null])
  await untilGone(servers)
})

test('a command that is told to end again while it ends leaves no database', async () => {
  const command = await startCommand("process.on('exit', () => process.kill(process.pid, 'SIGINT'))")
  const servers = descendantsOf(command.pid ?? 0).map(({ pid }) => pid)
  assert.ok(servers.length > 0)
  command.kill('SIGINT')
  assert.deepEqual(await once(command, 'exit'), [130, null])
  await untilGone(servers)
})

const INSTALLATION = {
  SALLYPORT_DATA_DIR: folder,
  SALLYPORT_SECRET_KEY: SECRET_KEY,
  DATABASE_URL: database.appUrl,
  DATABASE_OWNER_URL: database.ownerUrl,
}

test('a database that goes away under a command is one line that says what to do', async () => {
  const loseDatabase = async (): Promise<void> => {
    const client = new Client(database.appUrl)
    client.on('error', () => undefined)
    await client.connect()
    await client.query('SELECT pg_terminate_backend(pg_backend_pid())')
  }
  const lost = {
    name: 'OperatorError',
    message: /^the database stopped answering \(terminating .*: start it, /,
  }
  const settings = await readConfig(INSTALLATION)
  await assert.rejects(withDatabase(settings, loseDatabase, { create: undefined }), lost)
  // As what migrates says it.
  const migrate = (): Promise<void> =>
    loseDatabase().catch((cause: unknown) => {
      throw new Error('The database could not be migrated', { cause })
    })
  await assert.rejects(withDatabase(settings, migrate, { create: undefined }), lost)
})

test('a file that is not there is not taken for a database that is away', async () => {
  const readNothing = (): Promise<Buffer> => readFile(join(folder, 'nothing'))
  const settings = await readConfig(INSTALLATION)
  await assert.rejects(withDatabase(settings, readNothing, { create: undefined }), { code: 'ENOENT' })
})

test('a traffic store that is away is one line that says so', async () => {
  const file = join(folder, 'monday.sallyport')
  const environment = { ...INSTALLATION, CLICKHOUSE_URL: 'http://127.0.0.1:9' }
  const failure = await runCommand(environment, 'backup', file)
  assert.equal(failure.code, CANNOT_START)
  assert.match(
    failure.stderr,
    /^sallyport: the traffic store does not answer \(connect ECONNREFUSED 127\.0\.0\.1:9\): [^\n]+\n$/,
  )
})
