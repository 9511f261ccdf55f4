import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { bareEnvironment } from '../../../../test/support/environment.ts'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { CANNOT_START } from '../../src/roles/run-role.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
const folder = temporaryFolder({ after })

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const sallyport = (args: string[], environment: Record<string, string> = {}): Promise<Ended> =>
  promisify(execFile)(process.execPath, [MAIN, ...args], {
    env: { ...bareEnvironment, ...environment },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: Ended) => error,
  )

test('create writes what the control plane sends, for the site and window asked for', async (context) => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`)
    if (request.url?.includes('unknown'))
      response
        .writeHead(404, { 'content-type': 'application/problem+json' })
        .end('{"status":404,"title":"Not found","detail":"There is no such site."}')
    else response.end('the evidence')
  })
  const { url } = await listenForTest(context, server)
  const file = join(folder, 'created.tar')
  const key = { SALLYPORT_API_KEY: 'ak_live_x' }
  const made = await sallyport(
    ['evidence', 'create', 'site-1', '--url', url, '--gte', 'now-7d/d', '--output', file],
    key,
  )
  assert.equal(made.code, 0, made.stderr)
  assert.equal(readFileSync(file, 'utf8'), 'the evidence')
  assert.deepEqual(asked, ['/api/Evidence/site-1?gte=now-7d%2Fd Bearer ak_live_x'])
  const unknown = await sallyport(['evidence', 'create', 'unknown', '--url', url], key)
  assert.equal(unknown.code, 1)
  assert.equal(unknown.stderr, 'sallyport: 404 There is no such site.\n')
  assert.match((await sallyport(['evidence', 'create', 'site-1', '--url', url])).stderr, /name an API key/)
  const elsewhere = { ...key, SALLYPORT_URL: `${url}/` }
  assert.equal(
    (await sallyport(['evidence', 'create', 'site-1', '--project', 'p-1', '--output', file], elsewhere)).code,
    0,
  )
  assert.equal(asked.at(-1), '/api/Evidence/site-1?project=p-1 Bearer ak_live_x')
  const nowhere = await sallyport(['evidence', 'create', 'site-1', '--url', 'nonsense'], key)
  assert.equal(
    nowhere.stderr,
    'sallyport: nonsense is not the URL of a control plane: it begins with http:// or https://\n',
  )
  server.close()
})

test('evidence that breaks off leaves what was there, and one that is whole is for its owner alone', async (context) => {
  let isWhole = false
  const server = createServer((_request, response) => {
    if (isWhole) return response.end('whole')
    response.write('half')
    return setTimeout(() => response.destroy(), 100)
  })
  const { url } = await listenForTest(context, server)
  const ours = join(folder, 'ours')
  mkdirSync(ours)
  const file = join(ours, 'kept.tar')
  writeFileSync(file, 'of before', { mode: 0o644 })
  const create = (output: string) =>
    sallyport(['evidence', 'create', 'site-1', '--url', url, '--output', output], {
      SALLYPORT_API_KEY: 'ak_live_x',
    })
  assert.match((await create(file)).stderr, /^sallyport: the evidence could not be written whole: /)
  assert.equal(readFileSync(file, 'utf8'), 'of before')
  isWhole = true
  assert.equal((await create(file)).code, 0)
  assert.equal(readFileSync(file, 'utf8'), 'whole')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal((await create('/dev/null')).stderr, 'sallyport: --output: /dev/null is no file\n')
  assert.deepEqual(readdirSync(ours), ['kept.tar'])
  server.close()
})

test('verify says what is wrong and exits with 1', async () => {
  const file = join(folder, 'not-evidence.tar')
  writeFileSync(file, 'not an archive')
  const checked = await sallyport(['evidence', 'verify', file, '--json'])
  assert.equal(checked.code, 1)
  assert.equal(JSON.parse(checked.stdout).intact, false)
})

test('verify says that a file is not there, instead of calling it changed', async () => {
  const checked = await sallyport(['evidence', 'verify', join(folder, 'missing.tar')])
  assert.equal(checked.code, CANNOT_START)
  assert.match(checked.stderr, /^sallyport: the evidence cannot be read: ENOENT.*\n$/)
  assert.equal(checked.stdout, '')
})

test('verify says that a folder is none', async () => {
  const checked = await sallyport(['evidence', 'verify', folder])
  assert.match(checked.stderr, /^sallyport: the evidence cannot be read: .* is a folder\n$/)
})

test('verify refuses a fingerprint that is none, instead of comparing nothing', async () => {
  const checked = await sallyport(['evidence', 'verify', join(folder, 'any.tar'), '--key', ''])
  assert.equal(checked.code, 1)
  assert.match(checked.stderr, /It is not sha256:/)
  assert.equal(checked.stdout, '')
})
