/** One of two control planes hangs: what is closed through the other one holds at the gateway all the same. */
import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import { after, test } from 'node:test'
import { callApi, eventually, startInstallation } from '../../support/installation.ts'
import { freePorts, listenOnLoopback } from '../../support/loopback.ts'
import { type RoleProcess, startSecondControl } from '../../support/role-process.ts'
import { createSite } from '../../support/site.ts'

const SHOP = 'shop.gate.localhost'
const [secondPort = 0] = await freePorts(1)
const secondUrl = `http://127.0.0.1:${secondPort}`
const installation = await startInstallation({ between: async (first) => `${first},${secondUrl}` })
let second: RoleProcess | undefined
after(async () => {
  await second?.close()
  await installation.remove()
})
second = await startSecondControl(installation, secondPort)
const pids = [installation.process('control').pid, second.pid] as const

const origin = await listenOnLoopback(
  createServer((message, response) => {
    if (message.url !== '/stream') return response.end('ok')
    const timer = setInterval(() => response.write('more'), 20)
    return response.on('close', () => clearInterval(timer))
  }),
)
after(() => origin.close())

const { researcher, apiKey } = installation.firstRun
const call = (index: 0 | 1, method: string, path: string, body?: unknown) =>
  callApi(index === 0 ? installation.controlUrl : secondUrl, method, path, body, apiKey)
const site = await createSite(installation, SHOP, origin.url)

/** Opens a stream through the gate; resolves when it has begun, with when it ends. */
async function openStream(): Promise<{ readonly ended: Promise<void> }> {
  const gone = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const { port } = new URL(installation.gatewayUrl)
  const outgoing = request({
    port,
    host: '127.0.0.1',
    path: '/stream',
    headers: { host: SHOP, 'sallyport-key': researcher.key },
  })
  outgoing.on('response', (answer) => {
    answer.once('data', () => begun.resolve())
    answer.on('close', () => gone.resolve())
    answer.on('error', () => gone.resolve())
  })
  outgoing.on('error', () => gone.resolve())
  outgoing.end()
  await begun.promise
  return { ended: gone.promise }
}

const statusOf = async (): Promise<number> => (await installation.gate(SHOP, '/')).status

/** Freezes one control plane, closes by the other, and waits until nothing is served; then thaws it. */
async function closeBeside(frozen: 0 | 1, close: (healthy: 0 | 1) => Promise<{ readonly status: number }>) {
  const stream = await openStream()
  process.kill(pids[frozen], 'SIGSTOP')
  try {
    const { status } = await close(frozen === 0 ? 1 : 0)
    assert.ok(status < 300, String(status))
    await stream.ended
    await eventually(async () => (await statusOf()) !== 200)
  } finally {
    process.kill(pids[frozen], 'SIGCONT')
  }
}

test('the kill switch, a pause and a closed site hold while a control plane hangs, whichever it is', async () => {
  assert.equal(await statusOf(), 200)
  // The gateway follows the first one, then the one that it went over to, and back again.
  await closeBeside(0, (healthy) => call(healthy, 'POST', '/api/Organization/stop'))
  await call(1, 'POST', '/api/Organization/resume')
  await eventually(async () => (await statusOf()) === 200)

  await closeBeside(1, (healthy) => call(healthy, 'PATCH', `/api/Hackers/${researcher.id}`, { paused: true }))
  await call(0, 'PATCH', `/api/Hackers/${researcher.id}`, { paused: false })
  await eventually(async () => (await statusOf()) === 200)

  await closeBeside(0, (healthy) => call(healthy, 'GET', `/api/Sites/disable/${site.id}`))
})
