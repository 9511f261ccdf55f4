/** Requests of pages of one site to another: what becomes of preflights, and which names are translated. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { RateLimitPolicy, SiteConfig } from '@sallyport/contract'
import { blockRule } from '../../../../../test/support/block-rule.ts'
import { DEFAULT_GATEWAY_LIMITS, type GatewaySettings } from '../../../src/settings.ts'
import { startRawOrigin } from '../../support/raw-origin.ts'
import {
  HOST,
  KEY,
  type RawAnswer,
  sendRaw,
  site,
  startTestDataPlane,
} from '../../support/test-data-plane.ts'

const PAGE = 'http://pages.gate.localhost'
const FOREIGN_PAGE = 'http://foreign.gate.localhost'
/** The application of the pages, by its own name. */
const PAGE_ORIGIN = { scheme: 'https', host: 'pages.example', port: 443 } as const
const ALLOWED = [
  'Access-Control-Allow-Origin: https://pages.example',
  'Access-Control-Allow-Credentials: true',
  'Access-Control-Allow-Methods: PUT',
  'Vary: Origin',
]
const ANSWER = [
  'HTTP/1.1 200 OK',
  'Content-Length: 6',
  'Server: secret/1',
  'Set-Cookie: secret=1',
  'Location: https://elsewhere.example/',
  ...ALLOWED,
  '',
  'secret',
].join('\r\n')

/** A gate with the site that is asked, another one of its organization, and one of another organization. */
async function open(
  context: TestContext,
  changes: Partial<SiteConfig>,
  settings: Partial<GatewaySettings> = {},
) {
  const origin = await startRawOrigin(context, (socket) => socket.write(ANSWER))
  const gate = await startTestDataPlane(context, origin.port, { site: changes, settings })
  const { port } = origin
  gate.snapshots.putSite(site(port, { id: 'pages', gatedName: 'pages.gate.localhost', origin: PAGE_ORIGIN }))
  gate.snapshots.apply({
    type: 'put',
    kind: 'organization',
    id: 'org-2',
    value: { id: 'org-2', name: 'Other', open: true },
  })
  gate.snapshots.putSite(site(port, { id: 'foreign', orgId: 'org-2', gatedName: 'foreign.gate.localhost' }))
  const ask = (line: string, ...headers: readonly string[]): Promise<RawAnswer> =>
    sendRaw(gate.port, [`${line} HTTP/1.1`, `Host: ${HOST}`, ...headers, '', ''].join('\r\n'))
  const preflight = (from: string, ...more: readonly string[]): Promise<RawAnswer> =>
    ask('OPTIONS /api/orders?id=7', `Origin: ${from}`, 'Access-Control-Request-Method: PUT', ...more)
  return { origin, gate, ask, preflight }
}

const corsOf = ({ text }: RawAnswer): readonly string[] =>
  text.match(/^(?:access-control|vary)[^\r]*$/gim) ?? []

test('unless the site says so, a preflight is refused as any request without a credential', async (context) => {
  for (const changes of [{}, { preflights: 'refuse' }] as const) {
    const { origin, preflight } = await open(context, changes)
    const answer = await preflight(PAGE)
    assert.deepEqual([answer.status, corsOf(answer), origin.connections], [401, [], 0])
  }
})

test('the gate answers for pages of the organization, and records it', async (context) => {
  const { origin, gate, preflight } = await open(context, { preflights: 'answer' })
  const answer = await preflight(PAGE, 'Access-Control-Request-Headers: content-type, X-Token')
  assert.equal(answer.status, 204)
  assert.deepEqual(corsOf(answer), [
    `Access-Control-Allow-Origin: ${PAGE}`,
    'Access-Control-Allow-Credentials: true',
    'Access-Control-Allow-Methods: PUT',
    'Access-Control-Allow-Headers: content-type, X-Token',
    'Access-Control-Max-Age: 60',
    'Vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
  ])
  assert.equal(origin.connections, 0)
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual(
    [event?.method, event?.target, event?.status, event?.outcome, event?.researcherId],
    ['OPTIONS', '/api/orders?id=7', 204, 'gate', ''],
  )
})

