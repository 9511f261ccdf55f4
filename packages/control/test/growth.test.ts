/**
 * The cost of everything in the control plane that reads a caller's text grows with its length, and no faster: each
 * parser is given the texts that it might find hardest, and twice as much of them.
 *
 * Texts are longer here than any that the bounds let through: what is asked is how the cost grows, not how large it may get.
 */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, describe, test } from 'node:test'
import {
  BODY_BYTES_MAX,
  isValidRequest,
  OPERATIONS,
  readFilterValue,
  requestOfLine,
  writeFilterValue,
} from '@sallyport/contract'
import { networkOf } from '@sallyport/policy'
import pino from 'pino'
import { assertLinear, isLinear as isLinearOn, type Make, repeat } from '../../../test/support/growth.ts'
import { readLines } from '../src/collector/batch-reader/ndjson.ts'
import { readCursor } from '../src/features/analytics/cursor.ts'
import { filterConditions } from '../src/features/analytics/query/filter.ts'
import { normalizeBlockList } from '../src/features/sites/block-list.ts'
import { publishedDocument, rewriteServers } from '../src/features/sites/definition/gated-document.ts'
import { readOrigin } from '../src/features/sites/origin.ts'
import { createApp } from '../src/http/app.ts'
import { readDocument } from '../src/http/documents/read-document.ts'
import { methodsOf } from '../src/http/operations.ts'
import { addBodyParsers } from '../src/http/request/body.ts'
import { parseMoment } from '../src/http/request/date-math.ts'
import { negotiate } from '../src/http/request/media-types.ts'
import { containing } from '../src/http/request/paging.ts'
import { readIdempotencyKey, readIfMatch } from '../src/http/request/preconditions.ts'
import { validate } from '../src/http/request/validation.ts'
import { emailSpelling } from '../src/identity/email-spelling.ts'
import { createJwtVerifier } from '../src/identity/issuer/jwt.ts'
import { createDeviceCookies } from '../src/identity/provider/device-cookie.ts'
import { hostCookies } from '../src/identity/provider/host-cookies.ts'
import { passwordFault } from '../src/identity/sign-in/passwords.ts'

/** Pieces that differ, each with its number. */
const numbered =
  (piece: (index: number) => string, begin = '', end = ''): Make =>
  (chars) =>
    begin +
    Array.from({ length: Math.ceil(chars / piece(1_000).length) }, (_, at) => piece(at)).join('') +
    end

/** Texts that are hard for many a parser: one character, separators, almost matches, openings without an end. */
const HARD: Readonly<Record<string, Make>> = {
  letters: repeat('a'),
  spaces: repeat(' ', 'a', 'b'),
  'capital letters, every other one': repeat('aB'),
  commas: repeat(','),
  'one quotation mark, then commas': repeat(',', '"'),
  'quoted pairs': repeat('\\"', '"'),
  semicolons: repeat(';'),
  'semicolons and spaces': repeat('; '),
  'names and no value': repeat('; a'),
  'names with an empty value': repeat('; a='),
  'values that never end': repeat(';a="'),
  slashes: repeat('/'),
  dots: repeat('.'),
  hyphens: repeat('-', 'a', '!'),
  colons: repeat(':'),
  at: repeat('a@'),
  'labels and an end that is none': repeat('a.', '', '!'),
  addresses: repeat('192.0.2.1, '),
  backslashes: repeat('\\'),
  percent: repeat('%'),
  'percent, almost': repeat('%2'),
  ampersands: repeat('&'),
  'equal signs': repeat('='),
  'one name': repeat('&a=1'),
  names: numbered((index) => `&a${index}=1`),
  'names with brackets': repeat('&a[b][c]=1'),
  brackets: repeat('['),
  braces: repeat('{"a":'),
  'half a surrogate pair': repeat('\ud800'),
  'other letters': repeat('\u0130\u212a'),
}

const isLinear = (name: string, read: (text: string) => unknown, texts = HARD): void =>
  isLinearOn(name, read, texts)

const key = Buffer.alloc(32, 1)
const devices = createDeviceCookies(key, [], 'https://sallyport.example')

