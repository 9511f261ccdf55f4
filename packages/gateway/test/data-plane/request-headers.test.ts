/** The table of request headers through the data plane: each row does what it says, in every spelling, on every way in. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { SiteConfig } from '@sallyport/contract'
import { BlockMatcher } from '@sallyport/policy'
import fc from 'fast-check'
import { blockRule } from '../../../../test/support/block-rule.ts'
import { KNOWN_ORIGINS } from '../../../policy/test/paths/model-origins.ts'
import { randomOf, spellPath } from '../../../policy/test/paths/path-spellings.ts'
import type { ReceivedRequest } from '../../src/exchange/exchange.ts'
import { judgedRequest } from '../../src/exchange/judged-request.ts'
import { blockOf } from '../../src/headers/header-block.ts'
import { classOf } from '../../src/headers/header-names.ts'
import { HEADER_TABLE, type HeaderRow } from '../../src/headers/header-table.ts'
import { KNOWN_HEADERS } from '../../src/headers/known-headers.ts'
import { startHttp2DataPlane } from '../support/http2/http2-client.ts'
import { startRawOrigin } from '../support/raw-origin.ts'
import { HOST, KEY, request, sendRaw, startTestDataPlane } from '../support/test-data-plane.ts'

const BLOCKED: Partial<SiteConfig> = {
  blockRules: [blockRule('admin', '/admin'), blockRule('delete', '/', { methods: ['DELETE'] })],
}

/** A header of a row: a family's with something in the place of its star. */
const nameOf = ({ name }: HeaderRow): string => name.replace('*', name.startsWith('*') ? 'x-any-' : 'any')
const spellings = (name: string): string[] => [
  name,
  name.replaceAll('-', '_').toUpperCase(),
  name.replaceAll('-', '.'),
]
const rowsOf = (treatment: HeaderRow['treatment'], ...subjects: HeaderRow['says'][]): HeaderRow[] =>
  HEADER_TABLE.filter(
    (row) => row.treatment === treatment && (subjects.length === 0 || subjects.includes(row.says)),
  )

/** An origin that takes everything, behind a gate; `received` are the requests as they came, in lower case. */
async function openGate(context: TestContext, site: Partial<SiteConfig>) {
  const origin = await startRawOrigin(context, (socket) =>
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
  )
  const gate = await startTestDataPlane(context, origin.port, { site })
  return {
    ...gate,
    originPort: origin.port,
    received: () => origin.received.join('').toLowerCase(),
    send: (line: string, ...headers: string[]) =>
      sendRaw(gate.port, request(line, 'Connection: close', ...headers)),
  }
}

test('what is dropped does not go on, in any spelling', async (context) => {
  const gate = await openGate(context, BLOCKED)
  const rows = rowsOf('drop')
  assert.ok(rows.length > 20)
  for (const row of rows) {
    const headers = spellings(nameOf(row)).map((name) => `${name}: dropped`)
    assert.equal((await gate.send('GET /x', ...headers)).status, 200, row.name)
  }
  assert.doesNotMatch(gate.received(), /: dropped/)
})

test('a path that a header names is judged by the block rules, in any spelling of either', async (context) => {
  const gate = await openGate(context, { blockRules: [blockRule('admin', '/admin')] })
  const rows = rowsOf('judge', 'path', 'prefix', 'destination')
  assert.ok(rows.length > 30)
  const values = [
    '/admin/x',
    '/%61dmin',
    'https://gate.example/admin',
    '/public, /admin',
    'admin, /public',
    '/public?ids=1,2,3, %61dmin',
    '//h/admin',
    'http:/admin',
  ]
  for (const [index, row] of rows.entries()) {
    for (const name of spellings(nameOf(row)))
      assert.equal((await gate.send('GET /x', `${name}: /admin`)).status, 403, name)
    const value = values[index % values.length] ?? ''
    assert.equal(
      (await gate.send('GET /x', `${nameOf(row)}: /x`, `${nameOf(row)}: ${value}`)).status,
      403,
      value,
    )
  }
  assert.equal(gate.received(), '')
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual([event?.rule, event?.reading], ['admin', 'destination header, as sent'])
})

