/** Block rules and rate limits through the data plane, on real sockets. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type TestContext, test } from 'node:test'
import type { BlockRule, RateLimitPolicy, SiteConfig } from '@sallyport/contract'
import {
  gateRequest,
  KEY,
  type RawAnswer,
  request,
  researcher,
  sendRaw,
  startTestDataPlane,
  type TestDataPlane,
} from '../support/test-data-plane.ts'
import { ASKED, SWITCHED } from '../support/websocket.ts'

interface Gate extends TestDataPlane {
  /** Targets that the origin saw. */
  readonly seen: string[]
  send(line: string, ...headers: string[]): Promise<RawAnswer>
}

async function openGate(
  context: TestContext,
  site: Partial<SiteConfig>,
  policy?: RateLimitPolicy,
  onUpgrade?: (socket: Duplex) => void,
): Promise<Gate> {
  const seen: string[] = []
  const origin = createServer((incoming, response) => {
    seen.push(`${incoming.method} ${incoming.url}`)
    setTimeout(() => response.end('hello'), incoming.url === '/slow' ? 200 : 0)
  })
  if (onUpgrade) origin.on('upgrade', (_incoming, socket) => onUpgrade(socket))
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve))
  context.after(() => origin.close())
  context.after(() => origin.closeAllConnections())
  const gate = await startTestDataPlane(context, (origin.address() as AddressInfo).port, { site })
  if (policy) gate.snapshots.apply({ type: 'put', kind: 'policy', id: policy.name, value: policy })
  const send = (line: string, ...headers: string[]) =>
    sendRaw(gate.port, request(line, 'Connection: close', ...headers))
  return { ...gate, seen, send }
}

const rule = (changes: Partial<BlockRule>): BlockRule => ({
  id: 'rule-1',
  pathPrefix: '/admin',
  methods: [],
  status: 403,
  enabled: true,
  ...changes,
})

test('a blocked path never reaches the origin, and the record names rule and reading', async (context) => {
  const gate = await openGate(context, { blockRules: [rule({ status: 451 })] })
  assert.equal((await gate.send('GET /shop')).status, 200)
  assert.equal((await gate.send('GET /admin/x')).status, 451)
  assert.equal((await gate.send('GET /x/..%2fadmin')).status, 451)
  assert.deepEqual(gate.seen, ['GET /shop'])
  const [, plain, odd] = await gate.recorder.waitFor(3)
  assert.deepEqual(
    [plain?.outcome, plain?.reason, plain?.rule, plain?.reading],
    ['block', 'block_rule', 'rule-1', 'as sent'],
  )
  assert.equal(odd?.reading, 'decoded, dot segments resolved')
})

test('a request that asks to be taken for another method or path is judged by that, too', async (context) => {
  const gate = await openGate(context, {
    blockRules: [rule({ methods: ['DELETE'], pathPrefix: '/' }), rule({ id: 'rule-2' })],
  })
  assert.equal((await gate.send('DELETE /x')).status, 403)
  assert.equal(
    (await gate.send('POST /x', 'Content-Length: 0', 'x-http-Method-override: delete')).status,
    403,
  )
  assert.equal((await gate.send('POST /x?_method=delete', 'Content-Length: 0')).status, 403)
  assert.equal((await gate.send('GET /x', 'X-Original-URL: /%61dmin')).status, 403)
  assert.equal((await gate.send('GET /x', 'X-Rewrite-Url: /admin')).status, 403)
  assert.equal((await gate.send('GET /x', 'X-Rewrite-Url: /other')).status, 200)
  assert.deepEqual(gate.seen, ['GET /x'])
})

test('in whatever spelling some origin understands', async (context) => {
  const gate = await openGate(context, {
    blockRules: [rule({ methods: ['DELETE'], pathPrefix: '/' }), rule({ id: 'rule-2' })],
  })
  for (const header of [
    'X_HTTP_Method_Override: DELETE',
    'X.Http.Method: DELETE',
    'X-HTTP-Method-Override: DELETE, x',
    'x_original_url: /admin',
    'X-Rewrite_URL: /x?%5Fmethod=DELETE',
  ])
    assert.equal((await gate.send('GET /x', header)).status, 403, header)
  for (const query of [
    '%5Fmethod=DELETE',
    '_method=%44ELETE',
    'a=1&_method=+delete',
    'a=1;_method=DELETE',
    '.method=DELETE',
    '_method%00=DELETE',
    '_method=GET&_method=DELETE',
  ])
    assert.equal((await gate.send(`GET /x?${query}`)).status, 403, query)
  const many = Array.from({ length: 150 }, (_, index) => `X-Original-URL: /other/${index}`)
  assert.equal((await gate.send('GET /x', ...many)).status, 403)
  assert.equal((await gate.send('GET /x?_method=PUT&method=DELETE&&a_method=DELETE')).status, 200)
  assert.equal(gate.seen.length, 1)
})

