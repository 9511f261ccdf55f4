/** `sallyport traffic copy`, as an operator runs it: from an installation's embedded engine to a server, cut off on the way. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startClickHouse } from '../../../../../test/support/clickhouse/server.ts'
import { bareEnvironment } from '../../../../../test/support/environment.ts'
import { eventually, startInstallation } from '../../../../../test/support/installation.ts'
import { startOrigin } from '../../../../../test/support/origin.ts'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'

const MAIN = join(import.meta.dirname, '../../../src/main.ts')
const folder = temporaryFolder({ after })

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command; it gets a signal once it has written `until` to standard error, and again, as npm passes Ctrl-C on a second time. */
async function sallyport(
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
  cut?: { readonly until: string; readonly signal: NodeJS.Signals },
): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...bareEnvironment, ...environment } })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    if (!cut || child.killed || !stderr.includes(cut.until)) return
    child.kill(cut.signal)
    setTimeout(() => child.kill(cut.signal), 20)
  })
  await once(child, 'close')
  return { code: child.exitCode, stdout, stderr }
}

test('from embedded to a server, stopped and killed on the way', { timeout: 180_000 }, async (context) => {
  const origin = await startOrigin()
  const server = await startClickHouse()
  const dataDir = join(folder, 'data')
  const first = await startInstallation({ dataDir })
  context.after(async () => {
    await first.remove()
    await origin.close()
    await server.remove()
  })
  const total = async (installation: typeof first): Promise<number> => {
    const path = '/api/Analytics/getTotalRequest'
    const { body } = await installation.api<string>('GET', path)
    return JSON.parse(body).total
  }
  const site = { originName: origin.url, gatedName: 'shop.gate.localhost', isActive: true }
  assert.equal((await first.api('POST', '/api/Sites', site)).status, 201)
  await eventually(async () => (await first.gate('shop.gate.localhost', '/')).status === 200)
  for (let number = 0; number < 20; number++) await first.gate('shop.gate.localhost', `/${number}`)
  const counted = await eventually(async () => {
    const before = await total(first)
    await delay(1_500)
    return before > 20 && before === (await total(first)) && before
  })

  const environment = { SALLYPORT_DATA_DIR: dataDir }
  const withServer = { ...environment, CLICKHOUSE_URL: server.url }
  const copy = ['traffic', 'copy', '--json']
  assert.match((await sallyport(environment, copy)).stderr, /^sallyport: CLICKHOUSE_URL: must be set/)
  const running = await sallyport(withServer, copy)
  assert.equal(running.code, 78, running.stderr)
  assert.match(running.stderr, /another Sallyport process may be using it/)
  await first.stop()

  const stopped = await sallyport(withServer, copy, { until: 'api_observations', signal: 'SIGINT' })
  assert.equal(stopped.code, 78, stopped.stderr)
  assert.match(stopped.stderr, /the copy was stopped: run it again/)
  const killed = await sallyport(withServer, copy, { until: 'api_observations', signal: 'SIGKILL' })
  assert.deepEqual([killed.code, killed.stdout], [null, ''])
  const done = await sallyport(withServer, copy)
  assert.equal(done.code, 0, done.stderr)
  const { tables, differences } = JSON.parse(done.stdout)
  assert.deepEqual(differences, [])
  assert.ok(tables.requests.rows >= counted, done.stdout)
  assert.equal(tables.requests.copied, tables.requests.rows)

  const second = await startInstallation({ dataDir, environment: { CLICKHOUSE_URL: server.url } })
  context.after(() => second.stop())
  assert.equal(await total(second), counted)
})

test('a source that cannot be read, or is none', async () => {
  const environment = {
    SALLYPORT_DATA_DIR: join(folder, 'none'),
    SALLYPORT_SECRET_KEY: '0'.repeat(64),
    CLICKHOUSE_URL: 'http://127.0.0.1:9',
  }
  const copyFrom = (...args: string[]) => sallyport(environment, ['traffic', 'copy', ...args])
  const none = await copyFrom()
  assert.equal(none.code, 78)
  assert.match(none.stderr, /^sallyport: there is no .*clickhouse: name the ClickHouse to copy from/)
  const missing = await copyFrom('--from-file', join(folder, 'missing'))
  assert.match(missing.stderr, /^sallyport: --from-file: .*missing cannot be read \(ENOENT\)/)
  const file = join(folder, 'bad')
  writeFileSync(file, 'ftp://user:hidden@host')
  const bad = await copyFrom('--from-file', file)
  assert.match(bad.stderr, /^sallyport: --from-file: .* must be a URL that begins with http/)
  assert.doesNotMatch(bad.stderr, /hidden/)
})
