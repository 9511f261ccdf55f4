/** The way of a browser into a gated host: by a code, once, soon, in the browser that asked, and at no other host. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sealCode } from '../../../src/credentials/sign-in-code.ts'
import { startRawOrigin } from '../../support/raw-origin.ts'
import { TestBrowser } from '../../support/test-browser.ts'
import {
  ask,
  BOB,
  BOB_KEY,
  HOST,
  hashOf,
  KEY,
  researcher,
  SESSION_KEY,
  site,
  startTestDataPlane,
  type TestDataPlane,
} from '../../support/test-data-plane.ts'

const SESSION = '__Host-Http-sallyport'
const NONCE = '__Host-Http-sallyport-nonce'
const GATE_SESSION = '__Host-Http-sallyport-gate'

async function openGate(context: TestContext) {
  const origin = await startRawOrigin(context)
  const dataPlane = await startTestDataPlane(context, origin.port)
  dataPlane.snapshots.putResearcher(BOB)
  return { dataPlane, origin }
}

async function signedIn(dataPlane: TestDataPlane, key = KEY): Promise<TestBrowser> {
  const browser = new TestBrowser(dataPlane)
  assert.equal((await browser.call('POST', 'session', { key })).status, 200)
  return browser
}

test('a browser is led to the gate and back, and its session never reaches the origin', async (context) => {
  const { dataPlane, origin } = await openGate(context)
  const browser = await signedIn(dataPlane)
  const first = await browser.open(`${browser.site}/cart?id=1`)
  assert.equal(first.status, 303)
  assert.equal(first.header('location'), '/.sallyport/sign-in?to=%2Fcart%3Fid%3D1')
  const begun = await browser.open(browser.site + first.header('location'))
  assert.equal(begun.status, 303)
  assert.match(
    begun.cookies[0] ?? '',
    /^__Host-Http-sallyport-nonce=[\w-]{22}; Path=\/; Secure; HttpOnly; SameSite=None; Max-Age=600$/,
  )
  const page = new URL(begun.header('location'))
  assert.equal(page.origin + page.pathname, `${browser.gate}/sign-in`)
  assert.equal(page.searchParams.get('host'), `${HOST}:${dataPlane.port}`)
  const nonce = page.searchParams.get('nonce')
  const seen = await browser.nonce()
  assert.deepEqual(seen.json, { nonce, researcherId: '', isThirdParty: false })
  assert.equal(seen.header('access-control-allow-origin'), browser.gate)
  const asked = { host: page.searchParams.get('host'), nonce, to: page.searchParams.get('to') }
  const { location } = (await browser.call('POST', 'codes', asked)).json
  const entered = await browser.open(location)
  assert.equal(entered.status, 303)
  assert.equal(entered.header('location'), `${browser.site}/cart?id=1`)
  assert.equal(entered.header('referrer-policy'), 'no-referrer')
  assert.match(
    entered.cookies[0] ?? '',
    /^__Host-Http-sallyport=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=None; Max-Age=86400$/,
  )
  assert.equal(browser.cookie(browser.site, NONCE), undefined)
  assert.equal((await browser.open(`${browser.site}/cart?id=1`)).status, 200)
  assert.doesNotMatch(origin.received.join(''), /sallyport=/)
  const events = await dataPlane.recorder.waitFor(5)
  assert.deepEqual(
    events.map(({ target, status, reason, siteId, researcherId }) => [
      target,
      status,
      reason,
      siteId,
      researcherId,
    ]),
    [
      ['/api/session', 200, '', '', 'researcher-1'],
      ['/cart?id=1', 303, 'no_credential', 'site-1', ''],
      ['/api/codes', 200, '', 'site-1', 'researcher-1'],
      ['/.sallyport/enter?code=***', 303, '', 'site-1', 'researcher-1'],
      ['/cart?id=1', 200, '', 'site-1', 'researcher-1'],
    ],
  )
})

test('a code enters once, in time, in the browser that asked, at its own host', async (context) => {
  const { dataPlane } = await openGate(context)
  dataPlane.snapshots.putSite(site(1, { id: 'site-2', gatedName: 'other.gate.localhost' }))
  const browser = await signedIn(dataPlane)
  const code = await browser.fetchCode()
  const nonce = browser.cookie(browser.site, NONCE) ?? ''
  const status = async (url: URL, cookie: string) =>
    (await ask(dataPlane.port, 'GET', url, { headers: { Cookie: cookie } })).status
  assert.equal(await status(code, ''), 403, 'without the nonce')
  assert.equal(await status(code, `${NONCE}=${'A'.repeat(22)}`), 403, 'in another browser')
  assert.equal(await status(code, `${NONCE}=${nonce}; ${NONCE}=${nonce}`), 403, 'with two nonces')
  const elsewhere = new URL(code.href.replace(HOST, 'other.gate.localhost'))
  assert.equal(await status(elsewhere, `${NONCE}=${nonce}`), 403, 'at another host')
  assert.equal(await status(code, `${NONCE}=${nonce}`), 303)
  assert.equal(await status(code, `${NONCE}=${nonce}`), 403, 'a second time')
  const lapsed = await ask(dataPlane.port, 'GET', code, {
    headers: { Cookie: `${NONCE}=${nonce}`, Accept: 'text/html' },
  })
  assert.match(lapsed.body, /Sign in again[\s\S]*href="\/\.sallyport\/sign-in\?to=%2F"/)
  const again = await browser.fetchCode()
  dataPlane.snapshots.putResearcher(researcher({ sessionGeneration: 1 }))
  assert.equal((await browser.open(again.href)).status, 403, 'after the sessions were ended')
})

test('a code that is half a minute old enters nowhere', async (context) => {
  const { dataPlane } = await openGate(context)
  const browser = await signedIn(dataPlane)
  const begun = await browser.open(`${browser.site}/.sallyport/sign-in?to=/`)
  const nonceHash = new URL(begun.header('location')).searchParams.get('nonce') ?? ''
  const enterAfter = async (ageMs: number) => {
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() - ageMs })
    const code = sealCode(HOST, SESSION_KEY, {
      researcherId: 'researcher-1',
      generation: 0,
      keyId: '',
      nonceHash,
      replace: false,
      to: '/',
    })
    context.mock.timers.reset()
    return (await browser.open(`${browser.site}/.sallyport/enter?code=${code}`)).status
  }
  assert.equal(await enterAfter(31_000), 403)
  assert.equal(await enterAfter(-31_000), 403)
  assert.equal(await enterAfter(20_000), 303)
})

test('a code that another gateway has taken gives its own browser a session there, and nobody else one', async (context) => {
  const { dataPlane } = await openGate(context)
  const other = (await openGate(context)).dataPlane
  const browser = await signedIn(dataPlane)
  const code = await browser.fetchCode()
  const nonce = browser.cookie(browser.site, NONCE)
  assert.equal((await browser.open(code.href)).status, 303)
  const replayed = await ask(other.port, 'GET', code)
  assert.equal(replayed.status, 403)
  const own = await ask(other.port, 'GET', code, { headers: { Cookie: `${NONCE}=${nonce}` } })
  assert.match(own.cookies[0] ?? '', /^__Host-Http-sallyport=researcher-1\./)
})

test('another researcher in the same browser is not replaced without a question', async (context) => {
  const { dataPlane } = await openGate(context)
  const browser = await signedIn(dataPlane)
  await browser.open((await browser.fetchCode()).href)
  const session = browser.cookie(browser.site, SESSION)
  assert.equal((await browser.nonce()).json.researcherId, 'researcher-1')
  const other = await browser.call('POST', 'session', { key: BOB_KEY })
  assert.equal(other.status, 409)
  assert.deepEqual(other.json.signedInAs, { name: 'Ada', email: 'ada@example.org' })
  assert.equal((await browser.call('GET', 'me')).json.researcher.name, 'Ada')
  assert.equal((await browser.call('POST', 'session', { key: BOB_KEY, replace: true })).status, 200)
  const asked = await browser.open((await browser.fetchCode('/x')).href)
  assert.equal(asked.status, 303)
  const question = new URL(asked.header('location'))
  assert.equal(question.origin + question.pathname, `${browser.gate}/sign-in`)
  assert.equal(question.searchParams.get('to'), '/x')
  assert.equal(browser.cookie(browser.site, SESSION), session)
  const entered = await browser.open((await browser.fetchCode('/x', { replace: true })).href)
  assert.equal(entered.header('location'), `${browser.site}/x`)
  assert.match(browser.cookie(browser.site, SESSION) ?? '', /^researcher-2\./)
})

test('nobody is led to anywhere but a path of the same host', async (context) => {
  const { dataPlane } = await openGate(context)
  const browser = await signedIn(dataPlane)
  const back = async (to: string) => {
    const begun = await browser.open(`${browser.site}/.sallyport/sign-in?to=${encodeURIComponent(to)}`)
    return new URL(begun.header('location')).searchParams.get('to')
  }
  assert.equal(await back('/a?b=c%2fd'), '/a?b=c%2fd')
  for (const to of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '',
    '/a\nb',
    '/.sallyport/sign-in',
    `/${'a'.repeat(3_000)}`,
  ])
    assert.equal(await back(to), '/', to)
  const asked = { host: `${HOST}:${dataPlane.port}`, nonce: 'A'.repeat(43) }
  for (const to of ['//evil.example', '/\\evil.example', 'evil', '/.sallyport/enter?code=x', '/a b']) {
    const { status, json } = await browser.call('POST', 'codes', { ...asked, to })
    assert.equal(status, 400, to)
    assert.match(json.detail, /^`to` must be/)
  }
  for (const host of [HOST, `${HOST}:1`, 'nobody.gate.localhost', `evil.example:${dataPlane.port}`])
    assert.equal((await browser.call('POST', 'codes', { ...asked, host, to: '/' })).status, 404, host)
})

test('only a person who opens a page is led away: everything else of a stranger is refused', async (context) => {
  const { dataPlane, origin } = await openGate(context)
  const page = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }
  const url = new URL(`http://${HOST}:${dataPlane.port}/x`)
  const status = async (method: string, headers: Record<string, string>) =>
    (await ask(dataPlane.port, method, url, { headers })).status
  assert.equal(await status('GET', page), 303)
  assert.equal(await status('POST', page), 401)
  assert.equal(await status('GET', { ...page, 'Sec-Fetch-Dest': 'iframe' }), 401)
  assert.equal(await status('GET', { ...page, 'Sec-Fetch-Mode': 'cors' }), 401)
  assert.equal(await status('GET', { ...page, Accept: '*/*' }), 401)
  assert.equal(await status('GET', {}), 401)
  const refused = await ask(dataPlane.port, 'GET', url, { headers: { Accept: 'text/html' } })
  assert.match(refused.body, /<a href="\/\.sallyport\/sign-in\?to=%2Fx">/)
  assert.equal(
    (await ask(dataPlane.port, 'GET', url, { headers: { ...page, Cookie: `${SESSION}=x` } })).status,
    303,
  )
  assert.equal(origin.connections, 0)
})

