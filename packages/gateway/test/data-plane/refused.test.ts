/** Refusals reach whoever is refused, also in the middle of an upload, and a fault of the gate is one of them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { RateLimitPolicy } from '@sallyport/contract'
import type { Counters } from '../../src/stages/limit/counters.ts'
import { GATE_HOST, HOST, KEY, sendRaw, site, startTestDataPlane } from '../support/test-data-plane.ts'

const NOBODY = 9 // the discard port: no origin is reached by what is refused

test('who is refused while still sending a large body reads why, and not that the connection was reset', async (context) => {
  const { port, recorder } = await startTestDataPlane(context, NOBODY)
  const body = Buffer.alloc(8 * 1024 * 1024)
  const UPLOADS = 10
  for (let upload = 0; upload < UPLOADS; upload++) {
    const headers = { host: HOST, 'content-length': body.length }
    const sent = httpRequest({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/upload',
      headers,
      agent: false,
    })
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    assert.equal(answer.statusCode, 401)
    assert.equal(answer.headers.connection, 'close')
    answer.resume()
    await once(sent, 'close')
  }
  assert.equal((await recorder.waitFor(UPLOADS)).length, UPLOADS)
})

test('nothing that follows on a refused connection is taken for a request', async (context) => {
  const { port, recorder } = await startTestDataPlane(context, NOBODY)
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  context.after(() => socket.destroy())
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.write(`POST /first HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 100\r\n\r\nbegun`)
  await once(socket, 'end')
  socket.end(`GET /second HTTP/1.1\r\nHost: ${HOST}\r\nSallyport-Key: ${KEY}\r\n\r\n`)
  await once(socket, 'close')
  assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1)
  assert.deepEqual(
    recorder.events.map(({ target, status }) => [target, status]),
    [['/first', 401]],
  )
})

const POLICY: RateLimitPolicy = {
  name: 'p',
  site: { kind: 'fixed', limit: 10, windowMs: 1_000 },
  perResearcher: null,
}

for (const [how, fail] of [
  ['at once', () => fault()],
  ['later', async () => fault()],
] as const)
  test(`a stage that fails ${how} refuses its request, which is recorded, and no other`, async (context) => {
    const faults: unknown[] = []
    let failing = true
    const counters: Counters = {
      acquire: () =>
        failing ? fail() : { refusedBy: null, site: BUDGET, researcher: undefined, release: null },
      peek: () => ({ site: BUDGET, researcher: undefined }),
      close: async () => {},
    }
    const onUnexpected = (error: unknown): void => void faults.push(error)
    const { recorder, snapshots, send } = await startTestDataPlane(context, NOBODY, {
      site: { rateLimit: 'p' },
      counters,
      onUnexpected,
    })
    snapshots.apply({ type: 'put', kind: 'policy', id: 'p', value: POLICY })
    const refused = await send('GET /')
    assert.equal(refused.status, 500)
    assert.match(refused.text, /gate_error/)
    failing = false
    assert.equal((await send('GET /')).status, 502)
    assert.equal(faults.length, 1)
    const [first] = await recorder.waitFor(2)
    assert.deepEqual([first?.status, first?.outcome, first?.reason], [500, 'gate', 'gate_error'])
  })

const PAGE = 'Accept: text/html'
const linksOf = (html: string): string[] =>
  [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => href ?? '')

test('a refusal page leads a researcher to the gate, where the request is told of, and says its id', async (context) => {
  const rules = [
    { id: 'r', pathPrefix: '/admin', methods: [], status: 403, enabled: true, note: 'secret note' },
  ]
  const { send, port, recorder } = await startTestDataPlane(context, NOBODY, { site: { blockRules: rules } })
  const refused = await send('GET /admin', PAGE)
  const [event] = await recorder.waitFor(1)
  assert.equal(refused.status, 403)
  assert.deepEqual(linksOf(refused.text), [`http://${GATE_HOST}:${port}/sites/site-1#request-${event?.id}`])
  assert.match(refused.text, new RegExp(`<dt>Request</dt><dd>${event?.id}</dd>`))
  assert.doesNotMatch(refused.text, /secret note|Org/, 'the rest stands at the gate')
  const tool = await send('GET /admin', 'Accept: application/json')
  assert.equal(tool.text.includes(GATE_HOST), false)
})

test('a refusal page of a stranger leads to the front page of the gate, under every name', async (context) => {
  const { port, snapshots } = await startTestDataPlane(context, NOBODY)
  const ask = async (host: string, ...lines: string[]) =>
    (await sendRaw(port, ['GET / HTTP/1.1', `Host: ${host}`, PAGE, ...lines, '', ''].join('\r\n'))).text
  const front = `http://${GATE_HOST}:${port}/`
  const stranger = ['/.sallyport/sign-in?to=%2F', front]
  assert.deepEqual(linksOf(await ask(HOST)), stranger)
  snapshots.putSite(site(NOBODY, { enabled: false }))
  for (const host of [HOST, 'nobodys.gate.localhost'])
    assert.deepEqual(linksOf(await ask(host)), stranger, host)
  assert.deepEqual(linksOf(await ask('nobodys.gate.localhost', `Sallyport-Key: ${KEY}`)), stranger)
  assert.deepEqual(linksOf(await ask(HOST, `Sallyport-Key: ${KEY}`)), [front])
})

test('without a host of the gate, a refusal page leads nowhere', async (context) => {
  const { send } = await startTestDataPlane(context, NOBODY, { gateUrl: null, site: { enabled: false } })
  assert.deepEqual(linksOf((await send('GET /', PAGE)).text), [])
})

/** What is accepted, and whether a page is what is liked best of it (RFC 9110, section 12.5.1). */
const ACCEPTED: readonly (readonly [isPage: boolean, ...accepted: string[]])[] = [
  [true, 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
  [true, 'TEXT/HTML'],
  [true, 'application/json, text/html'],
  [true, 'application/json;q=0.8, text/html;charset=utf-8; Q=0.9'],
  [true, 'application/json;q=0.1', 'text/html'],
  [true, 'text/html', 'application/json;q=0.1'],
  [false, 'text/html;q=0, application/json'],
  [false, 'text/html; q=0.000'],
  [false, 'application/json, text/html;q=0.5'],
  [false, 'text/html;q=0.5, application/problem+json;q=0.6, application/json;q=0.1'],
  [false, 'application/x;of="text/html"'],
  [false, 'text/htmlx'],
  [false, '*/*'],
]

test('a refusal is a page for who likes one best, and a document for who does not', async (context) => {
  const { send } = await startTestDataPlane(context, NOBODY, { site: { enabled: false } })
  for (const [isPage, ...accepted] of ACCEPTED) {
    const { text } = await send('GET /', ...accepted.map((value) => `Accept: ${value}`))
    assert.equal(/^content-type: text\/html/im.test(text), isPage, accepted.join(' + '))
  }
})

const BUDGET = { allowed: true, remaining: 5, resetMs: 1_000 }

function fault(): never {
  throw new Error('a fault of the gate')
}
