/** A gateway of several threads as an operator starts it: closed holds in all of them, and each request is recorded once. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { bareEnvironment } from '../../support/environment.ts'
import { startInstallation } from '../../support/installation.ts'
import { startOrigin } from '../../support/origin.ts'
import { createSite, untilDeployed } from '../../support/site.ts'

const MAIN = resolve(import.meta.dirname, '../../../packages/sallyport/src/main.ts')
const SHOP = 'shop.gate.localhost'
const THREADS = 2
const REQUESTS = 60

const installation = await startInstallation({
  environment: { SALLYPORT_GATEWAY_THREADS: String(THREADS) },
})
after(() => installation.remove())
const origin = await startOrigin()
after(() => origin.close())
const site = await createSite(installation, SHOP, origin.url)

const ask = async (): Promise<number> => (await installation.gate(SHOP, '/')).status
const askAll = (): Promise<number[]> => Promise.all(Array.from({ length: REQUESTS }, ask))

test('connections land on both threads, and the record has each request once', async () => {
  assert.deepEqual(new Set(await askAll()), new Set([200]))
  const metrics = await (await fetch(`${installation.gatewayAdminUrl}/metrics`)).text()
  const served = Array.from(
    metrics.matchAll(/^sallyport_thread_requests_total\{thread="\d"\} (\d+)$/gm),
    ([, count]) => Number(count),
  )
  assert.equal(served.length, THREADS)
  assert.ok(served.every((count) => count > 0))
  assert.equal(origin.seen.length, REQUESTS)
})

test('when the kill switch is said to be in force, it is so in both threads', async () => {
  const stopped = await installation.api('POST', '/api/Organization/stop')
  assert.ok(stopped.status < 300, JSON.stringify(stopped))
  await untilDeployed(installation, site.id)
  assert.deepEqual(new Set(await askAll()), new Set([503]))
})

test('a second gateway on the port is refused with a line that names the setting', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sallyport-second-'))
  try {
    const child = spawn(process.execPath, [MAIN, 'gateway'], {
      env: {
        ...bareEnvironment,
        SALLYPORT_DATA_DIR: dataDir,
        SALLYPORT_GATEWAY_THREADS: String(THREADS),
        SALLYPORT_GATEWAY_TOKEN: 'a token of sixteen characters',
        SALLYPORT_CONTROL_URL: installation.controlUrl,
        SALLYPORT_GATEWAY_PORT: new URL(installation.gatewayUrl).port,
        SALLYPORT_GATEWAY_ADMIN_PORT: '0',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [said, code] = await Promise.all([
      text(child.stderr),
      new Promise((resolveExit) => child.on('exit', resolveExit)),
    ])
    assert.equal(code, 78)
    assert.match(said, /is in use: .*SALLYPORT_GATEWAY_PORT/)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})
