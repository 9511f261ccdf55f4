import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { createTestDatabase } from '../../../../test/support/postgres.ts'
import { choosePlace, findRunningPostgres, startPostgres } from '../../src/embedded/postgres.ts'

const folders: string[] = []
const makeFolder = (mode: number): string => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-postgres-'))
  chmodSync(folder, mode)
  folders.push(folder)
  return folder
}
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const FAST = { fsync: 'off', shared_buffers: '16MB' }

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(text)
    return rows
  } finally {
    await client.end()
  }
}

/** Whether a process runs; one that has ended may linger as a zombie where nobody collects orphans. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('keeps its data through a stop and a start, in a folder that only its owner may pass', async () => {
  const directory = join(makeFolder(0o700), 'postgres')
  const first = await startPostgres({ directory, settings: FAST })
  await query(first.ownerUrl, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)')
  await first.stop()
  const second = await startPostgres({ directory, settings: FAST })
  assert.deepEqual(await query(second.ownerUrl, 'SELECT n FROM kept'), [{ n: 7 }])
  await second.stop()
})

test('a folder may be called as its owner likes', async () => {
  const directory = join(makeFolder(0o755), `a, b'c "d" $e %f #g`)
  const server = await startPostgres({ directory, settings: FAST })
  assert.deepEqual(await query(findRunningPostgres(directory)?.appUrl ?? '', 'SELECT 1 AS one'), [{ one: 1 }])
  await server.stop()
})

test('passwords that are lost are made anew before there is a cluster, and never beside one', () => {
  const directory = makeFolder(0o700)
  const file = join(directory, 'credentials.json')
  writeFileSync(file, '')
  const { ownerUrl } = choosePlace(directory)
  assert.equal(choosePlace(directory).ownerUrl, ownerUrl)
  mkdirSync(join(directory, 'cluster'))
  assert.equal(choosePlace(directory).ownerUrl, ownerUrl)
  writeFileSync(file, '')
  assert.throws(
    () => choosePlace(directory),
    /credentials\.json.* is damaged: put it back, or restore a backup/,
  )
  rmSync(file)
  assert.throws(() => choosePlace(directory), /credentials\.json.* is missing: put it back/)
  assert.equal(existsSync(file), false)
})

test('why it does not start is what it says now, whatever stands before that in its log', async () => {
  const directory = makeFolder(0o755)
  choosePlace(directory)
  mkdirSync(join(directory, 'cluster'), { mode: 0o700 })
  writeFileSync(join(directory, 'server.log'), 'FATAL:  that was long ago\n')
  await assert.rejects(startPostgres({ directory, settings: FAST }), {
    name: 'OperatorError',
    message:
      /^PostgreSQL did not start: postgres: could not access .*postgresql\.conf.* \(more in .*server\.log\)$/,
  })
})

test('a folder in the place of the passwords is named', () => {
  const directory = makeFolder(0o700)
  mkdirSync(join(directory, 'credentials.json'))
  assert.throws(() => choosePlace(directory), /credentials\.json is a folder, where a file is kept: /)
})

test('the application role owns nothing and cannot bypass row-level security', async () => {
  const directory = makeFolder(0o755)
  const server = await startPostgres({ directory, settings: FAST })
  const [role] = await query(
    server.appUrl,
    'SELECT rolname, rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname = current_user',
  )
  assert.deepEqual(role, {
    rolname: 'sallyport_app',
    rolsuper: false,
    rolbypassrls: false,
    rolcreaterole: false,
  })
  await assert.rejects(query(server.appUrl.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1'), /password/)
  assert.equal(statSync(join(directory, 'credentials.json')).mode & 0o777, 0o600)
  await server.stop()
})

/** A process that starts a server, and does `afterwards`; resolves with the server's process id once it is up. */
async function startElsewhere(directory: string, afterwards: string) {
  const module = join(import.meta.dirname, '../../src/embedded/postgres.ts')
  const script = `
    const { startPostgres } = await import(${JSON.stringify(module)})
    const server = await startPostgres({ directory: ${JSON.stringify(directory)}, settings: { shared_buffers: '16MB' } })
    console.log(server.pid)
    ${afterwards}`
  const supervisor = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pid = await new Promise<number>((done) =>
    supervisor.stdout.once('data', (text) => done(Number(text))),
  )
  return { supervisor, pid }
}

test('does not outlive a supervisor that ends before it stopped it', async () => {
  const { pid } = await startElsewhere(makeFolder(0o711), 'process.exit()')
  while (isRunning(pid)) await delay(10)
})

test('takes over from a server whose supervisor was killed', async () => {
  const directory = makeFolder(0o711)
  const { supervisor, pid: orphan } = await startElsewhere(directory, 'setInterval(() => {}, 1000)')
  supervisor.kill('SIGKILL')
  assert.ok(isRunning(orphan))

  const server = await startPostgres({ directory, settings: FAST })
  assert.ok(!isRunning(orphan))
  await query(server.ownerUrl, 'SELECT 1')
  await server.stop()
})

