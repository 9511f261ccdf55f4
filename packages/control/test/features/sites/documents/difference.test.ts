import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differenceOf } from '../../../../src/features/sites/documents/difference.ts'

const document = (paths: object, more: object = {}) => ({ openapi: '3.1.0', paths, ...more })
const told = (before: object, after: object): string[] =>
  differenceOf(before, after).changes.map(
    ({ kind, operation, subject, before: old, after: now, isBreaking }) =>
      `${isBreaking ? '! ' : ''}${kind} ${operation} ${subject}${old || now ? `: ${old} -> ${now}` : ''}`.trim(),
  )

test('operations that came, went and are deprecated', () => {
  const before = document({ '/a': { get: {}, post: {} }, '/b': { get: {} } })
  const after = document({ '/a': { get: { deprecated: true }, put: {} }, '/b': { get: {} } })
  assert.deepEqual(told(before, after), [
    '! operation-removed POST /a',
    'operation-added PUT /a',
    'operation-deprecated GET /a',
  ])
  assert.deepEqual(told(before, before), [])
})

test('a parameter of the path that has another name is no difference', () => {
  const item = (name: string) => ({ get: { parameters: [{ name, in: 'path', required: true, schema: {} }] } })
  assert.deepEqual(told(document({ '/a/{id}': item('id') }), document({ '/a/{key}': item('key') })), [])
})

test('parameters, also of their path and by reference', () => {
  const parameters = { Limit: { name: 'limit', in: 'query', schema: { type: 'string' } } }
  const before = document(
    {
      '/a': {
        parameters: [{ $ref: '#/components/parameters/Limit' }, { name: 'X-Old', in: 'header' }],
        get: { parameters: [{ name: 'q', in: 'query' }] },
      },
    },
    { components: { parameters } },
  )
  const after = document({
    '/a': {
      get: {
        parameters: [
          { name: 'limit', in: 'query', schema: { type: ['null', 'integer'], format: 'int32' } },
          { name: 'q', in: 'query', required: true },
          { name: 'may', in: 'cookie' },
          { name: 'must', in: 'query', required: true },
        ],
      },
    },
  })
  assert.deepEqual(told(before, after), [
    '! parameter-type GET /a query limit: string -> integer or null (int32)',
    '! parameter-required GET /a query q',
    '! parameter-added GET /a query must',
    '! parameter-removed GET /a header X-Old',
    'parameter-added GET /a cookie may',
  ])
})

test('media types and statuses, and the same of Swagger 2.0', () => {
  const before = document({
    '/a': {
      post: {
        requestBody: { content: { 'application/json': {}, 'text/plain': {} } },
        responses: { 200: { content: { 'application/json': {} } }, 201: {}, 404: {} },
      },
    },
  })
  const swagger = {
    swagger: '2.0',
    consumes: ['application/json', 'application/xml'],
    produces: ['application/xml'],
    paths: {
      '/a': {
        post: {
          parameters: [{ in: 'body', name: 'body', required: true, schema: {} }],
          responses: { 200: { schema: {} }, 409: {} },
        },
      },
    },
  }
  assert.deepEqual(told(before, swagger), [
    '! request-required POST /a',
    '! request-type-removed POST /a text/plain',
    '! response-type-removed POST /a 200 application/json',
    '! status-removed POST /a 201',
    'request-type-added POST /a application/xml',
    'response-type-added POST /a 200 application/xml',
    'status-added POST /a 409',
    'status-removed POST /a 404',
  ])
})

test('what is hostile is bounded, and nothing is taken from what all objects have', () => {
  const paths = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`/${index}`, { get: {} }]))
  const { total, changes } = differenceOf(document({}), document(paths))
  assert.deepEqual([total, changes.length], [5_000, 2_000])
  const content = Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`a/${index}`, {}]))
  const typed = document({ '/a': { post: { requestBody: { content }, responses: {} } } })
  const untyped = document({ '/a': { post: { requestBody: {}, responses: {} } } })
  assert.equal(differenceOf(untyped, typed).total, 150_000)
  // Minutes, were the path taken apart for each of them.
  const parameters = Array.from({ length: 10_000 }, (_, index) => ({ in: 'path', name: `a${index}` }))
  const many = document({ [`/${'{a7}'.repeat(20_000)}`]: { get: { parameters } } })
  assert.deepEqual(told(many, many), [])
  const odd = document({
    '/a': {
      get: {
        parameters: [{ $ref: '#/constructor' }, { $ref: '#/paths/~1a/get/parameters/1' }, 7],
        responses: [],
      },
    },
    '/b': 7,
  })
  assert.deepEqual(told(odd, odd), [])
})