test('the origin is asked in nobody’s name, and what it says of CORS is all that comes back', async (context) => {
  const { origin, gate, preflight } = await open(context, { preflights: 'forward' })
  const answer = await preflight(
    PAGE,
    'Access-Control-Request-Headers: x-token',
    'Authorization: Basic c2VjcmV0',
    'Cookie: a=1',
    'X-Anything: 1',
    'X-HTTP-Method-Override: DELETE',
    'Referer: http://pages.gate.localhost/',
    'Sec-Fetch-Mode: cors',
    'User-Agent: browser',
  )
  assert.equal(answer.status, 200)
  assert.deepEqual(corsOf(answer), [`Access-Control-Allow-Origin: ${PAGE}`, ...ALLOWED.slice(1)])
  assert.ok(!/secret|elsewhere/i.test(answer.text), answer.text)
  const lines = (origin.received[0] ?? '').split('\r\n')
  const ours = lines.findIndex((line) => line.startsWith('X-Forwarded-For'))
  assert.deepEqual(lines.slice(0, ours), [
    'OPTIONS /api/orders?id=7 HTTP/1.1',
    `Host: 127.0.0.1:${origin.port}`,
    'Origin: https://pages.example',
    'Access-Control-Request-Method: PUT',
    'Access-Control-Request-Headers: x-token',
    'Sec-Fetch-Mode: cors',
    'User-Agent: browser',
  ])
  assert.ok(!lines.some((line) => line.startsWith('Sallyport-Assertion')))
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual(
    [event?.status, event?.outcome, event?.researcherId, event?.leadsTo, event?.responseBytes],
    [200, 'origin', '', [], 0],
  )
  assert.equal(gate.recorder.intents.length, 1)
})

test('rules and the state of the site hold for it, and are told to nobody', async (context) => {
  const { origin, gate, preflight } = await open(context, {
    preflights: 'forward',
    blockRules: [blockRule('r', '/api')],
  })
  const blocked = await preflight(PAGE)
  assert.equal(blocked.status, 401)
  assert.ok(
    blocked.text.includes('"reason":"no_credential"') && !/block|rule/i.test(blocked.text),
    blocked.text,
  )
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual(
    [event?.status, event?.outcome, event?.reason, event?.rule],
    [401, 'block', 'block_rule', 'r'],
  )
  gate.snapshots.putSite(site(origin.port, { preflights: 'forward', enabled: false }))
  assert.equal((await preflight(PAGE)).status, 401)
  assert.equal(origin.connections, 0)
})

test('another organization’s pages, and whoever is no page, gain and learn nothing', async (context) => {
  for (const preflights of ['answer', 'forward'] as const) {
    const { origin, ask, preflight } = await open(context, { preflights })
    const others = [
      FOREIGN_PAGE,
      `http://${HOST}`,
      'http://nobody.gate.localhost',
      'https://pages.gate.localhost',
      'http://pages.gate.localhost:81',
      'http://PAGES.gate.localhost',
      `${PAGE}/`,
      `${PAGE}, ${PAGE}`,
      'http://pages.example',
      'https://pages.example',
      'null',
      '',
    ]
    const asTheySee = ({ status, text }: RawAnswer) => [
      status,
      text.replace(/[0-9a-f-]{36}/g, 'id').replace(/^Date: .+ GMT/m, 'Date: now'),
    ]
    const refused = asTheySee(await preflight('http://elsewhere.example'))
    for (const other of others) assert.deepEqual(asTheySee(await preflight(other)), refused, other)
    const wrong = [
      await preflight(PAGE, 'Content-Length: 1', '', 'x'),
      await preflight(PAGE, 'Access-Control-Request-Headers: a b'),
      await preflight(PAGE, `Access-Control-Request-Headers: ${'a,'.repeat(600)}a`),
      await preflight(PAGE, 'Sallyport-Key: rk_live_wrong'),
      await ask('OPTIONS /', `Origin: ${PAGE}`),
      await ask('OPTIONS /', `Origin: ${PAGE}`, 'Access-Control-Request-Method: a b'),
      await ask('OPTIONS *', `Origin: ${PAGE}`, 'Access-Control-Request-Method: PUT'),
      await ask('OPTIONS /.sallyport/x', `Origin: ${PAGE}`, 'Access-Control-Request-Method: PUT'),
      await ask('GET /', `Origin: ${PAGE}`, 'Access-Control-Request-Method: PUT'),
    ]
    for (const answer of wrong) assert.deepEqual([answer.status, corsOf(answer)], [401, []], answer.text)
    assert.equal(origin.connections, 0)
  }
})

