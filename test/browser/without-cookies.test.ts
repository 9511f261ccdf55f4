/**
 * What pages have a browser send without cookies: a call with a bearer token to another host of the application, a script with
 * `crossorigin`, a manifest. Refused with a line that says what to do; let in by the set-up that the researcher's page offers.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  hashOf,
  RESEARCHER_PAGE,
  researcher,
  researcherKey,
  site,
  startTestDataPlane,
} from '../../packages/gateway/test/support/test-data-plane.ts'
import { startResearcherProxy } from '../../packages/sallyport/src/researcher-proxy/researcher-proxy.ts'
import { eventually } from '../support/installation.ts'
import { listenForTest } from '../support/loopback.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startBrowser, withoutChromium } from './support/chromium.ts'

const GROUP = 'bearer.gate.localhost'
const LABELS = ['www', 'api'] as const
const KEY = researcherKey(9)

function answer(request: IncomingMessage, response: ServerResponse): void {
  const origin = request.headers.origin ?? ''
  const cors = {
    ...(origin !== '' && { 'access-control-allow-origin': origin, vary: 'Origin' }),
    'access-control-allow-headers': 'authorization',
  }
  const [path = ''] = (request.url ?? '').split('?')
  const api = `http://${String(request.headers['x-forwarded-host']).replace('www.', 'api.')}`
  if (path === '/') {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(
      `<!doctype html><title>www</title><link rel="icon" href="data:,"><link rel="manifest" href="/manifest.json"><h1>www</h1>
       <script crossorigin src="${api}/script.js"></script>`,
    )
  } else if (path === '/script.js')
    response.writeHead(200, { ...cors, 'content-type': 'text/javascript' }).end('window.ran = 1')
  else if (path === '/manifest.json')
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"name":"www"}')
  else if (request.method === 'OPTIONS') response.writeHead(204, cors).end()
  else if (path === '/me') response.writeHead(200, cors).end(`${request.headers.authorization}`)
  else response.writeHead(404).end()
}

async function openGate(context: TestContext) {
  const { port: originPort } = await listenForTest(context, createServer(answer))
  const gate = await startTestDataPlane(context, originPort, {
    settings: { researcherPageDir: RESEARCHER_PAGE },
  })
  const sites = LABELS.map((label) => ({ gatedName: `${label}.${GROUP}`, origin: site(originPort).origin }))
  const group = { gatedName: GROUP, sites }
  for (const { gatedName } of sites) {
    const id = gatedName.split('.', 1)[0] ?? ''
    gate.snapshots.putSite(
      site(originPort, { id, gatedName, group, preflights: 'answer', keepsGatedHost: true }),
    )
  }
  gate.snapshots.putResearcher(researcher({ keyHashes: [hashOf(KEY)] }))
  const urlOf = (label: string): string => `http://${label}.${GROUP}:${gate.port}`
  return { ...gate, urlOf }
}

/** What a page sees of a call with a bearer token, and whether its script ran. */
const look = (api: string) =>
  fetch(`${api}/me`, { headers: { authorization: 'Bearer of-the-application' } }).then(
    (found) => found.text(),
    () => 'blocked',
  )

async function openBrowser(context: TestContext, switches: readonly string[] = []) {
  const browser = await startBrowser({ switches })
  context.after(() => browser.close())
  return await browser.open()
}

test('a browser without the set-up is refused what it sends without cookies, and told what to do', {
  skip: withoutChromium,
}, async (context) => {
  const { port, recorder, urlOf } = await openGate(context)
  const page = await openBrowser(context)
  await page.goto(`${urlOf('www')}/`)
  await page.getByLabel('Key').fill(KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'www' }).waitFor()
  assert.equal(await page.evaluate(look, urlOf('api')), 'blocked')
  assert.equal(await page.evaluate(() => 'ran' in window), false)
  const said = await page.evaluate(() =>
    fetch('/me', { credentials: 'omit' }).then(async (found) => [found.status, (await found.json()).detail]),
  )
  assert.equal(said[0], 401)
  assert.match(
    said[1],
    /without cookies\..* a proxy that adds your key.*http:\/\/sallyport\.gate\.localhost:\d+\/$/,
  )
  const refused = recorder.events.filter(({ status }) => status === 401)
  assert.ok(refused.length >= 3 && refused.every(({ researcherId }) => researcherId === ''))

  await page.goto(`http://sallyport.gate.localhost:${port}/sites/www`)
  await page.getByText('In a browser').click()
  const text = await page.locator('pre.settings').textContent()
  assert.ok(
    text?.startsWith(`sallyport researcher-proxy ${urlOf('www')} ${urlOf('api')} --key-file`),
    text ?? '',
  )
  const script = atob(/base64,([^']+)/.exec(text ?? '')?.[1] ?? '')
  const proxyOf = (host: string) => new Function('host', `${script}; return FindProxyForURL('', host)`)(host)
  assert.equal(proxyOf(`api.${GROUP}`), 'PROXY 127.0.0.1:8119')
  assert.equal(proxyOf(`other.${GROUP}`), 'DIRECT')
})

test('through the proxy that adds the key each of them is let in, under the researcher’s name', {
  skip: withoutChromium,
}, async (context) => {
  const { recorder, urlOf } = await openGate(context)
  const folder = temporaryFolder(context)
  const keyFile = join(folder, 'key')
  writeFileSync(keyFile, KEY)
  const proxy = await startResearcherProxy(LABELS.map(urlOf), { keyFile, port: 0, folder }, {})
  context.after(() => proxy.close())
  // Chromium keeps names of loopback from a script's proxies.
  const switches = [`--proxy-server=127.0.0.1:${proxy.port}`, '--proxy-bypass-list=<-loopback>']
  const page = await openBrowser(context, switches)
  await page.goto(`${urlOf('www')}/`)
  await page.getByRole('heading', { name: 'www' }).waitFor()
  assert.equal(await page.evaluate(look, urlOf('api')), 'Bearer of-the-application')
  await eventually(() => page.evaluate(() => 'ran' in window))
  const forwarded = recorder.events.filter(({ outcome }) => outcome === 'origin')
  for (const target of ['/', '/script.js', '/me'])
    assert.ok(
      forwarded.some((event) => event.target === target && event.method === 'GET'),
      target,
    )
  assert.ok(recorder.events.every(({ researcherId }) => researcherId === 'researcher-1'))
})