test('a prefix is judged by the path with it and without it', async (context) => {
  const gate = await openGate(context, { blockRules: [blockRule('users', '/admin/users')] })
  assert.equal((await gate.send('GET /x/admin/users', 'X-Any-Prefix: /x')).status, 403)
  assert.equal((await gate.send('GET /%78/admin/users', 'X-Any-Prefix: /x')).status, 403)
  assert.equal((await gate.send('GET /users', 'X-Any-Prefix: /admin')).status, 403)
  assert.equal((await gate.send('GET /x', 'X-Any-Prefix: /admin/users')).status, 403)
  assert.equal((await gate.send('GET /x/other', 'X-Any-Prefix: /x')).status, 200)
  // Of a list, by each end of it, and of a target that is a URL, by its path.
  for (const list of ['/admin, /x', '/x,/admin'])
    assert.equal((await gate.send('GET /users', `X-Any-Prefix: ${list}`)).status, 403, list)
  assert.equal((await gate.send('GET /y/admin/users', 'X-Any-Prefix: /y, /x')).status, 403)
  assert.equal((await gate.send(`GET http://${HOST}/users`, 'X-Any-Prefix: /admin')).status, 403)
})

test('a method that a header names is judged by the block rules, in any spelling', async (context) => {
  const gate = await openGate(context, BLOCKED)
  for (const row of rowsOf('judge', 'method')) {
    for (const name of spellings(nameOf(row)))
      assert.equal((await gate.send('GET /x', `${name}: delete`)).status, 403, name)
    assert.equal((await gate.send('GET /x', `${nameOf(row)}: PUT, DELETE`)).status, 403, row.name)
  }
  assert.equal(gate.received(), '')
})

test('what is judged and under no rule goes on as it was sent, and so does what is not judged', async (context) => {
  const gate = await openGate(context, BLOCKED)
  for (const row of rowsOf('judge', 'path', 'prefix', 'method'))
    assert.equal((await gate.send('GET /x', `${nameOf(row)}: /public/${row.name}`)).status, 200, row.name)
  for (const row of rowsOf('pass'))
    assert.equal((await gate.send('GET /x', `${nameOf(row)}: /admin/${row.name}`)).status, 200, row.name)
  const received = gate.received()
  for (const row of [...rowsOf('judge', 'path', 'prefix', 'method'), ...rowsOf('pass')])
    assert.match(
      received,
      new RegExp(`\r\n${nameOf(row)}: /\\w+/${row.name.replace('*', '\\*')}\r\n`),
      row.name,
    )
})

test('what is dropped or judged does not go on as a trailer', async (context) => {
  const gate = await openGate(context, BLOCKED)
  const trailers = [...rowsOf('drop'), ...rowsOf('judge')].flatMap((row) =>
    spellings(nameOf(row)).map((name) => `${name}: dropped\r\n`),
  )
  // A block of trailers has a bound of its own.
  for (let from = 0; from < trailers.length; from += 50) {
    const block = trailers.slice(from, from + 50).join('')
    await sendRaw(
      gate.port,
      `${request('POST /x', 'Transfer-Encoding: chunked')}0\r\n${block}X-End: 1\r\n\r\n`,
    )
  }
  assert.doesNotMatch(gate.received(), /: dropped/)
  assert.equal(gate.received().match(/x-end: 1/g)?.length, Math.ceil(trailers.length / 50))
})

test('the same over HTTP/2', async (context) => {
  const origin = await startRawOrigin(context, (socket) =>
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
  )
  const { send } = await startHttp2DataPlane(context, origin.port, { site: BLOCKED })
  const get = (headers: Record<string, string>) => send({ ':path': '/x', 'sallyport-key': KEY, ...headers })
  assert.equal((await get({ x_original_uri: '/admin' })).status, 403)
  assert.equal((await get({ destination: 'https://h/admin' })).status, 403)
  assert.equal((await get({ 'x-method-override': 'DELETE' })).status, 403)
  assert.equal((await get({ script_name: '/x' })).status, 200)
  assert.doesNotMatch(origin.received.join(''), /script_name/i)
})

test('a request that names many targets falls under every rule where they are odd, or very many', async (context) => {
  const gate = await openGate(context, { blockRules: [blockRule('admin', '/admin')] })
  const many = (count: number, path: string) =>
    Array.from({ length: count }, (_, at) => `X-Any-Url: ${path}${at}`)
  assert.equal((await gate.send('GET /x', ...many(10, '/plain'))).status, 200)
  assert.equal((await gate.send('GET /x', `X-Any-Url: /list?ids=${'1,'.repeat(150)}2`)).status, 200)
  assert.equal((await gate.send('GET /x', ...many(150, '/plain'))).status, 403)
  assert.equal((await gate.send('GET /x', ...many(5, '/odd;'))).status, 403)
  assert.equal((await gate.send('GET /x', ...Array<string>(150).fill('X-Any-Url: /odd;'))).status, 200)
})