test('a gated host says that it is a third party where the browser says so, and nowhere else', async (context) => {
  const { dataPlane } = await openGate(context)
  const browser = await signedIn(dataPlane)
  const url = new URL(`${browser.site}/.sallyport/nonce`)
  for (const [site, isThirdParty] of [
    ['cross-site', true],
    ['same-site', false],
    ['', false],
  ] as const) {
    const headers = { Origin: browser.gate, ...(site ? { 'Sec-Fetch-Site': site } : {}) }
    const { status, json } = await ask(dataPlane.port, 'GET', url, { headers })
    assert.equal(status, 200)
    assert.deepEqual(json, { nonce: '', researcherId: '', isThirdParty })
  }
})

test('a gated host tells its nonce to the gate alone, and answers nothing else of the gate', async (context) => {
  const { dataPlane, origin } = await openGate(context)
  const browser = await signedIn(dataPlane)
  await browser.open((await browser.fetchCode()).href)
  for (const own of [
    browser.site,
    'http://evil.gate.localhost',
    'null',
    `${browser.gate}, ${browser.gate}`,
  ]) {
    const answer = await browser.nonce(own)
    assert.equal(answer.status, 404)
    assert.equal(answer.header('access-control-allow-origin'), '')
  }
  for (const path of [
    'api/me',
    'api/scope',
    'api/credentials',
    'invite?token=x',
    'index.html',
    'nonce/',
    'enter/',
  ])
    assert.equal((await browser.open(`${browser.site}/.sallyport/${path}`)).status, 404, path)
  const home = await browser.open(`${browser.site}/.sallyport/`)
  assert.equal(home.header('location'), `${browser.gate}/sites/site-1`)
  const image = { 'Sec-Fetch-Dest': 'image', Cookie: `${SESSION}=${browser.cookie(browser.site, SESSION)}` }
  const path = new URL(`${browser.site}/.sallyport/sign-in`)
  assert.equal((await ask(dataPlane.port, 'GET', path, { headers: image })).status, 404)
  assert.equal(origin.connections, 0)
})

