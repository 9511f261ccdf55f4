/**
 * An application on four hosts (a shop, its API, its files, its sign-in), used in a browser by a researcher who signs in at the gate
 * once. It knows itself by its own names alone, in redirects, pages, scripts, policies and cookies; its identity provider takes no
 * `redirect_uri` but the registered one. Everything must work as it does without the gate, and nothing goes past it.
 */
import assert from 'node:assert/strict'
import dns from 'node:dns/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { SiteGroupConfig } from '@sallyport/contract'
import {
  HOST,
  KEY,
  RESEARCHER_PAGE,
  site,
  startTestDataPlane,
} from '../../packages/gateway/test/support/test-data-plane.ts'
import { listenForTest } from '../support/loopback.ts'
import { startBrowser, withoutChromium } from './support/chromium.ts'

const LABELS = ['shop', 'api', 'static', 'login'] as const
type Label = (typeof LABELS)[number]
const GROUP = 'market.gate.localhost'

// Names that no resolver knows are the application's own here.
const { lookup } = dns
Object.assign(dns, {
  lookup: async (host: string, options: object) =>
    host.endsWith('.market.test') ? [{ address: '127.0.0.1', family: 4 }] : lookup(host, options),
})
syncBuiltinESMExports()

/** One server for all four hosts; what it saw, as `POST login/login`. */
function startApplication() {
  const seen: string[] = []
  const server = createServer((request, response) => {
    const label = /^(\w+)\.market\.test/.exec(request.headers.host ?? '')?.[1] ?? 'nobody'
    seen.push(`${request.method} ${label}${request.url}`)
    const port = request.socket.localPort ?? 0
    const url = (of: Label) => `http://${of}.market.test:${port}`
    const answer =
      label in APPLICATION ? APPLICATION[label as Label](request, url) : html('<h1>Elsewhere</h1>')
    send(response, answer)
  })
  return { server, seen }
}

