/** Names of an application on several hosts, both ways: whole hosts of the own group, and nothing else. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { OriginConfig, SiteGroupConfig } from '@sallyport/contract'
import fc from 'fast-check'
import { toGatedCookie } from '../../../../src/upstream/forward/headers/gated-cookie.ts'
import { toGatedPolicy } from '../../../../src/upstream/forward/headers/gated-policy.ts'
import {
  toGatedOrigin,
  toGatedUrl,
  toOriginDestination,
  toOriginUrl,
} from '../../../../src/upstream/forward/headers/host-rewriting.ts'
import { toGatedQuery, toOriginTarget } from '../../../../src/upstream/forward/headers/redirect-uris.ts'
import { startRawOrigin } from '../../../support/raw-origin.ts'
import { KEY, sendRaw, site, startTestDataPlane } from '../../../support/test-data-plane.ts'

const GROUP = 'app.gate.example'
const origin = (host: string, more: Partial<OriginConfig> = {}): OriginConfig => ({
  scheme: 'https',
  host,
  port: 443,
  ...more,
})
const named = (label: string, of: OriginConfig) => ({ gatedName: `${label}.${GROUP}`, origin: of })
const group: SiteGroupConfig = {
  gatedName: GROUP,
  sites: [
    named('api', origin('api.example.com')),
    named('login', origin('login.example.com', { scheme: 'http', port: 8080 })),
    named('shop', origin('shop.example.com')),
  ],
}
const SITE = { origin: origin('shop.example.com'), group }
const REQUEST = { secure: true, host: `shop.${GROUP}`, hostPort: '' }
const ELSEWHERE = { ...REQUEST, secure: false, hostPort: '7080' }

test('a URL of an answer leads to the gated name of its host, by whatever scheme and port means it', () => {
  const gated = (url: string, request = REQUEST) => toGatedUrl(url, request, SITE)
  assert.equal(gated('https://shop.example.com/a'), `https://shop.${GROUP}/a`)
  assert.equal(gated('https://API.example.com/a?b#c'), `https://api.${GROUP}/a?b#c`)
  assert.equal(gated('http://api.example.com'), `https://api.${GROUP}`)
  assert.equal(gated('//api.example.com:443/'), `https://api.${GROUP}/`)
  assert.equal(gated('http://login.example.com:8080/x'), `https://login.${GROUP}/x`)
  assert.equal(gated('https://api.example.com/', ELSEWHERE), `http://api.${GROUP}:7080/`)
  for (const url of [
    'https://login.example.com/',
    'https://api.example.com:8443/',
    'https://api.example.com.evil.example/',
    'https://evil-api.example.com/',
    'https://api.example.com@evil.example/',
    'https://static.example.com/',
    'ftp://api.example.com/',
    '/https://api.example.com/',
    `https://api.${GROUP}/`,
  ])
    assert.equal(gated(url), url)
})

test('of two origins that a URL may mean, it is the one with its scheme and port', () => {
  const both: SiteGroupConfig = {
    gatedName: GROUP,
    sites: [
      named('plain', origin('example.com', { scheme: 'http', port: 80 })),
      named('tls', origin('example.com')),
    ],
  }
  const ofPlain = { origin: origin('example.com', { scheme: 'http', port: 80 }), group: both }
  const request = { ...REQUEST, host: `plain.${GROUP}` }
  assert.equal(toGatedUrl('https://example.com/', request, ofPlain), `https://tls.${GROUP}/`)
  assert.equal(toGatedUrl('http://example.com/', request, ofPlain), `https://plain.${GROUP}/`)
})

test('an origin learns the origins’ names, of its own group, by their own scheme and port', () => {
  const known = (url: string, site: typeof SITE = SITE) => toOriginUrl(url, REQUEST, site)
  assert.equal(known(`https://shop.${GROUP}`), 'https://shop.example.com')
  assert.equal(known(`https://login.${GROUP}/page`), 'http://login.example.com:8080/page')
  for (const url of [
    `http://login.${GROUP}/`,
    `https://login.${GROUP}:8443/`,
    `https://login.${GROUP}.evil.example/`,
    'https://login.other.gate.example/',
    `https://${GROUP}/`,
    'null',
  ])
    assert.equal(known(url), url)
  assert.equal(toGatedOrigin('http://login.example.com:8080', REQUEST, SITE, null), `https://login.${GROUP}`)
  const kept = { ...SITE, keepsGatedHost: true }
  assert.equal(known(`https://login.${GROUP}`, kept), `https://login.${GROUP}`)
  assert.equal(toGatedUrl(`http://login.${GROUP}/`, REQUEST, kept), `https://login.${GROUP}/`)
  // The rules of the other site would not be asked.
  assert.equal(toOriginDestination(`https://login.${GROUP}/a`, REQUEST, SITE), null)
})

test('a cookie for all hosts of the application is one for the group, and for no more', () => {
  const cookie = (domain: string, of = SITE) => toGatedCookie(`a=1; Domain=${domain}`, REQUEST.host, of)
  assert.equal(cookie('example.com'), `a=1; Domain=${GROUP}`)
  assert.equal(cookie('.Example.com'), `a=1; Domain=${GROUP}`)
  assert.equal(cookie(GROUP), `a=1; Domain=${GROUP}`)
  assert.equal(cookie('shop.example.com'), `a=1; Domain=${REQUEST.host}`)
  assert.equal(cookie('gate.example'), `a=1; Domain=${REQUEST.host}`)
  assert.equal(cookie('example'), `a=1; Domain=${REQUEST.host}`)
  assert.equal(cookie('com'), `a=1; Domain=${REQUEST.host}`)
  assert.equal(cookie('elsewhere.test'), 'a=1; Domain=elsewhere.test')
  assert.equal(toGatedCookie('__Http-sallyport-group=x; Domain=example.com', REQUEST.host, SITE), null)
  const sites = [...group.sites, named('cdn', origin('cdn.example.net'))]
  const mixed = { ...SITE, group: { ...group, sites } }
  assert.equal(cookie('example.com', mixed), `a=1; Domain=${REQUEST.host}`)
  const [alone = []] = [group.sites.slice(2)]
  assert.equal(
    cookie('example.com', { ...SITE, group: { ...group, sites: alone } }),
    `a=1; Domain=${REQUEST.host}`,
  )
  const registry = ['a.co.uk', 'b.co.uk'].map((host, index) => named(`s${index}`, origin(host)))
  const ofRegistry = { origin: origin('a.co.uk'), group: { ...group, sites: registry } }
  assert.equal(cookie('co.uk', ofRegistry), `a=1; Domain=${REQUEST.host}`)
})

test('a policy allows the hosts of the application under their gated names, and what it allowed elsewhere', () => {
  const policy = (value: string, request = REQUEST) => toGatedPolicy(value, request, SITE)
  assert.equal(
    policy(
      "default-src 'self'; connect-src https://api.example.com wss://api.example.com/live; report-uri /r",
    ),
    `default-src 'self'; connect-src https://api.${GROUP} wss://api.${GROUP}/live; report-uri /r`,
  )
  assert.equal(
    policy('img-src api.example.com login.example.com:8080 login.example.com cdn.example.net', ELSEWHERE),
    `img-src api.${GROUP}:7080 login.${GROUP}:7080 login.example.com cdn.example.net`,
  )
  assert.equal(
    policy('script-src https://*.example.com:*,script-src ws://api.example.com:443', ELSEWHERE),
    `script-src https://*.example.com:* http://shop.${GROUP}:7080 http://api.${GROUP}:7080 http://login.${GROUP}:7080,` +
      `script-src ws://api.${GROUP}:7080`,
  )
  for (const value of [
    'api.example.com x',
    "script-src 'nonce-api.example.com' 'strict-dynamic' data: * https:",
    'script-src https://api.example.com.evil.example https://evil-api.example.com api.example.com@evil.example',
    'script-src https://api.example.com:8443 ftp://api.example.com',
    ' ; ,;',
  ])
    assert.equal(policy(value), value)
  const many = policy(`script-src${' *.example.com'.repeat(5_000)}`)
  assert.ok(many.length < 5_000 * 14 + 20_000, `${many.length}`)
})

test('where to come back to after signing in is the origin’s name there, and the gated one in the browser', () => {
  const target = (text: string, of: typeof SITE & { keepsGatedHost?: boolean } = SITE, request = REQUEST) =>
    toOriginTarget(text, request, of)
  const back = encodeURIComponent(`https://shop.${GROUP}/back?a=1&b=2`)
  const known = encodeURIComponent('https://shop.example.com/back?a=1&b=2')
  assert.equal(target(`/authorize?x=1&redirect_uri=${back}&y=2`), `/authorize?x=1&redirect_uri=${known}&y=2`)
  assert.equal(
    target(`/a?redirect_uri=https://login.${GROUP}/b`),
    '/a?redirect_uri=http://login.example.com:8080/b',
  )
  assert.equal(
    target(`/a?post_logout_redirect_uri=https%3a%2f%2fapi.${GROUP}`),
    '/a?post_logout_redirect_uri=https%3a%2f%2fapi.example.com',
  )
  assert.equal(
    target(`/a?redirect_uri=http%3A%2F%2Flogin.${GROUP}%3A7080%2F`, SITE, ELSEWHERE),
    '/a?redirect_uri=http%3A%2F%2Flogin.example.com%3A8080%2F',
  )
  const kept = { ...SITE, keepsGatedHost: true }
  assert.equal(target(`/a?redirect_uri=${back}`, kept), `/a?redirect_uri=${back}`)
  for (const text of [
    `/authorize?url=${back}`,
    `/authorize?my_redirect_uri=${back}`,
    `/a?redirect_uri=https://api.${GROUP}.evil.example/`,
    `/a?redirect_uri=https://api.${GROUP}@evil.example/`,
    `/a?redirect_uri=https%3A%2F%2Fapi.${GROUP}%40evil.example`,
    `/a?redirect_uri=https://api.${GROUP}:8443/`,
    `/a?redirect_uri=http://api.${GROUP}/`,
    '/a?redirect_uri=https://api.other.gate.example/',
    `/a/redirect_uri=https://api.${GROUP}/`,
    `/a&redirect_uri=https://api.${GROUP}/`,
    `/a&redirect_uri=https://api.${GROUP}/?x=1`,
    `/a?redirect_uri=${encodeURIComponent(encodeURIComponent(`https://api.${GROUP}/`))}`,
  ])
    assert.equal(target(text), text)
  const single = { origin: SITE.origin }
  const own = `/a?redirect_uri=https://shop.${GROUP}/`
  assert.equal(toOriginTarget(own, REQUEST, single), own, 'a site in no group has its target byte for byte')

  const answered = (url: string) => toGatedQuery(toGatedUrl(url, REQUEST, SITE), REQUEST, SITE)
  assert.equal(
    answered(`http://login.example.com:8080/authorize?redirect_uri=${known}`),
    `https://login.${GROUP}/authorize?redirect_uri=${back}`,
  )
  assert.equal(answered(`/authorize?redirect_uri=${known}`), `/authorize?redirect_uri=${back}`)
  for (const url of [
    `https://accounts.elsewhere.example/authorize?redirect_uri=${known}`,
    `//elsewhere.example/authorize?redirect_uri=${known}`,
    `/\\elsewhere.example/authorize?redirect_uri=${known}`,
  ])
    assert.equal(answered(url), url, 'another provider compares it with the name of the origin')
})

test('what an origin is told of a name is what the browser was told of it', () => {
  const label = fc.constantFrom(...group.sites)
  const rest = fc.constantFrom('', '/', '/a/b?c=d', '?a', '#x')
  const request = fc.record({
    secure: fc.boolean(),
    host: fc.constantFrom(...group.sites.map(({ gatedName }) => gatedName)),
    hostPort: fc.constantFrom('', '7080'),
  })
  fc.assert(
    fc.property(label, rest, request, (of, end, asked) => {
      const own = group.sites.find(({ gatedName }) => gatedName === asked.host) ?? of
      const sent = { origin: own.origin, group }
      const { scheme, host, port } = of.origin
      const url = `${scheme}://${host}${port === 443 ? '' : `:${port}`}${end}`
      const gated = toGatedUrl(url, asked, sent)
      assert.notEqual(gated, url)
      assert.equal(toOriginUrl(gated, asked, sent), url)
      const query = `/a?redirect_uri=${encodeURIComponent(url)}`
      assert.equal(toOriginTarget(toGatedQuery(query, asked, sent), asked, sent), query)
    }),
  )
})

/** What the origin of a site of a group saw, and what came back. */
async function exchange(context: TestContext, headers: readonly string[], answered: readonly string[]) {
  const raw = await startRawOrigin(context, (socket) =>
    socket.write(['HTTP/1.1 302 Found', 'Content-Length: 0', ...answered, '', ''].join('\r\n')),
  )
  const gate = await startTestDataPlane(context, raw.port)
  const sites = ['a', 'b'].map((name) => ({
    gatedName: `${name}.group.gate.localhost`,
    origin: {
      scheme: 'http',
      host: name === 'a' ? '127.0.0.1' : 'b.example',
      port: name === 'a' ? raw.port : 80,
    },
  })) as SiteGroupConfig['sites']
  gate.snapshots.putSite(
    site(raw.port, {
      id: 'site-2',
      gatedName: 'a.group.gate.localhost',
      group: { gatedName: 'group.gate.localhost', sites },
    }),
  )
  const lines = [
    'GET /a?redirect_uri=http://b.group.gate.localhost/ HTTP/1.1',
    'Host: a.group.gate.localhost',
    `Sallyport-Key: ${KEY}`,
    ...headers,
    '',
    '',
  ]
  const { text } = await sendRaw(gate.port, lines.join('\r\n'))
  const [event] = await gate.recorder.waitFor(1)
  return { seen: (raw.received[0] ?? '').split('\r\n'), answer: text.split('\r\n'), event }
}

