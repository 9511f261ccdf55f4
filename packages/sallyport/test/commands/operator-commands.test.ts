import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { bareEnvironment } from '../../../../test/support/environment.ts'
import { createTestDatabase } from '../../../../test/support/postgres.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
const folder = mkdtempSync(join(tmpdir(), 'sallyport-commands-'))
const database = await createTestDatabase()
after(async () => {
  rmSync(folder, { recursive: true })
  await database.drop()
})

interface Failure {
  readonly code: number
  readonly stderr: string
  readonly stdout: string
}

const SECRET_KEY = randomBytes(32).toString('hex')

const run = (environment: Readonly<Record<string, string>>, ...args: string[]) =>
  promisify(execFile)(process.execPath, [MAIN, ...args], {
    env: { ...bareEnvironment, SALLYPORT_DATA_DIR: folder, ...environment },
  })

const failsWith = (environment: Readonly<Record<string, string>>, ...args: string[]): Promise<Failure> =>
  run(environment, ...args).then(
    () => assert.fail('it succeeded'),
    (error: Failure) => error,
  )

const INSTALLATION = {
  SALLYPORT_SECRET_KEY: SECRET_KEY,
  DATABASE_URL: database.appUrl,
  DATABASE_OWNER_URL: database.ownerUrl,
}

const sallyport = async (...args: string[]): Promise<string> => (await run(INSTALLATION, ...args)).stdout

const fails = (...args: string[]): Promise<Failure> => failsWith(INSTALLATION, ...args)

test('an organization is made, granted credits, given keys and accounts, and its log verifies', async () => {
  const made = JSON.parse(await sallyport('organizations', 'create', '--name', 'Acme', '--json'))
  assert.deepEqual(Object.keys(made), ['organizationId', 'email', 'password', 'apiKey'])
  const org = made.organizationId
  assert.match(await sallyport('organizations', 'list'), /Acme/)
  const granted = await sallyport('credits', 'grant', '25', '--org', org, '--reason', 'a start', '--json')
  assert.deepEqual(JSON.parse(granted), { balance: 25 })

  const key = JSON.parse(await sallyport('keys', 'create', '--org', org, '--name', 'ci', '--json'))
  await sallyport('keys', 'revoke', key.id, '--org', org)
  const keys: { id: string; revokedAt: string | null }[] = JSON.parse(
    await sallyport('keys', 'list', '--org', org, '--json'),
  )
  assert.deepEqual(
    keys.map(({ id, revokedAt }) => [id === key.id, revokedAt !== null]),
    [
      [false, false],
      [true, true],
    ],
  )
  const account = await sallyport(
    'accounts',
    'create',
    'a@acme.example',
    '--org',
    org,
    '--role',
    'viewer',
    '--json',
  )
  assert.equal(JSON.parse(account).password.length, 20)
  assert.match(await sallyport('accounts', 'list', '--org', org), /a@acme\.example +viewer/)

  const verified = JSON.parse(await sallyport('audit', 'verify', '--org', org, '--json'))
  assert.deepEqual([verified.isIntact, verified.entries], [true, 5])
})

test('a mistake is one line on the error output and a status that is not 0', async () => {
  const failure = await fails('organizations', 'suspend', 'nonsense')
  assert.equal(failure.stderr, 'sallyport: nonsense is not an id\n')
  assert.notEqual(failure.code, 0)
  assert.equal((await fails('credits', 'grant', '5', '--org', 'x')).code, 1, 'a missing option')
  const removal = await fails('firewall', 'remove', 'none', '--json')
  assert.equal(removal.stderr, 'sallyport: there is no rule set none\n')
})

test('an import of nothing, or whose report cannot be written, is one line and changes nothing', async () => {
  const file = join(folder, 'rules.conf')
  writeFileSync(file, 'SecRuleEngine On\n')
  const nothing = await fails('firewall', 'import', folder)
  assert.equal(nothing.stderr, `sallyport: no rule of ${folder} could be taken\n`)
  writeFileSync(
    file,
    `SecRule ARGS "@rx attack" "id:1,phase:2,block,msg:'m',tag:'attack-sqli',severity:'CRITICAL'"\n`,
  )
  const unwritten = await fails(
    'firewall',
    'import',
    folder,
    '--report',
    join(folder, 'missing', 'report.json'),
  )
  assert.match(unwritten.stderr, /^sallyport: the report cannot be written: ENOENT[^\n]*\n$/)
  assert.equal(await sallyport('firewall', 'list', '--json'), '[]\n')
})

test('a database that does not answer is one line, however it was named', async () => {
  const away = 'postgres://a:b@127.0.0.1:9/x'
  const named = { ...INSTALLATION, DATABASE_URL: away, DATABASE_OWNER_URL: away }
  const failure = await failsWith(named, 'organizations', 'list')
  assert.match(failure.stderr, /^sallyport: DATABASE_OWNER_URL: [^\n]*ECONNREFUSED[^\n]*\n$/)
})

test('a folder without an installation is called one, and nothing is made there', async () => {
  const missing = join(folder, 'nothing')
  const nowhere = await failsWith({ SALLYPORT_DATA_DIR: missing }, 'organizations', 'list')
  assert.match(
    nowhere.stderr,
    /^sallyport: there is no installation in [^\n]*nothing: set SALLYPORT_DATA_DIR [^\n]*\n$/,
  )
  assert.equal(nowhere.code, 78)
  // The password of the application's role follows the secret key: another one would shut out who works with it.
  const withoutKey = { SALLYPORT_DATA_DIR: missing, DATABASE_URL: database.ownerUrl }
  const keyless = await failsWith(withoutKey, 'organizations', 'list')
  assert.match(
    keyless.stderr,
    /^sallyport: there is no [^\n]*secrets\.json: [^\n]*SALLYPORT_SECRET_KEY[^\n]*\n$/,
  )
  assert.equal(existsSync(missing), false)
})

