/** A site of many hosts: which are served, under which rules, and what one organization's are to another. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { SiteConfig } from '@sallyport/contract'
import { createAddressPolicy } from '@sallyport/policy'
import { DEFAULT_GATEWAY_LIMITS } from '../../src/settings.ts'
import { NameLookups } from '../../src/upstream/pool/name-lookups.ts'
import { OriginPools } from '../../src/upstream/pool/origin-pools.ts'
import { OK, type RawHandler, startRawOrigin } from '../support/raw-origin.ts'
import { TestBrowser } from '../support/test-browser.ts'
import { ask, BOB, BOB_KEY, KEY, site, startTestDataPlane } from '../support/test-data-plane.ts'

const GROUP = 'apps.gate.localhost'
const OTHER_KEY = 'rk_live_other'

/** Every host is at the same server, but for those that are said to be elsewhere. */
function poolsAt(addresses: Readonly<Record<string, string>>, limits = DEFAULT_GATEWAY_LIMITS): OriginPools {
  const names = new NameLookups(async (host) => {
    const address = addresses[host] ?? '127.0.0.1'
    if (address === '') throw Object.assign(new Error(), { code: 'ENOTFOUND' })
    return [{ address }]
  })
  return new OriginPools(limits, createAddressPolicy(['127.0.0.0/8']), [], names)
}

interface Setting {
  readonly changes?: Partial<SiteConfig>
  readonly onHead?: RawHandler
  readonly addresses?: Readonly<Record<string, string>>
  readonly limits?: Partial<typeof DEFAULT_GATEWAY_LIMITS>
}

async function openGate(context: TestContext, { changes, onHead, addresses = {}, limits }: Setting = {}) {
  const origin = await startRawOrigin(context, onHead)
  const settings = { limits: { ...DEFAULT_GATEWAY_LIMITS, drainTimeoutMs: 100, ...limits } }
  const origins = poolsAt(addresses, settings.limits)
  const dataPlane = await startTestDataPlane(context, origin.port, { settings, origins })
  const { snapshots, port } = dataPlane
  snapshots.putResearcher(BOB)
  const at = (label: string, host: string) => ({
    gatedName: `${label}.${GROUP}`,
    origin: { scheme: 'http' as const, host, port: origin.port },
  })
  const named = [
    at('*', '*.example.test'),
    at('admin', 'admin.internal.test'),
    at('files', 'static.example.test'),
  ]
  const group = { gatedName: GROUP, sites: named }
  for (const one of named)
    snapshots.putSite(
      site(origin.port, {
        ...one,
        id: one.gatedName.split('.', 1)[0] ?? '',
        group,
        enabled: !one.gatedName.startsWith('admin'),
        ...(one.gatedName.startsWith('*') && changes),
      }),
    )
  const urlOf = (label: string, path = '/'): URL => new URL(`http://${label}.${GROUP}:${port}${path}`)
  const get = (label: string, headers: Record<string, string> = {}, key = KEY) =>
    ask(port, 'GET', urlOf(label), { headers: { 'Sallyport-Key': key, ...headers } })
  return { origin, origins, dataPlane, snapshots, port, get, urlOf }
}

test('each host is asked by its own name, and recorded with the site', async (context) => {
  const { origin, dataPlane, get } = await openGate(context)
  for (const label of ['shop', 'a-1']) assert.equal((await get(label)).status, 200, label)
  const heads = origin.received.join('')
  for (const host of ['shop', 'a-1'])
    assert.match(heads, new RegExp(`Host: ${host}\\.example\\.test:\\d+\\r\\n`))
  const events = await dataPlane.recorder.waitFor(2)
  assert.deepEqual(
    events.map(({ siteId, host, researcherId }) => [siteId, host.split(':')[0], researcherId]),
    ['shop', 'a-1'].map((label) => ['*', `${label}.${GROUP}`, 'researcher-1']),
  )
  const claims = [...heads.matchAll(/Sallyport-Assertion: [^.]+\.([^.]+)/g)].map(([, text = '']) =>
    JSON.parse(Buffer.from(text, 'base64url').toString()),
  )
  assert.deepEqual(
    claims.map((claim) => [claim.site, claim.origin.split('//')[1]?.split(':')[0]]),
    [
      ['*', 'shop.example.test'],
      ['*', 'a-1.example.test'],
    ],
  )
})

test('what is named in the group, is no label, or is another group’s, is no host of it', async (context) => {
  const { origin, get, port } = await openGate(context)
  assert.equal((await get('admin')).status, 503, 'closed, and not open as a host of the wildcard')
  for (const label of ['static', 'a.b', 'xn--a', '-a', 'a_b', '*', '%2a'])
    assert.notEqual((await get(label).catch(() => ({ status: 0 }))).status, 200, label)
  const elsewhere = new URL(`http://shop.other.gate.localhost:${port}/`)
  assert.equal((await ask(port, 'GET', elsewhere, { headers: { 'Sallyport-Key': KEY } })).status, 401)
  assert.deepEqual(origin.received, [])
  assert.equal((await get('files')).status, 200)
})