test('through the gate, both ways; the record has the target as it was sent', async (context) => {
  const { seen, answer, event } = await exchange(
    context,
    ['Origin: http://b.group.gate.localhost', 'Referer: http://b.group.gate.localhost/x'],
    [
      'Location: http://b.example/next',
      'Link: <http://b.example/style>; rel=preload',
      'Refresh: 1; url=http://b.example/later',
      'Content-Security-Policy: connect-src b.example',
      'Access-Control-Allow-Origin: http://b.example',
    ],
  )
  assert.equal(seen[0], 'GET /a?redirect_uri=http://b.example/ HTTP/1.1')
  assert.ok(seen.includes('Origin: http://b.example'))
  assert.ok(seen.includes('Referer: http://b.example/x'))
  for (const line of [
    'Location: http://b.group.gate.localhost/next',
    'Link: <http://b.group.gate.localhost/style>; rel=preload',
    'Refresh: 1; url=http://b.group.gate.localhost/later',
    'Content-Security-Policy: connect-src b.group.gate.localhost',
    'Access-Control-Allow-Origin: http://b.group.gate.localhost',
  ])
    assert.ok(answer.includes(line), line)
  assert.equal(event?.target, '/a?redirect_uri=http://b.group.gate.localhost/')
  assert.deepEqual(event?.leadsTo, ['b.group.gate.localhost'])
})

