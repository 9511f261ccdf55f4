/** What stops a start is one line on the error output, and the status that says that trying again does not help. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { startClickHouse } from '../../../../test/support/clickhouse/server.ts'
import { bareEnvironment } from '../../../../test/support/environment.ts'
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { CANNOT_START } from '../../src/roles/run-role.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
const folder = temporaryFolder({ after })

/** What a role that cannot start has said. */
async function end(role: string, settings: Readonly<Record<string, string>>): Promise<{ stderr: string }> {
  const environment = {
    ...bareEnvironment,
    SALLYPORT_DATA_DIR: folder,
    SALLYPORT_CONTROL_PORT: '0',
    SALLYPORT_CONTROL_ADMIN_PORT: '0',
    SALLYPORT_GATEWAY_PORT: '0',
    SALLYPORT_GATEWAY_ADMIN_PORT: '0',
    ...settings,
  }
  const ended = promisify(execFile)(process.execPath, [MAIN, role], {
    env: environment,
    timeout: 30_000,
  })
  const { code, stderr } = await ended.then(
    () => assert.fail('it ended well'),
    (error: { code: number; stderr: string }) => error,
  )
  assert.equal(code, CANNOT_START, stderr)
  return { stderr }
}

/** The one line. */
async function fail(role: string, settings: Readonly<Record<string, string>>): Promise<string> {
  const { stderr } = await end(role, settings)
  const [line = '', ...more] = stderr.trimEnd().split('\n')
  assert.deepEqual(more, [])
  return line
}

test('a folder of certificates or a file of authorities that is not there', async () => {
  const missing = join(folder, 'missing')
  for (const name of ['SALLYPORT_TLS_DIR', 'SALLYPORT_ORIGIN_AUTHORITIES_FILE']) {
    const settings = { SALLYPORT_CONTROL_URL: 'http://127.0.0.1:9', [name]: missing }
    assert.match(await fail('gateway', settings), new RegExp(`^sallyport: ${name}: .*missing.*ENOENT`))
  }
})

test('authorities that are no certificates', async () => {
  const file = join(folder, 'authorities.pem')
  const given = { SALLYPORT_CONTROL_URL: 'http://127.0.0.1:9', SALLYPORT_ORIGIN_AUTHORITIES_FILE: file }
  writeFileSync(file, 'root:x:0:0:root:/root:/bin/sh\n')
  assert.match(
    await fail('gateway', given),
    /^sallyport: SALLYPORT_ORIGIN_AUTHORITIES_FILE: .*PEM.*: correct/,
  )
  writeFileSync(file, '')
  // Past that check, what is missing next is the token.
  assert.match(await fail('gateway', given), /^sallyport: this gateway is not enrolled: /)
  rmSync(file)
})

test('a gateway whose way to the control plane others can read', async () => {
  for (const host of [
    'control.example.com',
    '192.0.2.1',
    '[2001:db8::1]',
    'localhost.example.com',
    '128.0.0.1',
  ]) {
    const given = { SALLYPORT_CONTROL_URL: `http://${host}:7070`, SALLYPORT_GATEWAY_TOKEN: 'a'.repeat(16) }
    assert.match(await fail('gateway', given), /^sallyport: SALLYPORT_CONTROL_URL: is plain HTTP to .*https:/)
  }
  // Past that check, what is missing next is the token.
  for (const [url, allowed] of [
    ['http://control.example.com', 'control.example.com'],
    ['http://[2001:DB8::1]', 'other, [2001:db8::1]'],
    ['https://control.example.com', ''],
    ['http://localhost:1', ''],
    ['http://127.8.9.1:1', ''],
    ['http://[::1]:1', ''],
  ]) {
    const given = { SALLYPORT_CONTROL_URL: url ?? '', SALLYPORT_ALLOW_PLAIN_CONTROL_URL: allowed ?? '' }
    assert.match(
      await fail('gateway', given),
      /^sallyport: this gateway is not enrolled: .*SALLYPORT_GATEWAY_TOKEN/,
      url,
    )
  }
})

test('a gateway on its own without a token, for which it makes none', async () => {
  const line = await fail('gateway', { SALLYPORT_CONTROL_URL: 'http://127.0.0.1:9' })
  assert.match(line, /^sallyport: this gateway is not enrolled: .*SALLYPORT_GATEWAY_TOKEN/)
  assert.deepEqual(readdirSync(folder), [])
})

test('a control plane without a database, for which it makes no secrets', async () => {
  const given = { CLICKHOUSE_URL: 'http://127.0.0.1:9' }
  assert.match(await fail('control', given), /^sallyport: DATABASE_URL: must be set/)
  assert.deepEqual(readdirSync(folder), [])
})