test('whoever is not of the organization is let into no host, and other sites’ names are not translated', async (context) => {
  const { origin, snapshots, get, dataPlane } = await openGate(context, {
    onHead: (socket) =>
      socket.write(
        'HTTP/1.1 302 Found\r\nLocation: http://their.example.test/\r\nContent-Length: 0\r\n\r\n'.replace(
          'their.example.test',
          `their.example.test:${origin.port}`,
        ),
      ),
  })
  snapshots.putOtherOrganization('org-2', OTHER_KEY)
  assert.equal((await get('shop', {}, OTHER_KEY)).status, 401)
  assert.equal((await get('shop', { Origin: 'http://their.gate.localhost' }, 'rk_live_unknown')).status, 401)
  // Their site with the same origin in no group: the wildcard's names are none of theirs.
  snapshots.putSite(
    site(origin.port, {
      id: 'theirs',
      orgId: 'org-2',
      gatedName: 'their.gate.localhost',
    }),
  )
  const theirs = new URL(`http://their.gate.localhost:${dataPlane.port}/`)
  const answer = await ask(dataPlane.port, 'GET', theirs, { headers: { 'Sallyport-Key': OTHER_KEY } })
  assert.equal(answer.header('location'), `http://their.example.test:${origin.port}/`)
  const own = await get('shop')
  assert.equal(own.header('location'), `http://their.${GROUP}:${dataPlane.port}/`)
})

test('each host is judged by what its name resolves to', async (context) => {
  const addresses = {
    'metadata.example.test': '169.254.169.254',
    'lan.example.test': '10.0.0.1',
    'gone.example.test': '',
  }
  const { get, dataPlane } = await openGate(context, { addresses })
  for (const label of ['metadata', 'lan', 'gone']) assert.equal((await get(label)).status, 502, label)
  const reasons = (await dataPlane.recorder.waitFor(3)).map(({ reason }) => reason)
  assert.deepEqual(reasons, ['origin_forbidden_address', 'origin_forbidden_address', 'origin_unreachable'])
  assert.equal((await get('shop')).status, 200)
})

test('a host that fails stops no other of the wildcard', async (context) => {
  const { get } = await openGate(context, { addresses: { 'gone.example.test': '' } })
  for (let times = 0; times < 5; times++) assert.equal((await get('gone')).status, 502)
  assert.equal((await get('gone')).status, 503)
  assert.equal((await get('shop')).status, 200)
})

test('limits, lists and windows are the site’s, over all of its hosts', async (context) => {
  const { snapshots, get } = await openGate(context, {
    changes: { access: 'listed', researcherIds: ['researcher-1'], rateLimit: 'few' },
  })
  const limit = { kind: 'fixed', limit: 3, windowMs: 60_000 } as const
  const few = { name: 'few', site: limit, perResearcher: null }
  snapshots.apply({ type: 'put', kind: 'policy', id: 'few', value: few })
  assert.equal((await get('a', {}, BOB_KEY)).status, 403)
  for (const label of ['a', 'b', 'c']) assert.equal((await get(label)).status, 200)
  assert.equal((await get('d')).status, 429)
})

test('all hosts share the connections that an origin may have, and none carries the request of another', async (context) => {
  const held: (() => void)[] = []
  const { origin, get } = await openGate(context, {
    limits: { originConnectionsMax: 4, originConnectionsPerResearcherMax: 2, originConnectTimeoutMs: 300 },
    onHead: (socket, head) => {
      if (head.includes('X-Hold')) held.push(() => socket.write(OK))
      else socket.write(OK)
    },
  })
  const asked = ['a', 'b', 'c'].map((label) => get(label, { 'X-Hold': '1' }))
  assert.equal((await Promise.race(asked)).status, 429, 'two at once for one researcher, whatever the hosts')
  assert.equal((await get('d', {}, BOB_KEY)).status, 200)
  for (const answer of held.splice(0)) answer()
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [200, 200, 429])
  for (const label of ['a', 'b', 'e', 'f', 'g', 'a']) assert.equal((await get(label)).status, 200, label)
  for (const bytes of origin.received)
    assert.equal(new Set([...bytes.matchAll(/^Host: (\S+)/gm)].map(([, host]) => host)).size, 1, bytes)
})

test('a browser signs in at one host, by the group’s session, and a code is for that host alone', async (context) => {
  const { dataPlane, urlOf, port } = await openGate(context)
  const browser = new TestBrowser(dataPlane)
  await browser.call('POST', 'session', { key: KEY })
  const begun = await browser.open(`${urlOf('shop')}.sallyport/sign-in?to=/cart`)
  const asked = new URL(begun.header('location')).searchParams
  assert.equal(asked.get('host'), `shop.${GROUP}:${port}`)
  const fields = { host: asked.get('host'), nonce: asked.get('nonce'), to: asked.get('to') }
  for (const host of [`*.${GROUP}:${port}`, `a.b.${GROUP}:${port}`, `static.${GROUP}:${port}`])
    assert.notEqual((await browser.call('POST', 'codes', { ...fields, host })).status, 200, host)
  const { json } = await browser.call('POST', 'codes', fields)
  const moved = json.location.replace(`shop.${GROUP}`, `other.${GROUP}`)
  assert.equal((await browser.open(moved)).status, 403)
  const entered = await browser.open(json.location)
  assert.equal(entered.header('location'), `${urlOf('shop', '/cart')}`)
  const { json: listed } = await browser.call('GET', 'sites')
  assert.ok(listed.items.some(({ gatedName }: { gatedName: string }) => gatedName === `*.${GROUP}`))
})

test('pages of one host ask another by the rule of the site', async (context) => {
  const { get, urlOf } = await openGate(context, { changes: { preflights: 'answer' } })
  const { origin } = urlOf('a')
  const preflight = { Origin: origin, 'Access-Control-Request-Method': 'PUT' }
  const { port } = urlOf('b')
  const ofPage = (headers: Record<string, string>) => ask(Number(port), 'OPTIONS', urlOf('b'), { headers })
  assert.equal((await ofPage(preflight)).status, 204)
  assert.equal((await ofPage({ ...preflight, Origin: `http://a.other.gate.localhost:${port}` })).status, 401)
  assert.equal((await get('b', { Origin: origin })).status, 200)
})
