/**
 * Node-RED in Chromium, once by its own address and once behind the gate: logins, redirects, uploads and WebSockets
 * must look the same, nothing may lead past the gate, and the firewall should find nothing in it to report.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { TestBrowser } from '../../packages/gateway/test/support/test-browser.ts'
import { HOST, KEY, startTestDataPlane } from '../../packages/gateway/test/support/test-data-plane.ts'
import { startBrowser, withoutChromium } from '../browser/support/chromium.ts'
import { type Enter, enterBy } from './enter.ts'
import { type Seen, useEditor } from './use-editor.ts'

const notInstalled = existsSync(join(import.meta.dirname, 'node_modules/node-red'))
  ? false
  : 'Node-RED is not installed: npm ci --prefix test/real-application'
const FIREWALL_SHARE_MAX = 0.01

/** What a request said about where it was going, as the application saw it. */
interface Overheard {
  readonly url: string
  readonly host: string
  readonly origin?: string
  readonly referer?: string
  readonly cookie?: string
  readonly own: readonly string[]
}

interface Application {
  readonly port: number
  readonly overheard: Overheard[]
}

async function startApplication(context: TestContext): Promise<Application> {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, 'server.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  context.after(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  })
  assert.ok(child.stdout)
  const lines = createInterface(child.stdout)
  const overheard: Overheard[] = []
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => reject(new Error('Node-RED ended')))
    lines.on('line', (line) => {
      const said = JSON.parse(line)
      if ('port' in said) resolve(said.port)
      else overheard.push(said)
    })
  })
  return { port, overheard }
}

interface Visit {
  readonly seen: Seen
  readonly faults: readonly string[]
  /** Hosts, with their ports, that the browser sent anything to. */
  readonly hosts: readonly string[]
  /** `Location` and `Set-Cookie` headers of the answers. */
  readonly headers: string
}

async function visit(context: TestContext, base: string, enter?: Enter): Promise<Visit> {
  const browser = await startBrowser()
  context.after(() => browser.close())
  const page = await browser.open()
  await enter?.(page)
  // Of the way in, which has no application in it.
  const before = browser.faults.length
  const hosts = new Set<string>()
  const headers: string[] = []
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (/^(http|ws)s?:$/.test(protocol)) hosts.add(host)
  })
  page.on('websocket', (socket) => hosts.add(new URL(socket.url()).host))
  page.on('response', (response) => {
    const { location = '', 'set-cookie': cookie = '' } = response.headers()
    headers.push(location, cookie)
  })
  await page.goto(`${base}/`)
  const seen = await useEditor(page, base)
  const plain = browser.faults.slice(before).map((fault) => fault.replaceAll(base, '').replace(/\?_=\d+/, ''))
  return { seen, faults: plain, hosts: [...hosts], headers: headers.join('\n') }
}

test('Node-RED works behind the gate as it does without it', {
  skip: withoutChromium || notInstalled,
}, async (context) => {
  const bare = await startApplication(context)
  const bareUrl = `http://127.0.0.1:${bare.port}`
  const without = await visit(context, bareUrl)

  const gated = await startApplication(context)
  const dataPlane = await startTestDataPlane(context, gated.port, {
    site: { firewall: { mode: 'observe', overrides: [], exclusions: [] } },
  })
  const { port, recorder } = dataPlane
  const base = `http://${HOST}:${port}`
  const signedIn = new TestBrowser(dataPlane)
  await signedIn.call('POST', 'session', { key: KEY })
  const within = await visit(context, base, async (page) => {
    await enterBy(signedIn)(page)
    recorder.events.length = 0
    gated.overheard.length = 0
  })

  assert.deepEqual(within.seen, without.seen)
  assert.equal(within.seen.uploaded, '300000 bytes, visit first')
  assert.deepEqual(
    within.faults.filter((fault) => !without.faults.includes(fault)),
    [],
    'errors in the console that the direct visit has not',
  )
  assert.deepEqual(within.hosts, [`${HOST}:${port}`], 'the browser was led past the gate')
  assert.ok(!within.headers.includes(String(gated.port)), 'an answer names the origin')
  assert.ok(gated.overheard.length > 20)
  for (const { url, host, origin, referer, cookie, own } of gated.overheard) {
    const said = [host, origin, referer, cookie].join(' ')
    assert.equal(host, `127.0.0.1:${gated.port}`, url)
    assert.ok(!said.includes(HOST), `${url} names the gate to the origin: ${said}`)
    assert.ok(!said.includes('__Host-'), `${url} carries the gate's cookie`)
    assert.ok(
      own.every((name) => name !== 'sallyport-key'),
      url,
    )
  }
  const { events } = recorder
  assert.deepEqual(
    events.filter(({ outcome }) => outcome !== 'origin').map(({ target, outcome }) => `${target} ${outcome}`),
    [],
  )
  const suspected = events.filter(({ hits }) => hits.length > 0)
  for (const { method, target, hits } of suspected)
    context.diagnostic(
      `${method} ${target}: ${hits.map(({ rule, excerpt }) => `${rule} ${excerpt}`).join('; ')}`,
    )
  context.diagnostic(`the firewall suspected ${suspected.length} of ${events.length} requests`)
  assert.ok(suspected.length <= FIREWALL_SHARE_MAX * events.length)
})