test('takes over from a server that was killed while a connection was busy, and from nobody else in its folder', async (context) => {
  const directory = makeFolder(0o711)
  const killed = await startPostgres({ directory, settings: FAST })
  const client = new Client({ connectionString: killed.ownerUrl })
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const orphan = rows[0]?.pid ?? 0
  const busy = client.query('SELECT count(*) FROM generate_series(1, 1000000000000)')
  busy.catch(() => undefined)
  // It looks whether its server lives only where it waits for something.
  while (!/^\d+ \(.*\) R/.test(readFileSync(`/proc/${orphan}/stat`, 'utf8'))) await delay(10)
  await delay(100)
  const bystander = spawn('sleep', ['60'], { cwd: join(directory, 'cluster') })
  process.kill(killed.pid, 'SIGKILL')
  await killed.exited
  assert.ok(isRunning(orphan))
  context.after(() => isRunning(orphan) && process.kill(orphan, 'SIGKILL'))

  const server = await startPostgres({ directory, settings: FAST })
  assert.ok(!isRunning(orphan))
  await query(server.ownerUrl, 'SELECT 1')
  await server.stop()
  assert.ok(bystander.kill())
})

test('what a server whose supervisor was killed has in the temporary folder goes with it', async (context) => {
  // Its socket would have too long a name in its own folder.
  const directory = join(makeFolder(0o711), 'x'.repeat(80))
  const temporary = makeFolder(0o711)
  const before = process.env.TMPDIR
  process.env.TMPDIR = temporary
  context.after(() => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  })
  const somebodyElses = join(temporary, 'sallyport-backup-Ab12Cd')
  mkdirSync(somebodyElses)
  const { supervisor } = await startElsewhere(directory, 'setInterval(() => {}, 1000)')
  supervisor.kill('SIGKILL')
  assert.equal(readdirSync(temporary).length, 2)

  const server = await startPostgres({ directory, settings: FAST })
  await query(server.ownerUrl, 'SELECT 1')
  assert.equal(readdirSync(temporary).length, 2, 'its own one alone')
  await server.stop()
  assert.deepEqual(readdirSync(temporary), ['sallyport-backup-Ab12Cd'])
})

/** A process that makes a cluster in the directory and starts it, to be killed on the way. */
function superviseElsewhere(directory: string) {
  const module = join(import.meta.dirname, '../../src/embedded/postgres.ts')
  const script = `
    const { startPostgres } = await import(${JSON.stringify(module)})
    await startPostgres({ directory: ${JSON.stringify(directory)} })`
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
}

/** Resolves once `initdb` writes a cluster in the directory. */
async function untilMaking(directory: string): Promise<void> {
  const isWriting = (name: string): boolean =>
    name.startsWith('making') && existsSync(join(directory, name, 'cluster', 'global'))
  while (!readdirSync(directory).some(isWriting)) await delay(2)
}

test('makes its cluster though the supervisor of the first attempt was killed and that attempt goes on', async () => {
  const directory = makeFolder(0o711)
  const supervisor = superviseElsewhere(directory)
  await untilMaking(directory)
  supervisor.kill('SIGKILL')

  const server = await startPostgres({ directory, settings: FAST })
  await query(server.ownerUrl, 'SELECT 1')
  await server.stop()
})

test('a server without its roles, as one killed on its first start leaves it, is not taken for a running one', async () => {
  const directory = makeFolder(0o711)
  const supervisor = superviseElsewhere(directory)
  const pidFile = join(directory, 'cluster', 'postmaster.pid')
  while (!existsSync(pidFile) || !/^ready/m.test(readFileSync(pidFile, 'utf8'))) await delay(1)
  supervisor.kill('SIGKILL')
  const orphan = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
  assert.ok(isRunning(orphan))
  assert.equal(findRunningPostgres(directory), undefined)

  const server = await startPostgres({ directory, settings: FAST })
  assert.ok(!isRunning(orphan))
  await query(findRunningPostgres(directory)?.ownerUrl ?? '', 'SELECT 1')
  await server.stop()
})

test('a start that is called off while the cluster is made ends at once, and leaves nothing', async () => {
  const directory = makeFolder(0o711)
  const stopping = new AbortController()
  const started = startPostgres({ directory, signal: stopping.signal })
  await untilMaking(directory)
  stopping.abort()
  await assert.rejects(started, /could not make its cluster/)
  assert.deepEqual(readdirSync(directory), ['credentials.json'])
})

test('a process id file that names another program does not stop it from starting', async () => {
  const directory = makeFolder(0o711)
  const first = await startPostgres({ directory, settings: FAST })
  const pidFile = join(directory, 'cluster', 'postmaster.pid')
  const lines = readFileSync(pidFile, 'utf8').split('\n')
  await first.stop()
  writeFileSync(pidFile, [String(process.pid), ...lines.slice(1)].join('\n'))
  const second = await startPostgres({ directory, settings: FAST })
  await second.stop()
})

test('test databases are separate', async () => {
  const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()])
  await query(one.ownerUrl, 'CREATE TABLE only_here (n int)')
  await assert.rejects(query(two.ownerUrl, 'SELECT * FROM only_here'), /does not exist/)
  await Promise.all([one.drop(), two.drop()])
  await assert.rejects(query(one.appUrl, 'SELECT 1'), /does not exist/)
})