test('a session is for one host and of one kind, and a key is none', async (context) => {
  const { dataPlane } = await openGate(context)
  dataPlane.snapshots.putSite(site(1, { id: 'site-2', gatedName: 'other.gate.localhost' }))
  const browser = await signedIn(dataPlane)
  await browser.open((await browser.fetchCode()).href)
  const session = browser.cookie(browser.site, SESSION) ?? ''
  const gateSession = browser.cookie(browser.gate, GATE_SESSION) ?? ''
  const statusAt = async (host: string, name: string, value: string) => {
    const url = new URL(`http://${host}:${dataPlane.port}/`)
    return (await ask(dataPlane.port, 'GET', url, { headers: { Cookie: `${name}=${value}` } })).status
  }
  for (let round = 0; round < 2; round += 1) {
    assert.equal(await statusAt(HOST, SESSION, session), 200)
    assert.equal(await statusAt('other.gate.localhost', SESSION, session), 401, 'of another host')
    assert.equal(await statusAt(HOST, SESSION, gateSession), 401, 'of the gate')
    assert.equal(await statusAt(HOST, SESSION, KEY), 401, 'a key')
    assert.equal(await statusAt(HOST, SESSION, `${session}; ${SESSION}=${session}`), 401, 'twice')
  }
  const me = new URL(`${browser.gate}/api/me`)
  const mine = async (headers: Record<string, string>) =>
    (await ask(dataPlane.port, 'GET', me, { headers: { 'Sec-Fetch-Site': 'same-origin', ...headers } }))
      .status
  assert.equal(await mine({ Cookie: `${GATE_SESSION}=${gateSession}` }), 200)
  assert.equal(await mine({ Cookie: `${GATE_SESSION}=${session}` }), 401)
  assert.equal(await mine({ 'Sallyport-Key': gateSession }), 401)
})

