/**
 * What keeps connections open or speaks in parts, by the libraries of others: the same behind the gate as without it, and every request
 * of it recorded under the researcher's name.
 */
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createServer } from 'vite'
import { TestBrowser } from '../../packages/gateway/test/support/test-browser.ts'
import { HOST, KEY, startTestDataPlane } from '../../packages/gateway/test/support/test-data-plane.ts'
import { startBrowser, withoutChromium } from '../browser/support/chromium.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { enterBy } from './enter.ts'

const notInstalled = existsSync(join(import.meta.dirname, 'node_modules/socket.io'))
  ? false
  : 'Socket.IO and others are not installed: npm ci --prefix test/real-application'

type Use = (base: string, headers: Readonly<Record<string, string>>) => Promise<unknown>
interface LiveServer {
  readonly port: number
  close(): Promise<void>
}

/** What is installed apart from the workspace, so that the compiler need not find it. */
async function load<Module>(name: string): Promise<Module> {
  return await import(join(import.meta.dirname, name))
}

async function startServer(context: TestContext): Promise<number> {
  const { startLiveServer } = await load<{ startLiveServer: () => Promise<LiveServer> }>('live-server.mjs')
  const server = await startLiveServer()
  context.after(() => server.close())
  return server.port
}

/** A gate in front of the server, and what stands in its record. */
async function startGate(context: TestContext, port: number, gatedName: string) {
  const gate = await startTestDataPlane(context, port, {
    site: { gatedName, firewall: { mode: 'observe', level: 'balanced', overrides: [], exclusions: [] } },
  })
  return { gate, base: `http://${gatedName}:${gate.port}`, events: gate.recorder.events }
}

const CLIENTS = ['useRooms', 'useSubscriptions', 'useUploads', 'useRanges'] as const

for (const name of CLIENTS)
  test(`${name}: the same behind the gate`, { skip: notInstalled }, async (context) => {
    const use = (await load<Record<(typeof CLIENTS)[number], Use>>('live-clients.mjs'))[name]
    const without = await use(`http://127.0.0.1:${await startServer(context)}`, {})
    // The one gated name that every resolver knows.
    const { base, events } = await startGate(context, await startServer(context), 'localhost')
    const within = await use(base, { 'sallyport-key': KEY })
    assert.deepEqual(within, without)
    context.diagnostic(`${name}: ${events.length} requests recorded`)
    assert.ok(events.length > 0)
    assert.deepEqual(
      events
        .filter((event) => event.outcome !== 'origin' || event.researcherId === '')
        .map(({ method, target, outcome, reason }) => `${method} ${target} ${outcome} ${reason}`),
      [],
    )
    assert.deepEqual(
      events.filter(({ hits }) => hits.length > 0).map(({ method, target }) => `${method} ${target}`),
      [],
      'the firewall suspects honest traffic',
    )
  })

/** A page of the application, by its own address and behind the gate. */
async function openBoth(context: TestContext, direct: string, port: number) {
  const browser = await startBrowser()
  context.after(() => browser.close())
  const { gate, base, events } = await startGate(context, port, HOST)
  const signedIn = new TestBrowser(gate)
  await signedIn.call('POST', 'session', { key: KEY })
  const within = await browser.open()
  await enterBy(signedIn)(within)
  events.length = 0
  return { without: await browser.open(), within, direct, base, events }
}

test('server-sent events are taken up again where they ended', {
  skip: notInstalled || withoutChromium,
}, async (context) => {
  const port = await startServer(context)
  const both = await openBoth(context, `http://127.0.0.1:${port}`, port)
  const listen = async (page: Page, base: string): Promise<string[]> => {
    await page.goto(`${base}/`)
    return await page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const said: string[] = []
          const source = new EventSource('/events')
          source.onmessage = ({ data, lastEventId }) => {
            said.push(`${lastEventId} ${data}`)
            if (said.length < 10) return
            source.close()
            resolve(said)
          }
        }),
    )
  }
  const heard = await listen(both.within, both.base)
  assert.ok(both.events.length > 0 && both.events.every(({ outcome }) => outcome === 'origin'))
  assert.deepEqual(heard, await listen(both.without, both.direct))
  assert.equal(heard.at(-1), '10 number 10')
})

test('a development server replaces a module in the page as its file changes', {
  skip: withoutChromium,
}, async (context) => {
  const root = temporaryFolder(context)
  const module = (words: string): string => `
    document.querySelector('h1').textContent = ${JSON.stringify(words)}
    import.meta.hot.accept()`
  writeFileSync(
    join(root, 'index.html'),
    '<!doctype html><title>Vite</title><h1></h1><script type="module" src="/main.js"></script>',
  )
  writeFileSync(join(root, 'main.js'), module('as it began'))
  const vite = await createServer({
    root,
    configFile: false,
    logLevel: 'silent',
    cacheDir: join(root, '.vite'),
    server: { port: 0, host: '127.0.0.1', watch: { usePolling: true, interval: 50 } },
  })
  context.after(() => vite.close())
  await vite.listen()
  const address = vite.httpServer?.address()
  assert.ok(typeof address === 'object' && address)
  const { port } = address
  const { within, base, events } = await openBoth(context, `http://127.0.0.1:${port}`, port)
  await within.goto(`${base}/`)
  await within.getByRole('heading', { name: 'as it began' }).waitFor()
  await within.evaluate(() => Object.assign(window, { isSamePage: true }))
  writeFileSync(join(root, 'main.js'), module('as it was changed'))
  await within.getByRole('heading', { name: 'as it was changed' }).waitFor()
  assert.equal(
    await within.evaluate(() => Reflect.get(window, 'isSamePage')),
    true,
    'the page was loaded anew',
  )
  assert.deepEqual(
    events.filter(({ outcome }) => outcome !== 'origin').map(({ target, outcome }) => `${target} ${outcome}`),
    [],
  )
})