test('an organization may be made before the first start', async () => {
  const environment = { SALLYPORT_DATA_DIR: join(folder, 'new') }
  const made = await run(environment, 'organizations', 'create', '--name', 'First', '--json')
  assert.match(made.stderr, /^sallyport: there is no installation in [^\n]*new yet: it is made now\n$/)
  assert.match((await run(environment, 'organizations', 'list')).stdout, /First/)
})

test('a head that is not in the log makes the check fail', async () => {
  const { organizationId } = JSON.parse(await sallyport('organizations', 'create', '--name', 'B', '--json'))
  const failure = await fails('audit', 'verify', '--org', organizationId, '--head', 'ab'.repeat(32), '--json')
  assert.equal(failure.code, 1)
  assert.equal(JSON.parse(failure.stdout).isIntact, false)
})

test('an option or an argument that is empty does not pass for none', async () => {
  const { organizationId } = JSON.parse(await sallyport('organizations', 'create', '--name', 'C', '--json'))
  for (const head of ['', 'ab'.repeat(31)]) {
    const failure = await fails('audit', 'verify', '--org', organizationId, '--head', head)
    assert.match(failure.stderr, /^error: option '--head <hash>' argument .* is invalid. It is not 64 hexa/)
    assert.deepEqual([failure.code, failure.stdout], [1, ''])
  }
  const key = await fails('api', 'sitesList', '--api-key', '')
  assert.match(key.stderr, /^error: option '--api-key' is empty: give it a value, or leave it out\n/)
  assert.equal(key.code, 1)
  assert.match(
    (await fails('--config', '', 'organizations', 'list')).stderr,
    /^error: option '--config' is empty/,
  )
  assert.match((await fails('api', 'sitesDelete', '')).stderr, /^error: an argument is empty\n/)
})

test('a log that nobody has is not called intact', async () => {
  const unknown = await fails('audit', 'verify', '--org', '0190f3a0-0000-7000-8000-000000000000')
  assert.match(unknown.stderr, /^sallyport: there is no organization [^\n]*\n$/)
  assert.equal(
    (await fails('audit', 'verify', '--org', 'nonsense')).stderr,
    'sallyport: nonsense is not an id\n',
  )
  assert.match(await sallyport('audit', 'verify', '--org', 'installation'), /isIntact: true/)
})

test('policies and plans are made and listed, in words and in JSON', async () => {
  const site = { kind: 'fixed', limit: 3, windowMs: 60_000 }
  const made = await sallyport('policies', 'create', 'small', '--site', JSON.stringify(site), '--json')
  assert.deepEqual(JSON.parse(made), { name: 'small', site, perResearcher: null })
  await sallyport('plans', 'create', 'tiny', '--policies', 'small, fixed')
  const plans: { name: string }[] = JSON.parse(await sallyport('plans', 'list', '--json'))
  assert.deepEqual(
    plans.find(({ name }) => name === 'tiny'),
    { name: 'tiny', policies: ['small', 'fixed'], organizations: 0 },
  )
  assert.match(
    await sallyport('policies', 'list'),
    /small +\{"kind":"fixed","limit":3,"windowMs":60000\} +- +tiny +0/,
  )
  assert.match((await fails('policies', 'create', 'x', '--site', 'fixed')).stderr, /It is not JSON/)
  assert.match((await fails('plans', 'remove', 'standard')).stderr, /organizations have the plan standard/)
})

test('secrets are sealed anew, and it is said when nothing is left to do', async () => {
  assert.deepEqual(JSON.parse(await sallyport('secrets', 'reseal', '--json')), { resealed: 0, unreadable: 0 })
})

test('a gateway is given a token to be enrolled by, and only one that is enrolled can be revoked', async () => {
  const made = JSON.parse(await sallyport('gateways', 'token', '--gateway', 'edge-1', '--json'))
  assert.match(made.token, /^ge_live_\w{39}$/)
  assert.equal(made.gatewayId, 'edge-1')
  assert.equal((await sallyport('gateways', 'list', '--json')).trim(), '[]')
  const { organizationId: id } = JSON.parse(
    await sallyport('organizations', 'create', '--name', 'Bound', '--json'),
  )
  const ofOne = JSON.parse(await sallyport('gateways', 'token', '--organization', id, '--json'))
  assert.deepEqual(ofOne.organizations, [id])
  assert.match(
    (await fails('gateways', 'token', '--organization', id, crypto.randomUUID())).stderr,
    /no organization has the id/,
  )
  assert.match((await fails('gateways', 'revoke', 'edge-1')).stderr, /no gateway edge-1 has a credential/)
  assert.match((await fails('gateways', 'token', '--gateway', 'a name')).stderr, /letters, digits/)
  const log = await sallyport('audit', 'installation', '--json')
  assert.match(log, /"gateway.makeToken"/)
  assert.ok(!log.includes(made.token))

  const elsewhere = { SALLYPORT_CONTROL_URL: 'http://127.0.0.1:9' }
  const enroll = (more: Readonly<Record<string, string>>) =>
    failsWith({ ...elsewhere, ...more }, 'gateway', 'enroll')
  assert.match((await enroll({})).stderr, /there is no token/)
  assert.match((await enroll({ SALLYPORT_ENROLMENT_TOKEN: 'ge_live_x' })).stderr, /is no token/)
  const refused = await enroll({ SALLYPORT_ENROLMENT_TOKEN: made.token })
  assert.match(refused.stderr, /127\.0\.0\.1:9 does not answer/)
  assert.ok(!refused.stderr.includes(made.token))
})