/** A gate, and a browser with a session at its site. */
async function openSite(context: TestContext) {
  const { dataPlane } = await openGate(context)
  const browser = await signedIn(dataPlane)
  await browser.open((await browser.fetchCode()).href)
  return { dataPlane, browser, session: browser.cookie(browser.site, SESSION) ?? '' }
}

test('what was recognized once as one kind of credential is not taken for the other', async (context) => {
  const { dataPlane, browser, session } = await openSite(context)
  const url = new URL(`${browser.site}/`)
  const status = async (headers: Record<string, string>) =>
    (await ask(dataPlane.port, 'GET', url, { headers })).status
  assert.equal(await status({ 'Sallyport-Key': KEY }), 200)
  assert.equal(await status({ Cookie: `${SESSION}=${KEY}` }), 401)
  assert.equal(await status({ Cookie: `${SESSION}=${session}` }), 200)
  assert.equal(await status({ 'Sallyport-Key': session }), 401)
})

test('a session has one spelling', async (context) => {
  const { dataPlane, browser, session } = await openSite(context)
  const [id, generation, keyId, begun = '', mac = ''] = session.split('.')
  // The last of 43 characters of base64url says four bits: three others mean the same to whoever only decodes.
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const others = [1, 2, 3].map((step) => mac.slice(0, -1) + last[(last.indexOf(mac.slice(-1)) & ~3) + step])
  const spellings = [
    ...others
      .filter((other) => other !== mac)
      .map((other) => `${id}.${generation}.${keyId}.${begun}.${other}`),
    `${id}.0${generation}.${keyId}.${begun}.${mac}`,
    `${id}.${generation}.${keyId}.0${begun}.${mac}`,
    `${id}.${generation}..${begun}.${mac}`,
    `${session}=`,
    `${session}.`,
    `"${session}"`,
    ` ${session}`.replace(' ', '%20'),
  ]
  const url = new URL(`${browser.site}/`)
  for (const spelling of spellings) {
    const answer = await ask(dataPlane.port, 'GET', url, { headers: { Cookie: `${SESSION}=${spelling}` } })
    assert.equal(answer.status, 401, spelling)
  }
  assert.equal(
    (await ask(dataPlane.port, 'GET', url, { headers: { Cookie: `a=1;${SESSION}=${session} ;b=2` } })).status,
    200,
  )
})

