/** The definition as a rule, through the data plane, on real sockets. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { compileDefinition } from '@sallyport/api-definition'
import type { FirewallSettings } from '@sallyport/contract'
import { HOST, request, sendRaw } from '../../support/test-data-plane.ts'
import { CLOSED_MS, openFirewallGate } from '../firewall/firewall-gate.ts'

const schema = { type: 'object', required: ['name'], properties: { name: { type: 'string', maxLength: 8 } } }
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Items', version: '1' },
  paths: {
    '/items': {
      get: { parameters: [{ name: 'id', in: 'query', schema: { type: 'integer' } }], responses: {} },
      post: { requestBody: { required: true, content: { 'application/json': { schema } } }, responses: {} },
    },
    '/items/{id}': {
      get: {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: {},
      },
    },
  },
}
const { table } = compileDefinition(DOCUMENT)

const openGate = (context: TestContext, firewall: Partial<FirewallSettings>) =>
  openFirewallGate(
    context,
    { mode: 'off', ...firewall },
    { definition: { id: `items ${table.length}`, table } },
  )
const ENFORCE = { definition: { mode: 'enforce', undeclaredParameters: false } } as const
const OBSERVE = { definition: { mode: 'observe', undeclaredParameters: false } } as const
const BROKEN = JSON.stringify({ name: 'much too long' })

test('observe: what is violated is in the record, and is forwarded', async (context) => {
  const gate = await openGate(context, OBSERVE)
  assert.equal((await gate.get('/items?id=7')).status, 200)
  assert.equal((await gate.get('/items?id=x')).status, 200)
  assert.equal((await gate.get('/hidden')).status, 200)
  assert.equal((await gate.post('/items', 'application/json', BROKEN)).status, 200)
  assert.equal(gate.seen.length, 4)
  const [fine, type, unlisted, body] = await gate.recorder.waitFor(4)
  assert.deepEqual(fine?.hits, [])
  const hit = type?.hits[0]
  assert.equal(hit?.rule, 'definition-parameter-type')
  assert.deepEqual([hit?.class, hit?.part, hit?.parameter, hit?.excerpt], ['definition', 'query', 'id', 'x'])
  assert.equal(hit?.reason, 'is not of type integer')
  assert.deepEqual(
    unlisted?.hits.map(({ rule, part }) => `${rule} ${part}`),
    ['definition-unlisted-operation path'],
  )
  assert.deepEqual(
    body?.hits.map(({ rule, parameter }) => `${rule} ${parameter}`),
    ['definition-body-schema name'],
  )
})

test('enforce: what is violated never reaches the origin, and the answer says what', async (context) => {
  const gate = await openGate(context, ENFORCE)
  const refused = await gate.get('/items?id=x')
  assert.equal(refused.status, 403)
  const problem = JSON.parse(refused.text.slice(refused.text.indexOf('\r\n\r\n') + 4))
  assert.equal(problem.reason, 'definition')
  assert.equal(problem.rule, 'definition-parameter-type')
  assert.deepEqual(problem.violation, {
    name: 'parameter_type',
    part: 'query',
    parameter: 'id',
    message: 'is not of type integer',
  })
  assert.match(problem.requestId, /./)
  for (const target of [
    '/hidden',
    '/items/7/',
    '/items/%2e%2e/hidden',
    '/items/7;x',
    '/items%2f7',
    '/items/7%2f..%2fx',
    '//items',
  ])
    assert.equal((await gate.get(target)).status, target === '/items/7/' ? 200 : 403, target)
  assert.equal((await gate.post('/items', 'application/json', BROKEN)).status, 403)
  assert.equal((await gate.post('/items', 'text/plain', 'x')).status, 403)
  assert.equal((await gate.post('/items', 'application/json', '')).status, 403)
  assert.equal((await gate.post('/items', 'application/json', '{"name":"rex"}')).status, 200)
  assert.deepEqual(
    gate.seen.map(({ target }) => target),
    ['/items/7/', '/items'],
  )
  const events = await gate.recorder.waitFor(12)
  assert.equal(events[0]?.outcome, 'firewall')
  assert.equal(events[0]?.reason, 'definition')
})

test('a method or a path that a header asks for instead must be listed, too', async (context) => {
  const gate = await openGate(context, ENFORCE)
  assert.equal((await gate.get('/items', 'X-HTTP-Method-Override: DELETE')).status, 403)
  assert.equal((await gate.get('/items', 'X-Original-URL: /hidden')).status, 403)
  assert.equal((await gate.get('/items', 'X-Original-URL: /items/7')).status, 200)
  assert.equal((await gate.get('/items/7', 'X-Original-URL: /items/x')).status, 403)
})

test('what is sent as to a proxy is judged by its path, and a question about the server is none of an operation', async (context) => {
  const gate = await openGate(context, ENFORCE)
  const ask = async (line: string, ...headers: string[]): Promise<number> =>
    (await sendRaw(gate.port, request(line, 'Connection: close', ...headers), CLOSED_MS)).status
  assert.equal(await ask(`GET http://${HOST}/items?id=7`), 200)
  assert.equal(await ask(`GET http://${HOST}/items?id=x`), 403)
  assert.equal(await ask(`GET http://${HOST}/hidden`), 403)
  assert.equal(await ask(`GET http://${HOST}/items/../hidden`), 403)
  assert.equal(await ask('OPTIONS *'), 200)
  assert.equal(await ask('OPTIONS *', 'X-HTTP-Method-Override: DELETE'), 403)
})

test('a rule that is on without its table judges nothing, and the record says so', async (context) => {
  const gate = await openFirewallGate(context, { mode: 'observe', ...ENFORCE }, {})
  assert.equal((await gate.get('/items')).status, 200)
  const [event] = await gate.recorder.waitFor(1)
  assert.equal(event?.inspection, 'partial')
  const strict = await openFirewallGate(context, { mode: 'observe', ...ENFORCE, uninspected: 'refuse' }, {})
  assert.equal((await strict.get('/items')).status, 403)
})

test('an exclusion lets pass and is recorded; an override by rule changes one of them', async (context) => {
  const exclusions = [
    { id: 'e', rule: 'definition-parameter-type', pathPrefix: '/items', parameter: 'id', note: '' },
  ]
  const overrides = [
    { id: 'o', rule: 'definition-unlisted-operation', mode: 'observe', note: '' },
    { id: 'p', pathPrefix: '/items', mode: 'off', note: '' },
  ] as const
  const gate = await openGate(context, { ...ENFORCE, exclusions, overrides: [...overrides] })
  assert.equal((await gate.get('/items?id=x')).status, 200)
  assert.equal((await gate.get('/hidden')).status, 200)
  assert.equal((await gate.post('/items', 'application/json', BROKEN)).status, 403)
  const [excluded, observed] = await gate.recorder.waitFor(3)
  assert.deepEqual(
    excluded?.hits.map((hit) => hit.excluded),
    [true],
  )
  assert.deepEqual(
    observed?.hits.map((hit) => hit.excluded),
    [false],
  )
})

test('beside the firewall, both write what they find, and what is refused by either is', async (context) => {
  const gate = await openGate(context, { ...OBSERVE, mode: 'observe' })
  const attack = JSON.stringify({ name: "x' or '1'='1' union select 1" })
  assert.equal((await gate.post('/items', 'application/json', attack)).status, 200)
  const [event] = await gate.recorder.waitFor(1)
  const classes = new Set(event?.hits.map((hit) => hit.class))
  assert.ok(classes.has('sql_injection') && classes.has('definition'), [...classes].join())
  assert.equal(event?.inspection, 'full')
})

test('a compressed body is judged, and one that cannot be read is forwarded or refused as the site wants', async (context) => {
  const gate = await openGate(context, ENFORCE)
  const send = (body: string) => gate.post('/items', 'application/json', body)
  const sendGzipped = async (body: string): Promise<number> => {
    const bytes = gzipSync(body)
    const head = request(
      'POST /items',
      'Connection: close',
      'Content-Type: application/json',
      'Content-Encoding: gzip',
      `Content-Length: ${bytes.length}`,
    )
    return (await sendRaw(gate.port, Buffer.concat([Buffer.from(head), bytes]), CLOSED_MS)).status
  }
  assert.equal(await sendGzipped(BROKEN), 403)
  assert.equal(await sendGzipped('{"name":"rex"}'), 200)
  const long = JSON.stringify({ name: 'rex', filler: 'x'.repeat(300_000) })
  assert.equal((await send(long)).status, 200)
  const strict = await openGate(context, { ...ENFORCE, uninspected: 'refuse' })
  assert.equal((await strict.post('/items', 'application/json', long)).status, 403)
})

test('without the rule nothing is judged, whatever the definition says', async (context) => {
  const gate = await openGate(context, {})
  assert.equal((await gate.get('/hidden')).status, 200)
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual(event?.hits, [])
})

test('a quote where an integer is declared is evidence for the firewall, and only there', async (context) => {
  const target = '/items?id=1%27'
  const defined = await openGate(context, { ...OBSERVE, mode: 'enforce' })
  const refused = await defined.get(target)
  assert.equal(refused.status, 403)
  assert.match(refused.text, /"reason":"firewall","rule":"sp-type-sql"/)
  const plain = await openGate(context, { mode: 'enforce' })
  assert.equal((await plain.get(target)).status, 200)
  const [event] = await plain.recorder.waitFor(1)
  assert.deepEqual(event?.hits, [])
})

test('letters of other scripts in a query are no other path, and dots that climb out of it are', async (context) => {
  const gate = await openGate(context, ENFORCE)
  for (const query of ['q=caf%C3%A9', 'q=100%25', `q=${'%D0%BF'.repeat(400)}`])
    assert.equal((await gate.get(`/items?id=7&${query}`)).status, 200, query)
  for (const query of ['/../../hidden', '/%2e%2e/%2e%2e/hidden'])
    assert.equal((await gate.get(`/items?${query}`)).status, 403, query)
})