interface Sent {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

function send(response: ServerResponse, { status = 200, headers = {}, body = '' }: Sent): void {
  const isGzip = headers['content-encoding'] === 'gzip'
  response.writeHead(status, headers).end(isGzip ? gzipSync(body) : body)
}

const html = (body: string, headers: Readonly<Record<string, string>> = {}): Sent => ({
  headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
  body: `<!doctype html><title>Market</title><link rel="icon" href="data:,">${body}`,
})
const lead = (location: string, ...cookies: readonly string[]): Sent => ({
  status: 302,
  headers: { location, ...(cookies.length > 0 && { 'set-cookie': cookies.join('') }) },
})
const hasCookie = ({ headers }: IncomingMessage, pair: string): boolean =>
  headers.cookie?.includes(pair) === true

type Respond = (request: IncomingMessage, url: (of: Label) => string) => Sent

const APPLICATION: Readonly<Record<Label, Respond>> = {
  shop(request, url) {
    const { pathname, searchParams } = new URL(request.url ?? '/', url('shop'))
    if (pathname === '/callback')
      return searchParams.get('code') === 'c1' && searchParams.get('state') === 's1'
        ? lead(`${url('shop')}/`, 'sid=ada; Path=/; HttpOnly; Domain=market.test')
        : { status: 400 }
    if (pathname === '/bye') return html('<h1>Good bye</h1>')
    if (!hasCookie(request, 'sid=ada')) {
      const query = new URLSearchParams({
        client_id: 'shop',
        state: 's1',
        redirect_uri: `${url('shop')}/callback`,
      })
      return lead(`${url('login')}/authorize?${query}`)
    }
    const logout = new URLSearchParams({ post_logout_redirect_uri: `${url('shop')}/bye` })
    const page = `<link rel="stylesheet" href="${url('static').slice('http:'.length)}/style.css">
      <h1>Orders</h1><ul></ul><script src="${url('static')}/app.js"></script>
      <a href="${url('login')}/logout?${logout}">Sign out</a>`
    const policy = `default-src 'none'; script-src ${url('static')}; style-src ${url('static')}; img-src data:; connect-src ${url('api')} ${url('api').replace('http', 'ws')}`
    return html(page, { 'content-security-policy': policy, etag: '"home"' })
  },
  api(request, url) {
    const cors = {
      'access-control-allow-origin': url('shop'),
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'PUT',
      'access-control-allow-headers': 'content-type',
      vary: 'Origin',
    }
    if (request.headers.origin !== url('shop')) return { status: 403 }
    if (request.method === 'OPTIONS') return { status: 204, headers: cors }
    if (!hasCookie(request, 'sid=ada')) return { status: 401, headers: cors }
    const orders = request.url === '/orders' ? ['one', 'two'] : [`${request.method} three`]
    const next = request.url === '/orders' ? `${url('api')}/orders?page=2` : ''
    const body = JSON.stringify({ orders, next }).replaceAll('/', '\\/')
    return { headers: { ...cors, 'content-type': 'application/json' }, body }
  },
  static(request, url) {
    if (request.url === '/style.css')
      return { headers: { 'content-type': 'text/css' }, body: 'h1 { color: rgb(1, 2, 3) }' }
    const script = `const API = "${url('api')}"
      const show = ({ orders, next }) => {
        for (const order of orders) document.querySelector('ul').append(Object.assign(document.createElement('li'), { textContent: order }))
        return next
      }
      const read = (answer) => answer.json().then(show)
      fetch(API + '/orders', { credentials: 'include' })
        .then(read)
        .then((next) => fetch(next, { method: 'PUT', credentials: 'include', headers: { 'content-type': 'application/json' }, body: '{}' }))
        .then(read)`
    return { headers: { 'content-type': 'text/javascript', 'content-encoding': 'gzip' }, body: script }
  },
  login(request, url) {
    const { pathname, searchParams } = new URL(request.url ?? '/', url('login'))
    const back = searchParams.get('redirect_uri') ?? ''
    if (pathname === '/logout') {
      const to = searchParams.get('post_logout_redirect_uri') ?? ''
      return to === `${url('shop')}/bye` ? lead(to) : { status: 400, body: `unknown: ${to}` }
    }
    if (back !== `${url('shop')}/callback`) return { status: 400, body: `unknown redirect_uri ${back}` }
    if (request.method === 'POST')
      return request.headers.origin === url('login')
        ? lead(`${back}?code=c1&state=${searchParams.get('state')}`, 'sso=1; Path=/; HttpOnly')
        : { status: 403, body: 'a foreign form' }
    const query = searchParams.toString().replaceAll('&', '&amp;')
    return html(
      `<form method="post" action="${url('login')}/login?${query}"><button>Log in as Ada</button></form>`,
    )
  },
}

test('an application on four hosts is used by one sign-in, and nothing leaves the gate', {
  skip: withoutChromium,
}, async (context) => {
  const { server, seen } = startApplication()
  const { port: originPort } = await listenForTest(context, server)
  const { port, recorder, snapshots } = await startTestDataPlane(context, originPort, {
    settings: { researcherPageDir: RESEARCHER_PAGE },
  })
  const sites: SiteGroupConfig['sites'] = LABELS.map((label) => ({
    gatedName: `${label}.${GROUP}`,
    origin: { scheme: 'http', host: `${label}.market.test`, port: originPort },
  }))
  for (const { gatedName, origin } of sites)
    snapshots.putSite(
      site(originPort, {
        id: gatedName.replaceAll('.', '-'),
        gatedName,
        origin,
        group: { gatedName: GROUP, sites },
        rewritesBodies: true,
        preflights: 'forward',
      }),
    )
  const browser = await startBrowser()
  context.after(() => browser.close())
  const asked: string[] = []
  browser.context.on('request', (request) => {
    if (!request.url().startsWith('data:')) asked.push(`${request.method()} ${request.url()}`)
  })
  const page = await browser.open()
  const gated = (label: Label): string => `http://${label}.${GROUP}:${port}`

  await page.goto(`${gated('shop')}/`)
  await page.getByLabel('Key').fill(KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  const logIn = page.getByRole('button', { name: 'Log in as Ada' })
  await logIn.waitFor()
  // Of the gate's page, which asks who is signed in.
  browser.faults.length = 0
  await logIn.click()
  await page.getByText('PUT three').waitFor()
  assert.equal(page.url(), `${gated('shop')}/`)
  assert.deepEqual(await page.getByRole('listitem').allTextContents(), ['one', 'two', 'PUT three'])
  assert.equal(
    await page.getByRole('heading').evaluate((heading) => getComputedStyle(heading).color),
    'rgb(1, 2, 3)',
  )
  assert.equal(browser.faults.join(), '')
  const cookies = await browser.context.cookies()
  const domainOf = (name: string) => cookies.find((cookie) => cookie.name === name)?.domain
  assert.equal(domainOf('sid'), `.${GROUP}`)
  assert.equal(domainOf('sso'), `login.${GROUP}`)
  assert.equal(domainOf('__Http-sallyport-group'), `.${GROUP}`)
  await page.getByRole('link', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Good bye' }).waitFor()

  const known = [...LABELS.map(gated), `http://sallyport.gate.localhost:${port}`]
  const past = asked.filter((one) => !known.some((base) => one.includes(` ${base}/`)))
  assert.deepEqual(past, [])
  const recorded = recorder.events.filter(({ outcome }) => outcome === 'origin')
  assert.equal(recorded.length, seen.length, `${seen}`)
  assert.ok(recorded.every(({ leadsTo }) => leadsTo.length === 0))
  const strangers = recorded.filter(({ researcherId }) => researcherId === '')
  assert.deepEqual(
    strangers.map(({ method, host }) => `${method} ${host}`),
    [`OPTIONS api.${GROUP}`],
    'a preflight alone is nobody’s',
  )
  assert.ok(recorded.some(({ rewrittenNames }) => rewrittenNames > 0))
  assert.deepEqual(
    LABELS.filter((label) => !seen.some((one) => one.includes(` ${label}/`))),
    [],
    'every host was used',
  )

  // A page of a site outside of the group, at which the researcher is signed in by themselves.
  await page.goto(`http://${HOST}:${port}/`)
  await page.getByRole('heading', { name: 'Elsewhere' }).waitFor()
  await page.evaluate((domain) => {
    for (const path of ['/', '/bye']) {
      // biome-ignore lint/suspicious/noDocumentCookie: as scripts do it
      document.cookie = `__Http-sallyport-group=planted; domain=${domain}; path=${path}; secure`
    }
  }, 'gate.localhost')
  asked.length = 0
  await page.goto(`${gated('shop')}/bye`)
  await page.getByRole('heading', { name: 'Good bye' }).waitFor()
  assert.deepEqual(asked, [`GET ${gated('shop')}/bye`], 'the session is there still')
})
