/** Requests that were made to pass where they should not, and odd ones of honest clients, which should. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiDefinition, compileDefinition, readTable } from '../src/index.ts'
import { definitionOf, judged } from './support.ts'

const responses = { 200: { description: '' } }
const document = (paths: unknown) => ({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths })

const NAMED = definitionOf(
  document({
    '/files/{name}': {
      get: {
        parameters: [
          { name: 'name', in: 'path', required: true, schema: { type: 'string', pattern: "^[^']*$" } },
        ],
        responses,
      },
    },
  }),
)

function named(
  definition: ApiDefinition,
  head: {
    readonly methods?: readonly string[]
    readonly readings: readonly string[]
    readonly isPlain?: boolean
  },
): string[] {
  const [path = ''] = head.readings
  const { violations } = definition.judge(
    { methods: ['GET'], path, query: '', rawHeaders: [], ...head },
    { judgesUndeclared: false },
  )
  return violations.map(({ name }) => name)
}

test('the values of every path that a request may be taken for are judged', () => {
  assert.deepEqual(named(NAMED, { readings: ['/files/a%27b', "/files/a'b"] }), ['parameter_type'])
  assert.deepEqual(named(NAMED, { readings: ['/files/a', '/files/b'] }), [])
  assert.deepEqual(named(NAMED, { readings: ['/files/caf\u00e9', "/files/'"], isPlain: true }), [])
})

test('a method that is named ten thousand times hides none behind it', () => {
  const methods = [...Array.from({ length: 60_000 }, () => 'GET'), 'DELETE']
  assert.deepEqual(named(NAMED, { methods, readings: ['/files/a'] }), ['unlisted_operation'])
})

describe('forms', () => {
  const schema = {
    type: 'object',
    required: ['password'],
    properties: {
      password: { type: 'string' },
      tags: { type: 'array', items: { type: 'integer' } },
      meta: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
      'raw[]': { type: 'array', items: { type: 'string' } },
    },
  }
  const definition = definitionOf(
    document({
      '/f': {
        post: { requestBody: { content: { 'application/x-www-form-urlencoded': { schema } } }, responses },
      },
    }),
  )
  const sent = (body: string): string[] =>
    judged(definition, 'POST', '/f', {
      headers: ['content-type', 'application/x-www-form-urlencoded'],
      body,
    })
  test('an object in the place of a text is none, whatever else is sent', () => {
    for (const body of ['password[$ne]=1', 'password=x&password[$ne]=1', 'password=x&password[]=y'])
      assert.deepEqual(
        sent(body).map((one) => one.split(' ')[0]),
        ['body_schema'],
        body,
      )
  })
  test('a method in the place of the own one is declared, or none', () => {
    for (const name of ['_method', '.METHOD'])
      assert.deepEqual(sent(`password=x&${name}=DELETE`), [`body_schema body ${name}`])
  })
  test('lists of one, lists in one text, and objects are as they are declared', () => {
    for (const more of [
      'tags=1',
      'tags=1,2',
      'tags=1&tags=2',
      'tags[]=1',
      'meta={"a":1}',
      'meta[a]=1',
      'raw[]=x',
    ])
      assert.deepEqual(sent(`password=x&${more}`), [], more)
    for (const more of ['tags=x', 'tags=1,x', 'tags[]=x', 'meta={"a":"x"}', 'meta[a]=x', 'meta=x'])
      assert.equal(sent(`password=x&${more}`).length, 1, more)
  })
})

test('the charset of what is not read says nothing, and no second one passes', () => {
  const definition = definitionOf(
    document({
      '/b': {
        post: {
          requestBody: { content: { 'application/json': {}, 'application/json;v=2': {}, 'text/plain': {} } },
          responses,
        },
      },
    }),
  )
  const sent = (type: string): string[] =>
    judged(definition, 'POST', '/b', { headers: ['content-type', type], body: '{}' })
  assert.deepEqual(sent('text/plain; charset=iso-8859-1'), [])
  assert.deepEqual(sent('application/json; charset=UTF-8'), [])
  assert.deepEqual(sent('application/json; charset=utf-8; charset=utf-16'), ['body_media_type body '])
})

test('media types that differ by a parameter alone are alternatives', () => {
  const of = (type: string) => ({ schema: { type } })
  const content = { 'application/json;v=1': of('string'), 'application/json;v=2': of('integer') }
  const definition = definitionOf(document({ '/b': { post: { requestBody: { content }, responses } } }))
  const headers = ['content-type', 'application/json']
  const sent = (body: string) => judged(definition, 'POST', '/b', { headers, body })
  assert.deepEqual([sent('"x"'), sent('1'), sent('null')], [[], [], ['body_schema body ']])
})

test('a cookie that comes twice is judged twice', () => {
  const definition = definitionOf(
    document({
      '/c': { get: { parameters: [{ name: 'n', in: 'cookie', schema: { type: 'integer' } }], responses } },
    }),
  )
  const sent = (cookie: string) => judged(definition, 'GET', '/c', { headers: ['Cookie', cookie] })
  assert.deepEqual(sent('n=1; n=2'), [])
  assert.deepEqual(sent('n=1; n=x'), ['parameter_type cookie n'])
})

test('patterns of one table are bounded together', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`p${index}`, { pattern: `^${index}(?:abc){100}$` }]),
  )
  const content = { 'application/json': { schema: { properties } } }
  const { leftOut } = compileDefinition(document({ '/a': { post: { requestBody: { content }, responses } } }))
  assert.match(leftOut.join(), /^patterns \(\d+\)$/)
})

test('what a schema lists costs steps, though nothing of it is looked at', () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `k${index}`)
  const hostile: Readonly<Record<string, readonly [schema: unknown, body: unknown]>> = {
    anyOf: [{ type: 'array', items: { anyOf: Array(190_000).fill(true) } }, Array(2_000).fill(1)],
    minProperties: [
      { anyOf: Array(30_000).fill({ minProperties: 1e9 }) },
      Object.fromEntries(names.map((name) => [name, 1])),
    ],
  }
  for (const [name, [schema, body]] of Object.entries(hostile)) {
    const content = { 'application/json': { schema } }
    const definition = definitionOf(document({ '/a': { post: { requestBody: { content }, responses } } }))
    const judgement = definition.judge(
      { methods: ['POST'], path: '/a', readings: ['/a'], query: '', rawHeaders: [] },
      { judgesUndeclared: false },
    )
    judgement.judgeBody({ contentTypes: ['application/json'], bytes: Buffer.from(JSON.stringify(body)) })
    assert.equal(judgement.isUnchecked, true, name)
  }
})

test('parameters of the query cost steps, though none of them is sent', () => {
  const parameters = Array.from({ length: 5_000 }, (_, index) => ({
    name: `p${index}`,
    in: 'query',
    schema: { type: 'object', properties: { [`z${index}`]: true } },
  }))
  const definition = definitionOf(document({ '/a': { get: { parameters, responses } } }))
  const query = Array.from({ length: 4_000 }, (_, index) => `${index}=`).join('&')
  const judgement = definition.judge(
    { methods: ['GET'], path: '/a', readings: ['/a'], query, rawHeaders: [] },
    { judgesUndeclared: false },
  )
  assert.equal(judgement.isUnchecked, true)
})

test('several documents are one table: each has its own schemas, and the first says what an operation is', () => {
  const schemas = (type: string) => ({ schemas: { A: { type } } })
  const $ref = '#/components/schemas/A'
  const withBody = {
    post: { requestBody: { content: { 'application/json': { schema: { $ref } } } }, responses },
  }
  const older = {
    swagger: '2.0',
    info: { title: 'T', version: '1' },
    basePath: '/old',
    paths: {
      '/a': {
        post: { parameters: [{ name: 'b', in: 'body', schema: { $ref: '#/definitions/A' } }], responses },
      },
    },
    definitions: { A: { type: 'boolean' } },
  }
  const { table } = compileDefinition(
    { ...document({ '/a': withBody }), components: schemas('integer') },
    { ...document({ '/a': withBody, '/b': withBody }), components: schemas('string') },
    document({}),
    older,
  )
  const definition = readTable(table)
  assert(definition instanceof ApiDefinition)
  const headers = ['content-type', 'application/json']
  const passes = (path: string, body: string) =>
    judged(definition, 'POST', path, { headers, body }).length === 0
  assert.deepEqual([passes('/a', '1'), passes('/a', '"x"')], [true, false])
  assert.deepEqual([passes('/b', '1'), passes('/b', '"x"')], [false, true])
  assert.deepEqual([passes('/old/a', 'true'), passes('/old/a', '1')], [true, false])
})
