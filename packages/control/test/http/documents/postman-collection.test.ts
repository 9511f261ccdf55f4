/** What an API definition has of a Postman collection, and what becomes of one that is none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BadDocument } from '../../../src/http/documents/bad-document.ts'
import { definitionOfCollection } from '../../../src/http/documents/postman-collection.ts'

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'
const collection = (item: unknown, more: object = {}) => ({
  info: { name: 'Shop', schema: SCHEMA },
  item,
  ...more,
})
const asked = (request: unknown, name = 'ask') => ({ name, request })
const operationsOf = (value: unknown): string[] => {
  const { paths } = definitionOfCollection(value) as { paths: Record<string, Record<string, unknown>> }
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path}`),
  )
}

test('operations, names of parameters, media types and statuses are kept, and no value', () => {
  const secret = 'SECRET'
  const definition = definitionOfCollection(
    collection(
      [
        {
          name: 'Orders',
          item: [
            {
              name: 'List',
              request: {
                method: 'GET',
                header: [{ key: 'X-Api-Key', value: secret }],
                url: {
                  raw: `{{base}}/orders?page=2&q=${secret}`,
                  host: ['{{base}}'],
                  path: ['orders'],
                  query: [
                    { key: 'page', value: '2' },
                    { key: 'q', value: secret },
                  ],
                },
              },
              response: [{ name: 'ok', code: 200, body: JSON.stringify({ name: secret }) }],
            },
            asked({
              method: 'POST',
              url: { raw: '{{base}}/orders', host: ['{{base}}'], path: ['orders'] },
              body: {
                mode: 'raw',
                raw: JSON.stringify({ note: secret }),
                options: { raw: { language: 'json' } },
              },
            }),
            asked({
              method: 'GET',
              url: {
                raw: '{{base}}/orders/:id',
                host: ['{{base}}'],
                path: ['orders', ':id'],
                variable: [{ key: 'id', value: secret }],
              },
            }),
          ],
        },
      ],
      {
        variable: [{ key: 'base', value: 'https://api.internal.example/v1' }],
        auth: { type: 'bearer', bearer: [{ key: 'token', value: secret }] },
      },
    ),
  )
  assert.deepEqual(definition, {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    paths: {
      '/v1/orders': {
        get: {
          summary: 'List',
          parameters: [
            { name: 'page', in: 'query', schema: {} },
            { name: 'q', in: 'query', schema: {} },
            { name: 'X-Api-Key', in: 'header', schema: {} },
          ],
          responses: { 200: { description: '' } },
        },
        post: {
          summary: 'ask',
          parameters: [],
          requestBody: { content: { 'application/json': {} } },
          responses: { default: { description: '' } },
        },
      },
      '/v1/orders/{id}': {
        get: {
          summary: 'ask',
          parameters: [{ name: 'id', in: 'path', required: true, schema: {} }],
          responses: { default: { description: '' } },
        },
      },
    },
  })
  assert.doesNotMatch(JSON.stringify(definition), /SECRET|internal/)
})

test('templates that are one stand there once, and hosts make no difference', () => {
  const get = (url: string) => asked({ method: 'GET', url })
  assert.deepEqual(
    operationsOf(
      collection([
        get('https://a.example/v2/users/{{userId}}?x=1'),
        get('https://b.example/v2/users/:id'),
        asked('https://a.example/plain'),
        asked({ method: 'PROPFIND', url: 'https://a.example/dav' }),
        asked({ method: 'DELETE', url: '{{unknown}}/carts/:id/:id' }),
      ]),
    ),
    ['get /v2/users/{userId}', 'get /plain', 'delete /carts/{id}/{id2}'],
  )
})

test('a request that is called by its address, or has a slash in its query, tells no value of it', () => {
  const secret = 'SECRET'
  const addresses = [
    `https://a.example/orders?key=${secret}`,
    `{{base}}?next=https://b.example/${secret}`,
    `a.example?next=/${secret}`,
    `https://a.example#/${secret}`,
    `wss://me:${secret}@a.example/live`,
    `{{scheme}}://me:${secret}@{{host}}/users/:id?q=/${secret}`,
  ]
  const items = addresses.flatMap((url) => [
    asked({ method: 'GET', url }, url),
    asked({ method: 'PUT', url: { raw: url, host: ['a'], path: [secret] } }, `PUT ${url}`),
    asked(url, `a.example/x?key=${secret}`),
  ])
  const definition = definitionOfCollection(collection(items))
  assert.doesNotMatch(JSON.stringify(definition), /SECRET/)
  assert.deepEqual(operationsOf(collection(items)), [
    'get /orders',
    'put /orders',
    'get /',
    'put /',
    'get /live',
    'put /live',
    'get /users/{id}',
    'put /users/{id}',
  ])
  const named = collection([asked({ method: 'GET', url: 'https://a.example/b' }, 'Is it up? a=b')])
  assert.match(JSON.stringify(definitionOfCollection(named)), /Is it up\? a=b/)
})

test('what stands for a media type and is none counts as any', () => {
  const typesOf = (contentType: string): string[] => {
    const header = [{ key: 'Content-Type', value: contentType }]
    const body = { mode: 'raw', raw: 'x' }
    const asking = asked({ method: 'POST', url: 'https://a.example/b', header, body })
    const { paths } = definitionOfCollection(collection([asking])) as {
      paths: { '/b': { post: { requestBody: { content: object } } } }
    }
    return Object.keys(paths['/b'].post.requestBody.content)
  }
  assert.deepEqual(typesOf('application/vnd.shop+json; charset=utf-8'), ['application/vnd.shop+json'])
  for (const none of ['{{type}}', 'SECRET', 'a/b/c', '/json', 'text/plain', `a/${'b'.repeat(200)}`])
    assert.deepEqual(typesOf(none), ['*/*'], none)
})