test('strangers’ preflights go to the origin at a pace, and use up no limit of the site', async (context) => {
  const { origin, gate, ask } = await open(context, { preflights: 'forward', rateLimit: 'one' })
  const value: RateLimitPolicy = {
    name: 'one',
    site: { kind: 'fixed', limit: 1, windowMs: 3_600_000 },
    perResearcher: null,
  }
  gate.snapshots.apply({ type: 'put', kind: 'policy', id: 'one', value })
  const head = [
    'OPTIONS / HTTP/1.1',
    `Host: ${HOST}`,
    `Origin: ${PAGE}`,
    'Access-Control-Request-Method: PUT',
    '',
    '',
  ].join('\r\n')
  const { text } = await sendRaw(gate.port, head.repeat(400), 1_000)
  assert.match(text, /^HTTP\/1\.1 429/m)
  const forwarded = origin.received.join('').split('OPTIONS ').length - 1
  assert.ok(forwarded >= 200 && forwarded < 400, `${forwarded}`)
  assert.equal((await ask('GET /', `Sallyport-Key: ${KEY}`)).status, 200)
})

test('a researcher’s request from such a page goes by the name that its application has, and the answer back', async (context) => {
  for (const preflights of ['answer', 'forward'] as const) {
    const { origin, ask } = await open(context, { preflights })
    const sent = [`Sallyport-Key: ${KEY}`, `Referer: ${PAGE}/cart`]
    const answer = await ask('PUT /api', `Origin: ${PAGE}`, 'Content-Length: 0', ...sent)
    assert.equal(corsOf(answer)[0], `Access-Control-Allow-Origin: ${PAGE}`)
    const foreign = await ask('PUT /api', `Origin: ${FOREIGN_PAGE}`, 'Content-Length: 0', ...sent)
    assert.equal(corsOf(foreign)[0], 'Access-Control-Allow-Origin: https://pages.example')
    const seen = origin.received.join('')
    assert.deepEqual(seen.match(/^(?:Origin|Referer): .*$/gm), [
      'Origin: https://pages.example',
      'Referer: https://pages.example/cart',
      `Origin: ${FOREIGN_PAGE}`,
      `Referer: ${PAGE}/cart`,
    ])
  }
  const { origin, ask } = await open(context, {})
  await ask('PUT /api', `Origin: ${PAGE}`, 'Content-Length: 0', `Sallyport-Key: ${KEY}`)
  assert.match(origin.received.join(''), new RegExp(`^Origin: ${PAGE}\r$`, 'm'))
})

test('preflights that one organization’s origin does not answer hold up none to another’s', async (context) => {
  const silent = await startRawOrigin(context, () => {})
  const limits = { ...DEFAULT_GATEWAY_LIMITS, streamsPerResearcherMax: 4 }
  const preflights = 'forward'
  const { gate, preflight } = await open(context, { preflights }, { limits })
  gate.snapshots.putSite(
    site(silent.port, { id: 'silent', orgId: 'org-2', gatedName: 'silent.gate.localhost', preflights }),
  )
  for (let count = 0; count < 8; count += 1) {
    const socket = connect(gate.port, '127.0.0.1')
    context.after(() => socket.destroy())
    socket.write(
      [
        'OPTIONS / HTTP/1.1',
        'Host: silent.gate.localhost',
        `Origin: ${FOREIGN_PAGE}`,
        'Access-Control-Request-Method: PUT',
        '',
        '',
      ].join('\r\n'),
    )
  }
  // Those beyond the bound are refused.
  await gate.recorder.waitFor(4)
  assert.equal((await preflight(PAGE)).status, 200)
})
