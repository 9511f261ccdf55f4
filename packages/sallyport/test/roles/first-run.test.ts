/** The first run, broken off wherever it can be: nothing is made twice, and no credential is lost. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ControlSettings, issueFirstCredentials, openOperator } from '@sallyport/control'
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.ts'
import { prepareFirstRun } from '../../src/roles/first-run.ts'
import { firstRunFile, readFirstRun } from '../../src/roles/first-run-file.ts'

const urls = { controlUrl: 'http://127.0.0.1:1', gatewayUrl: 'http://127.0.0.1:2' }
let database: TestDatabase
let dataDir: string
let settings: ControlSettings

beforeEach(async () => {
  database = await createTestDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'sallyport-first-run-'))
  settings = settingsOf(database, dataDir)
})
afterEach(async () => {
  await database.drop()
  rmSync(dataDir, { recursive: true })
})

const settingsOf = (made: TestDatabase, folder: string): ControlSettings => ({
  host: '127.0.0.1',
  port: 0,
  adminHost: '127.0.0.1',
  adminPort: 0,
  version: '0.0.0',
  publicUrl: 'http://localhost:1',
  trustedProxies: [],
  gateDomain: 'gate.localhost',
  gatewayPublicUrl: 'http://gate.localhost:2',
  gateUrl: 'http://sallyport.gate.localhost:2',
  originProof: 'auto',
  allowPrivateOrigins: [],
  databaseUrl: made.appUrl,
  migrationDatabaseUrl: made.ownerUrl,
  clickhouse: { dataDir: join(folder, 'clickhouse') },
  secretKey: randomBytes(32),
  gatewayToken: 'token',
  oidc: null,
  notify: { webhookHosts: [], webhookPrivateAddresses: [], webhookPlainHosts: [], mail: null },
  consoleDir: null,
  logLevel: 'silent',
  traces: null,
})

const intentFile = () => `${firstRunFile({ dataDir })}.begun`
const prepare = () => prepareFirstRun(dataDir, settings, urls)

/** What there is now, after checking that the file tells of it. */
async function requireWhole(): Promise<{ organizationId: string; password: string; apiKey: string }> {
  const file = firstRunFile({ dataDir })
  const told = readFirstRun(file)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(existsSync(intentFile()), false, 'nothing is left to do')
  const operator = await openOperator(settings)
  try {
    assert.deepEqual(
      (await operator.listOrganizations()).map(({ id }) => id),
      [told.organizationId],
    )
    const [account, ...moreAccounts] = await operator.listAccounts(told.organizationId)
    const [key, ...moreKeys] = await operator.listApiKeys(told.organizationId)
    assert.deepEqual([account?.email, moreAccounts, moreKeys], [told.email, [], []])
    assert.ok(key && told.apiKey.startsWith(key.lookup))
    assert.match(told.researcher.key, /^rk_live_/)
    assert.equal((await operator.verifyAuditLog(told.organizationId)).isIntact, true)
  } finally {
    await operator.close()
  }
  const { organizationId, password, apiKey } = told
  return { organizationId, password, apiKey }
}

test('it is made once, and a second start leaves it alone', async () => {
  await prepare()
  const first = await requireWhole()
  await prepare()
  assert.deepEqual(await requireWhole(), first)
})

test('broken off before anything was made, it is made with the credentials on the disk', async () => {
  const credentials = issueFirstCredentials()
  writeFileSync(intentFile(), JSON.stringify(credentials))
  await prepare()
  assert.deepEqual(await requireWhole(), credentials)
})

test('broken off after the organization was made, and after the researcher was', async () => {
  for (const hasResearcher of [false, true]) {
    await database.drop()
    database = await createTestDatabase()
    settings = settingsOf(database, dataDir)
    rmSync(firstRunFile({ dataDir }), { force: true })
    const credentials = issueFirstCredentials()
    writeFileSync(intentFile(), JSON.stringify(credentials))
    const operator = await openOperator(settings)
    const owner = { name: 'My organization', email: 'owner@sallyport.local' }
    await operator.createOrganization(owner, credentials)
    if (hasResearcher)
      await operator.issueResearcherKey(credentials.organizationId, 'researcher@sallyport.local')
    await operator.close()
    await prepare()
    assert.deepEqual(await requireWhole(), credentials)
  }
})

test('broken off after everything, only the traces are removed', async () => {
  await prepare()
  const first = await requireWhole()
  writeFileSync(intentFile(), JSON.stringify(issueFirstCredentials()))
  await prepare()
  assert.deepEqual(await requireWhole(), first)
})

test('an organization that was there before is left alone', async () => {
  const operator = await openOperator(settings)
  await operator.createOrganization({ name: 'mine', email: 'me@example.com' })
  await operator.close()
  writeFileSync(intentFile(), JSON.stringify(issueFirstCredentials()))
  await prepare()
  assert.equal(existsSync(firstRunFile({ dataDir })), false)
  assert.equal(existsSync(intentFile()), false)
})

test('what was decided and is damaged is said with what to do, and replaced by nothing', async () => {
  for (const text of ['', '{', 'null', JSON.stringify({ ...issueFirstCredentials(), apiKey: undefined })]) {
    writeFileSync(intentFile(), text)
    await assert.rejects(prepare(), {
      name: 'OperatorError',
      message: /first-run\.json\.begun, .* is damaged: remove it, .*"sallyport keys create"$/,
    })
    assert.equal(readFileSync(intentFile(), 'utf8'), text)
  }
  rmSync(intentFile())
  await prepare()
  await requireWhole()
})

test('killed again and again, it is whole in the end', async () => {
  const given = JSON.stringify({
    dataDir,
    urls,
    settings: { ...settings, secretKey: settings.secretKey.toString('base64') },
  })
  const script = join(import.meta.dirname, '../support/first-run-process.ts')
  for (let lives = 0; !existsSync(firstRunFile({ dataDir })); lives++) {
    assert.ok(lives < 14, 'it never ends')
    const child = spawn(process.execPath, [script, given], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exit = once(child, 'exit')
    await Promise.race([once(child.stdout, 'data'), exit])
    await Promise.race([sleep(25 * 2 ** lives), exit])
    child.kill('SIGKILL')
    await exit
  }
  await prepare()
  await requireWhole()
})