test('any way to sign in is passed over, and nothing of a collection is logged', (context) => {
  const logged = [context.mock.method(console, 'error'), context.mock.method(console, 'warn')]
  const secret = 'SECRET'
  const auth = ['awsv4', 'digest', 'hawk', 'ntlm', 'edgegrid', '__proto__', 7].map((type) => ({ type }))
  const get = (url: unknown, more: object = {}) => asked({ method: 'GET', url, ...more })
  for (const own of auth)
    assert.deepEqual(
      operationsOf(
        collection(
          [get('https://a.example/orders', { auth: own }), get({ raw: '{{b}}/users', path: ['users'] })],
          {
            auth: own,
          },
        ),
      ),
      ['get /orders', 'get /users'],
    )
  const noContent = { name: 'none', code: 204, body: secret }
  const collected = collection([
    { ...get('https://a.example/%E0%A4%A'), response: [noContent] },
    get(`https://me:${secret}@[/x?k=${secret}`),
    get(`https://%zz${secret}/x`),
  ])
  try {
    definitionOfCollection(collected)
  } catch (error) {
    assert.ok(error instanceof BadDocument)
  }
  assert.deepEqual(
    logged.flatMap(({ mock }) => mock.calls.map(({ arguments: given }) => given)),
    [],
  )
})

test('a path of many names that are one is passed over at once', () => {
  const long = `https://a.example/${'{{x}}/'.repeat(100_000)}`
  assert.deepEqual(
    operationsOf(collection([asked({ method: 'GET', url: long }), asked('https://a.example/b')])),
    ['get /b'],
  )
})

test('what is no collection is none, and one that cannot be read is refused', () => {
  for (const value of [null, 7, [], {}, { info: {} }, { info: { schema: 'https://example.com/v2.1.0/' } }])
    assert.equal(definitionOfCollection(value), undefined)
  const first = SCHEMA.replace('v2.1.0', 'v1.0.0')
  for (const value of [
    collection([null]),
    collection('none'),
    collection([asked({ method: 5, url: 7 })]),
    collection([asked({ url: { path: [{}] } })]),
    { ...collection([]), info: { name: 'Old', schema: first } },
    { ...collection([]), info: { schema: SCHEMA } },
  ])
    assert.throws(() => definitionOfCollection(value), BadDocument)
})

