/** The API of the gate's own host: for its own page and for tools, and for no page of another origin. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { blockRule } from '../../../../test/support/block-rule.ts'
import { Closures } from '../../src/closures/closures.ts'
import { startHttp2DataPlane } from '../support/http2/http2-client.ts'
import { startRawOrigin } from '../support/raw-origin.ts'
import { TestBrowser } from '../support/test-browser.ts'
import {
  ask,
  BOB,
  BOB_KEY,
  GATE_HOST,
  gateRequest,
  KEY,
  request,
  researcher,
  sendRaw,
  site,
  startTestDataPlane,
} from '../support/test-data-plane.ts'

const COOKIE = '__Host-Http-sallyport-gate'
const OWN = { 'Sec-Fetch-Site': 'same-origin' }

test('the API answers the own page and tools with a key, and no page of another origin', async (context) => {
  const dataPlane = await startTestDataPlane(context, 1)
  const browser = new TestBrowser(dataPlane)
  await browser.call('POST', 'session', { key: KEY })
  const cookie = { Cookie: `${COOKIE}=${browser.cookie(browser.gate, COOKIE)}` }
  const me = new URL(`${browser.gate}/api/me`)
  const status = async (method: string, url: URL, headers: Record<string, string>, body?: object) =>
    (await ask(dataPlane.port, method, url, { headers, ...(body && { body }) })).status
  assert.equal(await status('GET', me, { ...cookie, ...OWN }), 200)
  assert.equal(await status('GET', me, { ...cookie, Origin: browser.gate }), 200)
  assert.equal(await status('GET', me, { 'Sallyport-Key': KEY }), 200)
  assert.equal(await status('GET', me, OWN), 401)
  const foreign: Record<string, string>[] = [
    {},
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'none' },
    { Origin: browser.site },
    { Origin: 'null' },
    { Origin: browser.site, ...OWN },
    { Origin: `${browser.gate}.evil.example` },
    { Origin: `http://${GATE_HOST}` },
  ]
  const session = new URL(`${browser.gate}/api/session`)
  const credentials = new URL(`${browser.gate}/api/sites/site-1/credentials`)
  for (const headers of foreign) {
    const answer = await ask(dataPlane.port, 'GET', me, { headers: { ...cookie, ...headers } })
    assert.equal(answer.status, 403, JSON.stringify(headers))
    assert.equal(answer.json.reason, 'foreign_page')
    assert.equal(answer.header('access-control-allow-origin'), '')
    assert.equal(await status('POST', session, headers, { key: KEY }), 403)
    assert.equal(await status('DELETE', session, { ...cookie, ...headers }), 403)
    assert.equal(await status('POST', credentials, { ...cookie, ...headers }, {}), 403)
  }
  const preflight = {
    Origin: browser.site,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'sallyport-key',
  }
  const asked = await ask(dataPlane.port, 'OPTIONS', session, { headers: preflight })
  assert.equal(asked.status, 403)
  assert.equal(asked.header('access-control-allow-origin'), '')
})

test('a researcher signs in by a key, sees their sites and what they may, and signs out', async (context) => {
  const origin = await startRawOrigin(context)
  const rules = [blockRule('r1', '/admin', { note: 'live data' })]
  const dataPlane = await startTestDataPlane(context, origin.port, {
    site: { blockRules: rules, instructions: 'Be kind.', hasCredentials: true },
  })
  const { snapshots, port, recorder } = dataPlane
  const organization = { id: 'org', name: 'Org', open: true, contact: 'security@shop.example' }
  snapshots.apply({ type: 'put', kind: 'organization', id: 'org', value: organization })
  snapshots.putSite(site(1, { id: 'closed', gatedName: 'a.gate.localhost', enabled: false }))
  snapshots.putSite(
    site(1, {
      id: 'listed',
      gatedName: 'b.gate.localhost',
      access: 'listed',
      researcherIds: ['researcher-1'],
    }),
  )
  snapshots.putSite(site(1, { id: 'unlisted', gatedName: 'c.gate.localhost', access: 'listed' }))
  snapshots.putSite(site(1, { id: 'foreign', gatedName: 'd.gate.localhost', orgId: 'other' }))
  const browser = new TestBrowser(dataPlane)
  const begun = await browser.call('POST', 'session', { key: KEY })
  assert.match(begun.cookies[0] ?? '', /; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=2592000$/)
  assert.equal(begun.header('cache-control'), 'no-store')
  const me = { id: 'researcher-1', name: 'Ada', email: 'ada@example.org' }
  assert.deepEqual(begun.json, {
    researcher: me,
    organization: 'Org',
    contact: 'security@shop.example',
    expiresAt: null,
    credential: 'session',
  })
  assert.deepEqual((await browser.call('GET', 'me')).json, begun.json)
  const { items } = (await browser.call('GET', 'sites')).json
  assert.deepEqual(
    items.map(({ id, reason }: Record<string, string>) => [id, reason]),
    [
      ['closed', 'site_closed'],
      ['site-1', ''],
      ['listed', ''],
    ],
  )
  assert.equal(items[1].url, browser.site)
  const get = async (path: string) => (await browser.call('GET', `sites/${path}`)).json
  const scope = await get('site-1/scope')
  assert.deepEqual(scope.blocked, [{ id: 'r1', pathPrefix: '/admin', methods: [], note: 'live data' }])
  assert.equal(scope.instructions, 'Be kind.')
  assert.deepEqual((await get('site-1/budget')).limits, [])
  await sendRaw(port, request('GET /admin/x'))
  const requests = await get('site-1/requests')
  assert.deepEqual(
    requests.items.map(({ target, reason, rule }: Record<string, string>) => [target, reason, rule]),
    [['/admin/x', 'block_rule', 'r1']],
  )
  assert.deepEqual((await browser.call('POST', 'sites/site-1/credentials', {})).json, {
    credentials: 'user: ada',
  })
  assert.equal((await browser.call('POST', 'sites/closed/credentials', {})).status, 503)
  for (const path of ['unlisted/scope', 'foreign/scope', 'none/scope', 'site-1', 'site-1/nothing'])
    assert.equal((await browser.call('GET', `sites/${path}`)).status, 404, path)
  assert.equal((await browser.call('GET', 'sites/site-1/credentials')).status, 405)
  assert.equal((await browser.call('DELETE', 'session')).status, 204)
  assert.equal(browser.cookie(browser.gate, COOKIE), undefined)
  assert.equal((await browser.call('GET', 'me')).status, 401)
  const done = (await recorder.waitFor(4)).filter(
    ({ outcome, reason }) => outcome === 'gate' && reason === '',
  )
  assert.deepEqual(
    done.map(({ method, target, siteId, orgId, credential }) => [method, target, siteId, orgId, credential]),
    [
      ['POST', '/api/session', '', 'org', 'key'],
      ['POST', '/api/sites/site-1/credentials', 'site-1', 'org', 'session'],
      ['DELETE', '/api/session', '', 'org', 'session'],
    ],
    'of what the page asks for, what does something is in the record',
  )
  assert.equal(origin.connections, 0)
})

test('who is paused sees their sites and why none is open to them, and nothing of one', async (context) => {
  const dataPlane = await startTestDataPlane(context, 1, { site: { hasCredentials: true } })
  const browser = new TestBrowser(dataPlane)
  await browser.call('POST', 'session', { key: KEY })
  dataPlane.snapshots.putResearcher(researcher({ paused: true }))
  const { items } = (await browser.call('GET', 'sites')).json
  assert.deepEqual(items[0].reason, 'researcher_paused')
  assert.equal((await browser.call('GET', 'sites/site-1/scope')).status, 403)
  assert.equal((await browser.call('POST', 'sites/site-1/credentials', {})).status, 403)
  dataPlane.snapshots.putResearcher(researcher({ sessionGeneration: 1 }))
  assert.equal((await browser.call('GET', 'me')).status, 401)
})

test('a body is JSON, small, whole, and has the fields that it must', async (context) => {
  const dataPlane = await startTestDataPlane(context, 1)
  const browser = new TestBrowser(dataPlane)
  const post = async (body: string, type = 'application/json') => {
    const headers = { ...OWN, 'Content-Type': type }
    const { status, json } = await ask(dataPlane.port, 'POST', new URL(`${browser.gate}/api/session`), {
      headers,
      body,
    })
    return [status, json?.detail]
  }
  assert.deepEqual(await post('{"key":"x"}', 'text/plain'), [415, 'The body must be application/json.'])
  assert.deepEqual(await post('{"key":'), [400, 'The body must be an object in JSON.'])
  assert.deepEqual(await post('[]'), [400, 'The body must be an object in JSON.'])
  assert.deepEqual(await post('{"kez":"x"}'), [400, 'There is no field `kez`.'])
  assert.match(String((await post('{}'))[1]), /^`key` must be/)
  assert.match(String((await post('{"key":["x"]}'))[1]), /^`key` must be/)
  assert.deepEqual(await post('{"key":"x","replace":1}'), [400, '`replace` must be true or false.'])
  assert.equal((await post(`{"key":"${'x'.repeat(5_000)}"}`))[0], 413)
  assert.equal((await post('{"key":"rk_live_wrong"}'))[0], 401)
  const chunked = ['POST /api/session HTTP/1.1', `Host: ${GATE_HOST}`, 'Sec-Fetch-Site: same-origin']
  const head = [...chunked, 'Content-Type: application/json', 'Transfer-Encoding: chunked', '', ''].join(
    '\r\n',
  )
  const body = JSON.stringify({ key: KEY })
  const half = Math.floor(body.length / 2)
  const chunks = [body.slice(0, half), body.slice(half), ''].map(
    (part) => `${part.length.toString(16)}\r\n${part}\r\n`,
  )
  const both = await sendRaw(dataPlane.port, `${head}${chunks.join('')}${request('GET /.sallyport/x')}`)
  assert.match(both.text, /^HTTP\/1\.1 200[\s\S]*HTTP\/1\.1 404/, 'the connection goes on after a body')
  assert.equal((await sendRaw(dataPlane.port, `${head}zz\r\n`)).status, 400)
})

test('who tries again and again is told to wait, and nobody else is', async (context) => {
  let asked = 0
  const dataPlane = await startTestDataPlane(context, 1, {
    site: { hasCredentials: true },
    revealCredentials: async () => {
      asked += 1
      return 'user: ada'
    },
  })
  dataPlane.snapshots.putResearcher(BOB)
  const browser = new TestBrowser(dataPlane)
  const post = (path: string, key: string, body: string) =>
    [
      `POST /api/${path} HTTP/1.1`,
      `Host: ${GATE_HOST}`,
      `Sallyport-Key: ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n')
  const reveals = await sendRaw(dataPlane.port, post('sites/site-1/credentials', KEY, '{}').repeat(30))
  assert.equal(reveals.text.match(/HTTP\/1\.1 (?:200|429) /g)?.length, 30)
  assert.match(reveals.text, /HTTP\/1\.1 429 [^{]*Retry-After: 1\r\n[^{]*{[^}]*"reason":"too_many_attempts"/)
  assert.ok(asked < 10, `${asked} came through`)
  assert.equal((await sendRaw(dataPlane.port, post('sites/site-1/credentials', BOB_KEY, '{}'))).status, 200)
  const lists = await sendRaw(
    dataPlane.port,
    gateRequest('GET /api/sites', `Sallyport-Key: ${KEY}`).repeat(200),
    1_000,
  )
  assert.match(lists.text, /HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 429 /)
  // A stranger's connection ends with the refusal.
  const guess = post('session', 'x', '{"key":"rk_live_guess"}')
  const guesses = await Promise.all(Array.from({ length: 100 }, () => sendRaw(dataPlane.port, guess)))
  const tried = guesses.filter(({ status }) => status === 401).length
  assert.ok(tried > 0 && tried < 75, `${tried} were tried`)
  assert.ok(
    guesses.every(
      ({ status, text }) => status === 401 || /^HTTP\/1\.1 429 [^{]*Retry-After: 1\r\n/.test(text),
    ),
  )
  assert.equal((await browser.call('GET', 'me')).status, 401)
})

test('ten thousand sites are listed without keeping everybody waiting', async (context) => {
  const dataPlane = await startTestDataPlane(context, 1)
  const edit = Array.from({ length: 10_000 }, (_none, number) =>
    site(1, {
      id: `s${number}`,
      gatedName: `s${number}.gate.localhost`,
      orgId: number % 2 ? 'org' : 'other',
      instructions: 'x'.repeat(500),
    }),
  )
  dataPlane.snapshots.apply(
    ...edit.map((value) => ({ type: 'put', kind: 'site', id: value.id, value }) as const),
  )
  const browser = new TestBrowser(dataPlane)
  let turns = 0
  let listing = true
  const count = (): void => {
    turns += 1
    if (listing) setImmediate(count)
  }
  setImmediate(count)
  const first = (await browser.call('POST', 'session', { key: KEY })).status
  assert.equal(first, 200)
  const before = turns
  const { items } = (await browser.call('GET', 'sites')).json
  listing = false
  assert.equal(items.length, 5_001)
  assert.ok(turns - before > 5, `${turns - before} turns of the event loop`)
})

test('over HTTP/2 as over HTTP/1.1', async (context) => {
  const dataPlane = await startHttp2DataPlane(
    context,
    1,
    { gateUrl: `https://${GATE_HOST}` },
    { servername: GATE_HOST },
  )
  const own = { ':authority': GATE_HOST, 'sec-fetch-site': 'same-origin', origin: `https://${GATE_HOST}` }
  const post = { ...own, ':method': 'POST', ':path': '/api/session', 'content-type': 'application/json' }
  const begun = await dataPlane.send(post, JSON.stringify({ key: KEY }))
  assert.equal(begun.status, 200)
  assert.equal(begun.headers['strict-transport-security'], 'max-age=31536000')
  const [cookie = ''] = begun.headers['set-cookie'] as string[]
  const me = await dataPlane.send({ ...own, ':path': '/api/me', cookie: cookie.split(';', 1)[0] ?? '' })
  assert.equal(JSON.parse(me.text).researcher.name, 'Ada')
  assert.equal((await dataPlane.send({ ...own, ':path': '/api/me' })).status, 401)
  assert.equal((await dataPlane.send(post, JSON.stringify({ key: 'x'.repeat(5_000) }))).status, 413)
  const ended = await dataPlane.send({ ...own, ':method': 'DELETE', ':path': '/api/session' })
  assert.equal(ended.status, 204)
  const { origin: _left, ...fromElsewhere } = { ...post, 'sec-fetch-site': 'same-site' }
  assert.equal((await dataPlane.send(fromElsewhere, JSON.stringify({ key: KEY }))).status, 403)
})

test('a site of the same name is not reached', async (context) => {
  const origin = await startRawOrigin(context)
  const dataPlane = await startTestDataPlane(context, origin.port)
  dataPlane.snapshots.putSite(site(origin.port, { id: 'site-2', gatedName: GATE_HOST }))
  const { status } = await sendRaw(dataPlane.port, gateRequest('GET /x', `Sallyport-Key: ${KEY}`))
  assert.equal(status, 404)
  assert.equal(origin.connections, 0)
})

test('a body that does not come, or not whole, begins no session', async (context) => {
  const { port, recorder } = await startTestDataPlane(context, 1)
  const head = gateRequest(
    'POST /api/session',
    'Sec-Fetch-Site: same-origin',
    'Content-Type: application/json',
    'Content-Length: 100',
  )
  const socket = connect(port, '127.0.0.1')
  socket.write(`${head}{"key":`)
  await sleep(100)
  socket.resetAndDestroy()
  const [event] = await recorder.waitFor(1)
  assert.deepEqual([event?.outcome, event?.reason, event?.status], ['gate', 'client_aborted', 0])
})

test('the credentials of a site that the operator has closed at this gateway are told to nobody', async (context) => {
  const closures = Closures.inMemory()
  const close = () => closures.close({ kind: 'site', id: 'site-1' }, 'mara', 'an attack')
  const isAsked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<string>()
  const dataPlane = await startTestDataPlane(context, 1, {
    site: { hasCredentials: true },
    closures,
    revealCredentials: () => {
      isAsked.resolve()
      return answer.promise
    },
  })
  const url = new URL(`http://${GATE_HOST}:${dataPlane.port}/api/sites/site-1/credentials`)
  const reveal = () => ask(dataPlane.port, 'POST', url, { headers: { 'Sallyport-Key': KEY }, body: {} })
  const underWay = reveal()
  await isAsked.promise
  await close()
  answer.resolve('user: ada')
  for (const { status, json } of [await underWay, await reveal()])
    assert.deepEqual([status, json.reason], [503, 'gateway_closed'])
})