isLinear('the media types in Accept', (text) => negotiate(text))
isLinear('If-Match', readIfMatch)
isLinear('Idempotency-Key', (text) => readIdempotencyKey(text, []))
isLinear('the Cookie header', (text) => {
  hostCookies.received(text, '/identity/sign-in/x')
  devices.read(text, ['ada'])
})
isLinear(
  'the Cookie header of a browser with many sign-ins',
  (text) => hostCookies.sent(['sallyport_sign_in=x; path=/a/x'], '/a/x', text),
  {
    'sign-ins': numbered((index) => `__Host-sallyport_sign_in.${index}=1; `),
  },
)
isLinear('a path that nothing serves', (text) => methodsOf(`/api/Sites/${text}`))
isLinear('an e-mail address, as accounts are found', emailSpelling)
const verifyToken = createJwtVerifier({
  issuer: 'https://issuer.example',
  audience: 'sallyport',
  algorithms: ['ES256'],
  claims: { organization: 'org', email: 'email', emailVerified: 'email_verified', role: 'role' },
  getKey: async () => {
    throw new Error('there is no such key')
  },
})
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
isLinear('a token', verifyToken)
isLinear('the header of a token', (text) =>
  verifyToken(`${part({ alg: 'ES256', kid: text })}.${part({ sub: text })}.${part({})}`),
)
isLinear('the form of the sign-in page', (text) => Object.fromEntries(new URLSearchParams(text)))
isLinear('a password', (text) => passwordFault(text, text))
isLinear('a client address', networkOf)
isLinear('a search', containing)
isLinear('the cursor of the request log', readCursor)
isLinear('originName', readOrigin)
isLinear('a moment', (text) => parseMoment(text, 'start', { now: 0, timeZone: 'UTC' }), {
  ...HARD,
  steps: repeat('+1d', 'now'),
  roundings: repeat('/d', 'now'),
  bars: repeat('||', 'now'),
})
isLinear('a filter', (text) => {
  const values = text.split(',')
  for (const value of values) writeFilterValue(readFilterValue(value))
  filterConditions({ status: values, path: values, userAgent: values }, () => '?')
})
isLinear('a block list', normalizeBlockList, {
  ...HARD,
  rules: repeat('{"pathPrefix":"/a"},', '[', '{"pathPrefix":"/a"}]'),
  'rules with ids': numbered((index) => `{"pathPrefix":"/a","id":"${index}"},`, '[', '{"pathPrefix":"/a"}]'),
  'members that no rule has': numbered((index) => `"x${index}":1,`, '[{"pathPrefix":"/",', '"z":1}]'),
})
isLinear('what a published definition leaves out', (text) =>
  publishedDocument({ info: { description: text } }, 'https://a.example'),
)
isLinear('the servers of a definition', (text) =>
  rewriteServers({ servers: [{ url: text }] }, 'https://a.example'),
)

describe('requests', async () => {
  const app = createApp({
    logger: pino({ level: 'silent' }),
    readiness: async () => ({ database: true, trafficStore: true }),
    trustedProxies: ['192.0.2.0/24', '127.0.0.0/8'],
  })
  await app.register((scope, _options, done) => {
    addBodyParsers(scope)
    scope.route({
      method: ['GET', 'POST'],
      url: '/read/:id',
      handler: async (request) => ({ ip: request.ip, query: Object.keys(request.query ?? {}).length }),
    })
    done()
  })
  await app.ready()
  after(() => app.close())
  const inject = (headers: Record<string, string>, path = '/read/1', payload = '{}') =>
    app.inject({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/json', ...headers },
      payload,
    })

  assert.equal((await inject({})).statusCode, 200)
  isLinear('the query', (text) => inject({}, `/read/1?${encodeURI(text.toWellFormed()).replaceAll('#', '')}`))
  isLinear('the path', (text) => inject({}, `/read/${encodeURI(text.toWellFormed())}`))
  isLinear('Content-Type', (text) => inject({ 'content-type': `application/json;${text}` }))
  isLinear('another Content-Type', (text) => inject({ 'content-type': `${text}/json` }))
  isLinear('X-Forwarded-For', (text) => inject({ 'x-forwarded-for': text }))
  isLinear('a body', (text) => inject({}, '/read/1', text.slice(0, BODY_BYTES_MAX)), {
    ...HARD,
    numbers: repeat('1,', '[', '1]'),
    members: numbered((index) => `"a${index}":1,`, '{', '"z":1}'),
    'one member': repeat('"a":1,', '{', '"a":1}'),
    prototypes: repeat('{"__proto__":', '', '1'),
    'a long number': repeat('1'),
    exponents: repeat('1e9,', '[', '1]'),
    escapes: repeat('\\u0041', '"', '"'),
    'an open string': repeat('a', '"'),
  })
})

