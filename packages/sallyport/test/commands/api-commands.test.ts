/** The admin API from the command line, against a real control plane. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { bareEnvironment } from '../../../../test/support/environment.ts'
import { startTestControl } from '../../../control/test/support/control.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
const folder = mkdtempSync(join(tmpdir(), 'sallyport-api-command-'))
const control = await startTestControl()
after(async () => {
  await control.close()
  rmSync(folder, { recursive: true })
})
const { keys } = await control.createOrganization('command')

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const access = { SALLYPORT_URL: control.url, SALLYPORT_API_KEY: keys.owner }
const sallyport = (args: readonly string[], environment: Record<string, string> = access): Promise<Ended> =>
  promisify(execFile)(process.execPath, [MAIN, ...args], {
    env: { ...bareEnvironment, SALLYPORT_DATA_DIR: folder, ...environment },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: Ended) => error,
  )

test('a site is made, changed, described and removed', async () => {
  const made = await sallyport([
    'api',
    'sitesCreate',
    'originName=command.example.com',
    'isActive:=true',
    '--json',
  ])
  assert.equal(made.code, 0, made.stderr)
  const { id, isActive } = JSON.parse(made.stdout)
  assert.equal(isActive, true)
  const limited = await sallyport(['api', 'sitesSetRateLimiting', `id=${id}`, 'rateLimit=fixed'])
  assert.match(limited.stdout, /rateLimit: fixed/)
  const document = join(folder, 'openapi.yaml')
  writeFileSync(document, 'openapi: 3.1.0\ninfo: {title: From a file, version: "1"}\npaths: {}\n')
  assert.equal((await sallyport(['api', 'sitesSetDefinition', id, '--body', `@${document}`])).code, 0)
  const learned = await sallyport(['api', 'sitesGetApiDefinition', id, '--json'])
  assert.equal(JSON.parse(learned.stdout).info.title, 'From a file')
  const removed = await sallyport(['api', 'sitesDelete', id])
  assert.deepEqual([removed.code, removed.stdout], [0, ''])
})

test('a list is followed to its end, or told where it goes on', async () => {
  for (const email of ['a', 'b', 'c'])
    await control.call('POST', '/api/Hackers', { key: keys.owner, body: { email: `${email}@example.com` } })
  const all = await sallyport(['api', 'hackersList', 'limit=1', '--all', '--json'])
  assert.equal(JSON.parse(all.stdout).items.length, 3)
  assert.match((await sallyport(['api', 'hackersList', 'limit=1'])).stdout, /next: /)
  assert.match((await sallyport(['api', 'hackersList'])).stdout, /a@example\.com/)
})

test('a refusal names every bad field, and ends with 1', async () => {
  const refused = await sallyport(['api', 'hackersCreate', 'email=nobody', 'paused=perhaps'])
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^sallyport: 400 /)
  assert.match(refused.stderr, /\/email: must be an e-mail address/)
  assert.match(refused.stderr, /\/paused: /)
})

test('without a key the first run of the data directory gives it, for its own control plane only', async () => {
  const without = await sallyport(['api', 'accountCurrentUser'], {})
  assert.match(without.stderr, /name an API key/)
  for (const damaged of ['', '[]', '{"apiKey": 7}', 'null']) {
    writeFileSync(join(folder, 'first-run.json'), damaged)
    const { code, stderr } = await sallyport(['api', 'accountCurrentUser'], {})
    assert.equal(code, 78)
    assert.match(stderr, /^sallyport: .*first-run\.json holds no credentials: .*keys create.*\n$/)
  }
  const firstRun = { controlUrl: control.url, apiKey: keys.viewer }
  writeFileSync(join(folder, 'first-run.json'), JSON.stringify(firstRun))
  const own = await sallyport(['api', 'accountCurrentUser', '--json'], {})
  assert.equal(JSON.parse(own.stdout).token, keys.viewer)
  const other = await sallyport(['api', 'accountCurrentUser'], { SALLYPORT_URL: 'http://127.0.0.1:9' })
  assert.match(other.stderr, /name an API key/)
  const away = await sallyport(['api', 'accountCurrentUser', '--api-key', 'k'], {
    SALLYPORT_URL: 'http://127.0.0.1:9',
  })
  assert.match(away.stderr, /does not answer/)
  assert.match((await sallyport(['api', 'nothing'])).stderr, /there is no operation nothing/)
})
