/** PostgreSQL hangs, so nothing can be closed by the API: the operator closes at the gateway, and that is known later. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { bareEnvironment } from '../../support/environment.ts'
import { eventually, startInstallation } from '../../support/installation.ts'
import { startOrigin } from '../../support/origin.ts'
import { descendantsOf } from '../../support/processes.ts'
import { createSite } from '../../support/site.ts'

const MAIN = resolve(import.meta.dirname, '../../../packages/sallyport/src/main.ts')
const SHOP = 'shop.gate.localhost'
const installation = await startInstallation()
after(() => installation.remove())
const origin = await startOrigin()
after(() => origin.close())
await createSite(installation, SHOP, origin.url)

const sallyport = async (...args: string[]) => {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args, '--json'], {
    env: {
      ...bareEnvironment,
      SALLYPORT_DATA_DIR: installation.dataDir,
      SALLYPORT_GATEWAY_ADMIN_PORT: new URL(installation.gatewayAdminUrl).port,
    },
  })
  return JSON.parse(stdout)
}
const statusOf = async (): Promise<number> => (await installation.gate(SHOP, '/')).status
/** The gateway may be away. */
const statusNow = (): Promise<number> => statusOf().catch(() => 0)

test('closed at the gateway while PostgreSQL hangs, after a restart too, and in the log once it is back', async () => {
  assert.equal(await statusOf(), 200)
  const postgres = descendantsOf(installation.process('supervisor').pid)
    .filter(({ command }) => command.includes('postgres'))
    .map(({ pid }) => pid)
  assert.ok(postgres.length > 0)
  for (const pid of postgres) process.kill(pid, 'SIGSTOP')
  try {
    const [closed] = await sallyport('gateway', 'close', '--reason', 'the database hangs')
    assert.deepEqual([closed.closed, closed.reason], ['everything', 'the database hangs'])
    assert.equal(await statusOf(), 503)
    const { pid } = installation.process('gateway')
    process.kill(pid, 'SIGKILL')
    await eventually(async () => (await statusNow()) === 503, 20_000)
    assert.equal((await sallyport('gateway', 'closed')).length, 1)
  } finally {
    for (const pid of postgres) process.kill(pid, 'SIGCONT')
  }
  assert.equal(await statusOf(), 503, 'only the operator opens it')
  assert.deepEqual(await sallyport('gateway', 'open', '--reason', 'it is back'), [])
  await eventually(async () => (await statusNow()) === 200, 10_000)
  const log = await eventually(async () => {
    const entries: { action: string; after: { reason: string; scope: object } }[] = await sallyport(
      'audit',
      'installation',
    )
    return entries.length >= 2 ? entries : false
  }, 60_000)
  assert.deepEqual(
    log.map(({ action, after: { reason, scope } }) => [action, reason, scope]),
    [
      ['gateway.close', 'the database hangs', { kind: 'everything', id: '' }],
      ['gateway.open', 'it is back', { kind: 'everything', id: '' }],
    ],
  )
})