test('a site may take known headers only', async (context) => {
  const gate = await openGate(context, { passesKnownHeadersOnly: true })
  const known = KNOWN_HEADERS.map((name) => name.replace('*', 'any'))
  const unknown = ['X-Unknown', 'X-Real-IP', 'Content_Type', 'X-Original-URL', 'Base-Url', 'X-Any-Method']
  await gate.send(
    'GET /x',
    ...known.map((name) => `${name}: known`),
    ...unknown.map((name) => `${name}: unknown`),
  )
  await sendRaw(
    gate.port,
    `${request('POST /x', 'Transfer-Encoding: chunked')}0\r\nX-End: unknown\r\nContent-Digest: trailing\r\n\r\n`,
  )
  const received = gate.received()
  for (const name of known) assert.match(received, new RegExp(`\r\n${name}: known\r\n`), name)
  assert.doesNotMatch(received, /unknown/)
  assert.match(received, /\r\ncontent-digest: trailing\r\n/)
})

const anyRow = fc.constantFrom(...HEADER_TABLE)
const sign = fc.constantFrom('-', '_', '.', '!', '~', '*', "'", '+', '|')

test('no spelling of a name changes what becomes of it', () => {
  fc.assert(
    fc.property(anyRow, fc.infiniteStream(sign), fc.infiniteStream(fc.boolean()), (row, signs, cases) => {
      const plain = nameOf(row)
      const spelled = plain.replace(/./g, (character) => {
        const { value = '-' } = character === '-' ? signs.next() : { value: character }
        return cases.next().value ? String(value).toUpperCase() : String(value)
      })
      assert.equal(classOf(spelled), classOf(plain), spelled)
    }),
    { numRuns: 2_000 },
  )
})

/** A request with one header, as a listener would have read it. */
const withHeader = (name: string, value: string): ReceivedRequest => {
  const rawHeaders = [name, value]
  return {
    method: 'GET',
    target: '/public',
    headers: blockOf(rawHeaders),
    rawHeaders,
    httpVersion: '1.1',
    host: HOST,
    hostPort: '',
    secure: false,
    clientAddress: '127.0.0.1',
    bodyBytes: 0,
    websocket: false,
    key: KEY,
    cookies: [],
    accept: '',
  }
}

test('no spelling of a path in a header takes a model origin to a path under a block rule', (context) => {
  const seed = Number(process.env.SALLYPORT_TEST_SEED ?? Date.now() % 2 ** 31)
  context.diagnostic(`SALLYPORT_TEST_SEED=${seed} repeats this run`)
  const random = randomOf(seed)
  const matcher = new BlockMatcher([blockRule('secret', '/admin/secret')])
  let dangerous = 0
  for (let index = 0; index < 10_000; index += 1) {
    const value = spellPath(['admin', 'secret'], random)
    const isFooled = KNOWN_ORIGINS.some((origin) => {
      const [first, second] = origin.resolve(value)
      return first === 'admin' && second === 'secret'
    })
    if (!isFooled) continue
    dangerous += 1
    const { methods, targets } = judgedRequest(withHeader('X-Original-URL', value))
    assert.ok(
      targets.some((target) => matcher.match(methods, target, 0)),
      value,
    )
  }
  assert.ok(dangerous > 1_000)
})

const page = readFileSync(resolve(import.meta.dirname, '../../../../docs/request-headers.md'), 'utf8')

test('the documentation has the table, and the known headers', () => {
  const rows = HEADER_TABLE.map(
    ({ name, says, treatment, by }) => `| \`${name}\` | ${says} | ${treatment} | ${by} |`,
  )
  assert.deepEqual(
    page.split('\n').filter((line) => / \| (?:drop|judge|pass) \| /.test(line)),
    rows,
  )
  const known = page.split('## Known headers only')[1] ?? ''
  assert.deepEqual(
    [...known.matchAll(/^- `([a-z0-9*-]+)`$/gm)].map((match) => match[1]),
    KNOWN_HEADERS,
  )
})