test('hostile names and paths are names and paths', () => {
  const paths = ['__proto__/constructor', '../../b', '%00', `${'a/'.repeat(2_000)}`, '{}/{}', '\u{1f511}']
  const found = operationsOf(
    collection(paths.map((path) => asked({ method: 'GET', url: `https://a.example/${path}` }, '__proto__'))),
  )
  assert.ok(found.includes('get /__proto__/constructor'))
  assert.ok(found.every((operation) => operation.length < 2_100))
  assert.equal(Object.getPrototypeOf({}), Object.prototype)
})

test('whatever a collection holds, none of its values is kept, and it is read or refused', () => {
  const secret = 'SECRET'
  const value = fc.constantFrom<unknown>(
    secret,
    '{{x}}',
    [secret],
    { content: secret },
    null,
    7,
    true,
    `a/${secret}`,
  )
  const name = fc.constantFrom(
    'id',
    'page',
    'Content-Type',
    'constructor',
    'hasOwnProperty',
    'toString',
    '{{name}}',
    '',
    '[a]',
  )
  const pair = fc.record(
    { key: name, value, description: value, disabled: fc.boolean() },
    { requiredKeys: [] },
  )
  const pairs = fc.array(pair, { maxLength: 3 })
  const url = fc.oneof(
    fc.constantFrom(
      `https://u:${secret}@a.example/x?y=/${secret}`,
      `{{base}}/z#${secret}`,
      '',
      '://',
      '{{base}}',
      'a b',
    ),
    fc.record(
      {
        raw: fc.constantFrom('https://a.example/q', `{{base}}?k=${secret}/x`),
        host: value,
        path: pairs,
        query: pairs,
        variable: pairs,
      },
      { requiredKeys: [] },
    ),
  )
  const body = fc.record(
    {
      mode: fc.constantFrom('raw', 'formdata', 'urlencoded', 'file', 'graphql', 'constructor'),
      raw: value,
      formdata: pairs,
      urlencoded: pairs,
      file: value,
      graphql: value,
      options: fc.constant({ raw: { language: 'json' } }),
    },
    { requiredKeys: [] },
  )
  const auth = fc.record({
    type: fc.constantFrom('bearer', 'basic', 'oauth2', secret),
    bearer: pairs,
    basic: value,
  })
  const response = fc.record(
    {
      name,
      code: fc.constantFrom<unknown>(200, 'constructor', null, 99),
      body: value,
      header: fc.oneof(pairs, value),
    },
    { requiredKeys: [] },
  )
  const request = fc.oneof(
    url,
    fc.record(
      {
        method: fc.constantFrom('GET', 'post', 'constructor', '__proto__'),
        url,
        header: fc.oneof(pairs, value),
        body,
        auth,
        description: value,
      },
      { requiredKeys: [] },
    ),
  )
  const script = fc.constant([
    { listen: 'test', script: { exec: [secret, 'pm.response.to.have.status(201)'] } },
  ])
  const { items } = fc.letrec((tie) => ({
    items: fc.array(fc.oneof({ weight: 4, arbitrary: tie('asked') }, tie('folder')), { maxLength: 4 }),
    asked: fc.record(
      { name, request, response: fc.array(response, { maxLength: 2 }), event: script },
      { requiredKeys: [] },
    ),
    folder: fc.record({ name, item: tie('items'), auth, description: value }, { requiredKeys: ['item'] }),
  }))
  fc.assert(
    fc.property(
      items,
      fc.record({ variable: pairs, auth, event: script }, { requiredKeys: [] }),
      (item, more) => {
        const given = JSON.parse(JSON.stringify(collection(item, more)))
        try {
          assert.doesNotMatch(JSON.stringify(definitionOfCollection(given)), /SECRET/)
        } catch (error) {
          if (error instanceof assert.AssertionError || !(error instanceof BadDocument)) throw error
        }
      },
    ),
    { numRuns: 500 },
  )
  assert.deepEqual(Object.keys(Object.prototype), [])
})