test('hosts of a wildcard are translated as those that are named, each way, and those that are named as before', () => {
  const sites = [named('*', origin('*.example.com')), ...group.sites]
  const foo = { origin: origin('foo.example.com'), group: { gatedName: GROUP, sites } }
  const request = { ...REQUEST, host: `foo.${GROUP}` }
  const gated = (url: string) => toGatedUrl(url, request, foo)
  assert.equal(gated('https://bar.example.com/a'), `https://bar.${GROUP}/a`)
  assert.equal(gated('//Bar.example.com:443/a'), `https://bar.${GROUP}/a`)
  assert.equal(gated('http://login.example.com:8080/x'), `https://login.${GROUP}/x`)
  for (const url of [
    'https://login.example.com/',
    'https://example.com/',
    'https://a.bar.example.com/',
    'https://bar.example.com:8443/',
    'https://bar_x.example.com/',
    'https://bar.example.com.evil.example/',
  ])
    assert.equal(gated(url), url)
  const known = (url: string) => toOriginUrl(url, request, foo)
  assert.equal(known(`https://bar.${GROUP}/page`), 'https://bar.example.com/page')
  assert.equal(known(`https://api.${GROUP}`), 'https://api.example.com')
  for (const url of [
    `http://bar.${GROUP}/`,
    `https://bar.${GROUP}:1/`,
    `https://a.bar.${GROUP}/`,
    `https://${GROUP}/`,
  ])
    assert.equal(known(url), url)
  const back = encodeURIComponent(`https://bar.${GROUP}/back`)
  const backAtOrigin = encodeURIComponent('https://bar.example.com/back')
  assert.equal(toOriginTarget(`/a?redirect_uri=${back}`, request, foo), `/a?redirect_uri=${backAtOrigin}`)
  assert.equal(
    toGatedQuery(`https://bar.${GROUP}/a?redirect_uri=${backAtOrigin}`, request, foo),
    `https://bar.${GROUP}/a?redirect_uri=${back}`,
  )
  assert.equal(toGatedPolicy('img-src bar.example.com', request, foo), `img-src bar.${GROUP}`)
  assert.match(
    toGatedPolicy('img-src https://*.example.com', request, foo),
    new RegExp(`^img-src https://\\*\\.example\\.com .*https://\\*\\.${GROUP}`),
  )
  const alone = { ...foo, group: { gatedName: GROUP, sites: sites.slice(0, 1) } }
  assert.equal(toGatedCookie('a=1; Domain=example.com', request.host, alone), `a=1; Domain=${GROUP}`)
  assert.equal(
    toGatedCookie('a=1; Domain=foo.example.com', request.host, alone),
    `a=1; Domain=${request.host}`,
  )
})