describe('what an operation takes', () => {
  for (const { id, body, query } of OPERATIONS) {
    const members = [...namesOf(body), ...namesOf(query)]
    if (members.length === 0) continue
    const schemas = { ...(body && { body }), ...(query && { query }) }
    const read = (text: string): unknown => {
      // Every member that the schemas know, with the same long text.
      const given = Object.fromEntries(members.map((name) => [name, text]))
      return validate(schemas, { params: {}, query: given, body: given })
    }
    test(id, async () => {
      for (const make of [repeat('a@'), repeat('a.', 'a@')]) await assertLinear({ make, read })
    })
  }

  test('members that it does not know, and items that are wrong', async () => {
    const { body } = OPERATIONS.find(({ id }) => id === 'projectsUpdateProjectItem') ?? {}
    assert.ok(body)
    const read = (text: string): unknown => {
      const items = text.split(',')
      const given = Object.fromEntries(items.map((name) => [name, 1]))
      return validate({ body, query: body }, { params: {}, query: { ids: items, name: items }, body: given })
    }
    await assertLinear({ make: numbered((index) => `a${index},`), read })
  })
})

/** Names of the members of an object's schema. */
function namesOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  if ('shape' in schema && typeof schema.shape === 'object') return Object.keys(schema.shape ?? {})
  if ('unwrap' in schema && typeof schema.unwrap === 'function') return namesOf(schema.unwrap())
  return []
}

describe('the batches of gateways', () => {
  isLinear('lines', (text) => readLines(Readable.from([Buffer.from(text)]), 1e9, () => undefined), {
    'empty lines': repeat('\n'),
    'short lines': repeat('a\n'),
    'no line': repeat('a'),
  })
  test('a line in many pieces', () =>
    assertLinear({
      make: repeat('a'),
      read: (text) => {
        const pieces = Array.from({ length: text.length / 16 }, (_, at) =>
          Buffer.from(text.slice(at * 16, at * 16 + 16)),
        )
        return readLines(Readable.from(pieces), 1e9, () => undefined)
      },
    }))
  isLinear('a request', (text) => {
    const list = text.split(',')
    for (const field of [text, list])
      isValidRequest(requestOfLine([0, ...Array.from({ length: 21 }, () => field)]))
  })
})

describe('documents', () => {
  const isLinearDocument = (
    name: string,
    format: 'json' | 'yaml',
    texts: Readonly<Record<string, Make>>,
  ): void => isLinear(name, (text) => readDocument(Buffer.from(text), format), texts)
  isLinearDocument('in JSON', 'json', {
    ...HARD,
    arrays: repeat('[]', '[', ']'),
    members: numbered((index) => `"a${index}":1,`, '{', '"z":1}'),
  })
  isLinearDocument('in YAML', 'yaml', {
    keys: numbered((index) => `k${index}: 1\n`),
    'keys in braces': numbered((index) => `k${index}: 1,`, '{', '}'),
    'one key': repeat('k: 1\n'),
    'an ordinary definition': numbered(
      (index) =>
        `  /path/${index}:\n    get:\n      responses:\n        '200':\n          description: all is well\n`,
      'openapi: 3.1.0\npaths:\n',
    ),
    words: repeat('word ', 'a: '),
    'words on lines': repeat('w\n ', 'a: '),
    'quoted lines': repeat('w\n ', 'a: "', '"'),
    'single quotes': repeat("''", "a: '", "'"),
    'a block': repeat('  w\n', 'a: |\n'),
    'a folded block': repeat('  w\n   w\n', 'a: >\n'),
    'empty lines': repeat('\n', 'a: |\n  x'),
    comments: repeat('# c\n', '', 'a: 1'),
    'comments in a flow': repeat('#c\n', '[', ']'),
    'an open flow': repeat('['),
    'closing braces': repeat('}'),
    commas: repeat(',', '[', ']'),
    'nested keys': repeat('? '),
    'nested sequences': repeat('- '),
    sequence: repeat('- a\n'),
    documents: repeat('---\n'),
    directives: repeat('%TAG ! !x\n', '', '---\na'),
    tags: repeat('- !x 1\n'),
    anchors: numbered((index) => `- &a${index} 1\n`),
    aliases: repeat('- *a\n', '- &a 1\n'),
    'anchors and their aliases': numbered((index) => `- &a${index} 1\n- *a${index}\n`),
    'merge keys': repeat('<<: *a\n', 'x: &a {b: 1}\n'),
    colons: repeat(': '),
    'long numbers': repeat('1', 'a: ', 'x'),
    quotes: repeat('"'),
    tabs: repeat('\t'),
  })
})