test('a site may refuse every ambiguous target', async (context) => {
  const gate = await openGate(context, { refuseAmbiguousTargets: true })
  assert.equal((await gate.send('GET /a%20b')).status, 200)
  const refused = await gate.send('GET /a/../b')
  assert.equal(refused.status, 400)
  const [, event] = await gate.recorder.waitFor(2)
  assert.deepEqual([event?.outcome, event?.reason], ['block', 'ambiguous_target'])
})

const HOUR = 3_600_000

test('the limit bites at exactly its number, and says what is left', async (context) => {
  const policy: RateLimitPolicy = {
    name: 'small',
    site: { kind: 'fixed', limit: 3, windowMs: HOUR },
    perResearcher: { kind: 'bucket', limit: 10, refill: 1, windowMs: HOUR },
  }
  const gate = await openGate(context, { rateLimit: 'small' }, policy)
  const answers: RawAnswer[] = []
  for (let index = 0; index < 5; index += 1) answers.push(await gate.send('GET /'))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 429, 429],
  )
  assert.equal(gate.seen.length, 3)
  const first = answers[0]?.text ?? ''
  assert.match(first, /\r\nRateLimit-Policy: "small";q=3;w=3600, "small-researcher";q=10;w=36000\r\n/i)
  assert.match(first, /\r\nRateLimit: "small";r=2;t=\d+, "small-researcher";r=9;t=\d+\r\n/i)
  const last = answers[4]?.text ?? ''
  assert.match(last, /\r\nRetry-After: \d+\r\n/i)
  assert.match(last, /\r\nRateLimit: "small";r=0;t=\d+/i)
  const event = (await gate.recorder.waitFor(5))[4]
  assert.deepEqual([event?.outcome, event?.reason, event?.rule], ['limit', 'rate_limit', 'small'])
})

test('the researcher is told what is left, and asking for it uses nothing up', async (context) => {
  const policy: RateLimitPolicy = {
    name: 'small',
    site: { kind: 'fixed', limit: 30, windowMs: HOUR },
    perResearcher: { kind: 'sliding', limit: 5, windowMs: HOUR, segments: 4 },
  }
  const gate = await openGate(context, { rateLimit: 'small' }, policy)
  const left = async () => {
    const { text } = await sendRaw(
      gate.port,
      gateRequest('GET /api/sites/site-1/budget', `Sallyport-Key: ${KEY}`),
    )
    const { limits } = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))
    return limits.map((limit: { applies: string; remaining: number; resetMs: number }) => [
      limit.applies,
      limit.remaining,
      limit.resetMs > 0 && limit.resetMs <= 1.25 * HOUR,
    ])
  }
  const untouched = [
    ['researcher', 5, false],
    ['site', 30, false],
  ]
  assert.deepEqual(await left(), untouched)
  assert.deepEqual(await left(), untouched)
  await gate.send('GET /')
  await gate.send('GET /')
  assert.deepEqual(await left(), [
    ['researcher', 3, true],
    ['site', 28, true],
  ])
})

test("a researcher's share is used up without the others'", async (context) => {
  const share = { kind: 'sliding', limit: 1, windowMs: HOUR, segments: 4 } as const
  const gate = await openGate(
    context,
    { rateLimit: 'p' },
    { name: 'p', site: { ...share, limit: 100 }, perResearcher: share },
  )
  gate.snapshots.putResearcher(researcher({ id: 'researcher-2', keyHashes: ['0'.repeat(64)] }))
  assert.equal((await gate.send('GET /')).status, 200)
  assert.equal((await gate.send('GET /')).status, 429)
  const event = (await gate.recorder.waitFor(2))[1]
  assert.equal(event?.reason, 'researcher_share')
})

test('a place of a concurrency limit is given back when its request is over', async (context) => {
  const gate = await openGate(
    context,
    { rateLimit: 'p' },
    { name: 'p', site: { kind: 'concurrency', limit: 2 }, perResearcher: null },
  )
  const slow = [gate.send('GET /slow'), gate.send('GET /slow')]
  while (gate.seen.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal((await gate.send('GET /')).status, 429)
  await Promise.all(slow)
  const after = await gate.send('GET /')
  assert.equal(after.status, 200)
  assert.match(after.text, /RateLimit-Policy: "p";q=2;qu="concurrent-requests"\r\n/i)
})

test('the answer that opens a WebSocket says what is left of the limit', async (context) => {
  const gate = await openGate(
    context,
    { rateLimit: 'p' },
    { name: 'p', site: { kind: 'concurrency', limit: 2 }, perResearcher: null },
    (socket) => socket.end(SWITCHED),
  )
  const { text } = await sendRaw(gate.port, request('GET /socket', ...ASKED))
  assert.match(text, /^HTTP\/1\.1 101 [\s\S]*\r\nRateLimit: "p";r=1;t=\d+\r\n/)
})