test('a folder where a file is kept, and a file where a folder is', async () => {
  const control = { DATABASE_URL: 'postgres://127.0.0.1:9/none' }
  const gateway = { SALLYPORT_CONTROL_URL: 'http://127.0.0.1:9', SALLYPORT_GATEWAY_TOKEN: 'a'.repeat(16) }
  for (const [role, given, name] of [
    ['control', control, 'secrets.json'],
    ['gateway', gateway, 'gateway/id'],
    ['gateway', gateway, 'gateway/admin-token'],
    ['gateway', gateway, 'gateway/credential.json'],
    ['gateway', gateway, 'gateway/closures.json'],
    ['gateway', gateway, 'gateway/snapshot.ndjson'],
  ] as const) {
    mkdirSync(join(folder, name), { recursive: true })
    const { stderr } = await end(role, given)
    assert.match(stderr, new RegExp(`^sallyport: .*${name} is a folder, where a file is kept: .*$`, 'm'))
    assert.doesNotMatch(stderr, /^ +at /m)
    rmSync(join(folder, name), { recursive: true })
  }
  writeFileSync(join(folder, 'gateway/journal'), '')
  const { stderr } = await end('gateway', gateway)
  assert.match(stderr, /^sallyport: EEXIST: .*gateway\/journal'$/m)
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
})

test('a host that is none', async () => {
  const given = { SALLYPORT_CONTROL_HOST: 'a'.repeat(300), DATABASE_URL: 'postgres://127.0.0.1:9/none' }
  assert.match(await fail('control', given), /^sallyport: this machine has no address a+: .*CONTROL_PORT$/)
})

test('a variable that is no setting is told once, before what stops the start', async () => {
  const { stderr } = await end('control', { SALLYPORT_DATABASE_URL: 'postgres://127.0.0.1:9/none' })
  const [told = '', stop = '', ...more] = stderr.trimEnd().split('\n')
  assert.match(told, /^sallyport: ignored, .*: SALLYPORT_DATABASE_URL$/)
  assert.match(stop, /^sallyport: DATABASE_URL: must be set/)
  assert.deepEqual(more, [])
})

test('an engine that is not installed', async () => {
  const installed = readdirSync(folder)
  const hidden = { NODE_OPTIONS: `--import ${join(import.meta.dirname, '../support/hide-engines.ts')}` }
  assert.match(await fail('start', hidden), /^sallyport: there is no embedded PostgreSQL .*DATABASE_URL/)
  assert.equal(existsSync(join(folder, 'secrets.json')), false)
  const control = {
    ...hidden,
    DATABASE_URL: 'postgres://127.0.0.1:9/none',
    SALLYPORT_SECRET_KEY: '0'.repeat(64),
  }
  assert.match(await fail('control', control), /^sallyport: there is no embedded ClickHouse .*CLICKHOUSE_URL/)
  // Past that check, what is missing next is the database.
  const byUrl = { ...control, CLICKHOUSE_URL: 'http://127.0.0.1:9', SALLYPORT_GATEWAY_TOKEN: '0'.repeat(16) }
  assert.match(await fail('control', byUrl), /^sallyport: DATABASE_URL: /)
  for (const name of readdirSync(folder).filter((name) => !installed.includes(name)))
    rmSync(join(folder, name), { recursive: true })
})

test('a database whose secret key is missing', async () => {
  mkdirSync(join(folder, 'postgres', 'cluster'), { recursive: true })
  assert.match(await fail('start', {}), /^sallyport: .*secrets\.json is missing: .*SALLYPORT_SECRET_KEY/)
  assert.equal(existsSync(join(folder, 'secrets.json')), false)
  rmSync(join(folder, 'postgres'), { recursive: true })
})

test('a database that is missing beside the credentials of the first start', async () => {
  const file = join(folder, 'first-run.json')
  writeFileSync(file, '{}')
  assert.match(await fail('start', {}), /^sallyport: .*first-run\.json .*cluster, is missing: .*DATABASE_URL/)
  assert.equal(existsSync(join(folder, 'postgres', 'cluster')), false)
  assert.equal(existsSync(join(folder, 'secrets.json')), false)
  rmSync(file)
})

test('a gateway whose closures or credential are damaged', async () => {
  const directory = join(folder, 'gateway')
  mkdirSync(directory, { recursive: true })
  const given = { SALLYPORT_CONTROL_URL: 'http://127.0.0.1:9', SALLYPORT_GATEWAY_TOKEN: 'a'.repeat(16) }
  for (const [name, remedy] of [
    ['credential.json', 'gateway enroll'],
    ['closures.json', 'delete it to open everything'],
  ] as const) {
    const file = join(directory, name)
    writeFileSync(file, '')
    const { stderr } = await end('gateway', given)
    assert.match(stderr, new RegExp(`^sallyport: .*${name} is damaged.*${remedy}.*$`, 'm'))
    assert.doesNotMatch(stderr, /^ +at /m)
    rmSync(file)
  }
})

test('a journal that a version with another format has written', async () => {
  const journal = join(folder, 'gateway', 'journal')
  mkdirSync(journal, { recursive: true })
  writeFileSync(join(journal, '0000000001.journal'), '\nS9')
  const given = { SALLYPORT_CONTROL_URL: 'http://127.0.0.1:9', SALLYPORT_GATEWAY_TOKEN: 'a'.repeat(16) }
  for (const threads of ['1', '2']) {
    const { stderr } = await end('gateway', { ...given, SALLYPORT_GATEWAY_THREADS: threads })
    assert.match(stderr, /^sallyport: the journal in .* is of another format.*sallyport drain.*$/m)
    assert.doesNotMatch(stderr, /^ +at /m)
  }
  rmSync(journal, { recursive: true })
})

test('a file of the data directory that is somebody else’s', { skip: process.getuid?.() === 0 }, async () => {
  const file = join(folder, 'secrets.json')
  writeFileSync(file, '{}')
  chmodSync(file, 0)
  assert.match(await fail('start', {}), /^sallyport: EACCES.*secrets\.json/)
})

test('a disk that is full for PostgreSQL', async () => {
  const module = JSON.stringify(join(import.meta.dirname, '../../src/roles/run-role.ts'))
  const script = `const { failToStart } = await import(${module})
    const full = Object.assign(new Error('No space left on device'), { code: '53100' })
    failToStart(new Error('The database could not be migrated: No space left on device', { cause: full }))`
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  await assert.rejects(ended, {
    code: CANNOT_START,
    stderr: 'sallyport: The database could not be migrated: No space left on device\n',
  })
})

/** What a control plane needs to get as far as its stores. */
const onDatabase = ({ appUrl, ownerUrl }: TestDatabase) => ({
  DATABASE_URL: appUrl,
  DATABASE_OWNER_URL: ownerUrl,
  SALLYPORT_SECRET_KEY: '0'.repeat(64),
  SALLYPORT_GATEWAY_TOKEN: '0'.repeat(16),
})

test('a disk that is full when PostgreSQL is connected to', async (context) => {
  const fields = 'SFATAL\0C53100\0Mcould not write init file: No space left on device\0\0'
  const answer = Buffer.concat([
    Buffer.from('E\0\0\0'),
    Buffer.from([fields.length + 4]),
    Buffer.from(fields),
  ])
  const server = createServer((socket) => socket.once('data', () => socket.end(answer)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => server.close())
  const url = `postgres://one@127.0.0.1:${(server.address() as AddressInfo).port}/full`
  const given = { DATABASE_URL: url, DATABASE_OWNER_URL: url, SALLYPORT_SECRET_KEY: '0'.repeat(64) }
  const line = await fail('control', { ...given, SALLYPORT_GATEWAY_TOKEN: '0'.repeat(16) })
  assert.match(line, /^sallyport: DATABASE_OWNER_URL: the disk of the database is full .*: make room on it$/)
})

test('a database that a later version has migrated', async () => {
  const database = await createTestDatabase()
  const owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  await owner.query(`INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-later', '2026-01-01')`)
  await owner.end()
  const line = await fail('control', onDatabase(database))
  await database.drop()
  assert.match(line, /^sallyport: the database was migrated by a later version of Sallyport: /)
})

test('a PostgreSQL that is too old', async () => {
  const database = await createTestDatabase()
  const owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  // What the server says of itself, for who looks there first.
  await owner.query(`CREATE SCHEMA older;
    CREATE FUNCTION older.current_setting(name text) RETURNS text LANGUAGE sql
      AS $$ SELECT CASE name WHEN 'server_version' THEN '14.20' ELSE '140020' END $$`)
  await owner.end()
  const url = new URL(database.ownerUrl)
  url.searchParams.set('options', '-c search_path=older,pg_catalog,public')
  const line = await fail('control', { ...onDatabase(database), DATABASE_OWNER_URL: url.href })
  await database.drop()
  assert.equal(line, 'sallyport: the database is PostgreSQL 14.20: run PostgreSQL 15 or later')
})

test('a traffic store that a later version has migrated, by URL and embedded', async () => {
  const database = await createTestDatabase()
  const server = await startClickHouse()
  for (const statement of [
    'CREATE TABLE migrations (number UInt16, name String, applied DateTime DEFAULT now()) ENGINE = MergeTree ORDER BY number',
    "INSERT INTO migrations (number, name) VALUES (9999, 'later')",
  ])
    assert.equal((await fetch(server.url, { method: 'POST', body: statement })).status, 200)
  const byUrl = await fail('control', { ...onDatabase(database), CLICKHOUSE_URL: server.url })
  await server.kill()
  cpSync(server.dataDir, join(folder, 'clickhouse'), { recursive: true })
  const embedded = await fail('control', onDatabase(database))
  await server.remove()
  await database.drop()
  for (const line of [byUrl, embedded])
    assert.match(line, /^sallyport: the traffic store was migrated by a later version of Sallyport: /)
})