test('where the control plane says no host of the gate, keys enter and nobody is led away', async (context) => {
  const origin = await startRawOrigin(context)
  const dataPlane = await startTestDataPlane(context, origin.port, { gateUrl: null })
  const browser = new TestBrowser(dataPlane)
  assert.equal((await browser.open(`${browser.site}/`)).status, 401)
  assert.equal((await browser.open(`${browser.site}/.sallyport/sign-in`)).status, 401)
  assert.equal((await browser.open(`${browser.gate}/`)).status, 401, 'a name as any other')
  const url = new URL(`${browser.site}/`)
  assert.equal((await ask(dataPlane.port, 'GET', url, { headers: { 'Sallyport-Key': KEY } })).status, 200)
})

test('a session that was begun by a key ends with that key, at the gate and at every site', async (context) => {
  const { dataPlane } = await openGate(context)
  const other = hashOf('rk_live_other')
  const browser = await signedIn(dataPlane)
  await browser.open((await browser.fetchCode()).href)
  const code = await browser.fetchCode()
  assert.equal((await browser.open(`${browser.site}/`)).status, 200)
  dataPlane.snapshots.putResearcher(researcher({ keyHashes: [hashOf(KEY), other] }))
  assert.equal((await browser.open(`${browser.site}/`)).status, 200)
  dataPlane.snapshots.putResearcher(researcher({ keyHashes: [other] }))
  assert.equal((await browser.open(`${browser.site}/`)).status, 303)
  assert.equal((await browser.open(code.href)).status, 403)
  assert.equal((await browser.call('GET', 'me')).status, 401)
})

test('an invitation link of before the gate’s own host says that a new one is needed, to whoever opens it', async (context) => {
  const { dataPlane, origin } = await openGate(context)
  const link = '/.sallyport/invite?token=ab'
  const stranger = new TestBrowser(dataPlane)
  const browser = await signedIn(dataPlane)
  await browser.open((await browser.fetchCode()).href)
  for (const one of [stranger, browser]) {
    const answer = await one.open(one.site + link)
    assert.equal(answer.status, 404)
    assert.match(answer.body, /earlier version.*Ask the organization for a new one/)
  }
  assert.equal(origin.connections, 0)
})
