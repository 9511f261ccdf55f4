import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishedDocument } from '../../../../src/features/sites/definition/gated-document.ts'
import { BadDocument } from '../../../../src/http/documents/bad-document.ts'
import { definitionFaults } from '../../../../src/http/documents/definition-faults.ts'
import { readEvents } from '../../../../src/http/documents/document-events.ts'
import { readDocument } from '../../../../src/http/documents/read-document.ts'

const GATE = 'https://api.gate.example'

test('what an operation requires is published, also under a name like that of an extension', () => {
  const security = [{ 'x-api-key': [] }]
  const published = publishedDocument(
    { security, paths: { '/a': { get: { security, 'x-team': 'b' } } } },
    GATE,
  )
  assert.deepEqual(published.security, security)
  assert.deepEqual(published.paths, { '/a': { get: { security } } })
})

test('examples are published as they are, and extensions beside them are not', () => {
  const schema = { examples: [{ 'x-a': 1 }], dependentRequired: { 'x-a': ['b'] } }
  const published = publishedDocument({ components: { schemas: { A: { ...schema, 'x-b': 1 } } } }, GATE)
  assert.deepEqual(published.components, { schemas: { A: schema } })
})

test('texts that look like secrets are masked', () => {
  const secrets = [
    `ge_live_${'a1'.repeat(20)}`,
    `whsec_${'a1'.repeat(20)}`,
    'eyJhbGciOiJub25l.eyJzdWIiOiIxIn0x.',
    '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIE\n-----END RSA PRIVATE KEY-----',
    '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQVY\n',
  ]
  for (const secret of secrets) {
    const { info } = publishedDocument({ info: { description: `before ${secret}` } }, GATE)
    assert.deepEqual(info, { description: 'before ***' }, secret)
  }
})

test('no definition changes what the next one is judged by', async () => {
  const poison = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'a', version: '1' },
    components: {
      schemas: {
        x: { $ref: '#/components/schemas/y', constructor: { prototype: { foo: { $ref: '#/info' } } } },
        y: {},
      },
    },
  })
  await definitionFaults(JSON.parse(poison), readEvents(poison))
  assert.equal(Reflect.get({}, 'foo'), undefined)
  const own = Buffer.from(poison.replaceAll('constructor', '__proto__'))
  assert.throws(() => readDocument(own, 'json'), BadDocument)
})

test('extensions beside the answers of an operation are left out, answers and components of such names are not', () => {
  const responses = { 200: { description: 'ok' }, default: { description: 'other', 'x-a': 1 }, 'x-team': 'b' }
  const components = { responses: { 'x-shared': { description: 'shared' } }, 'x-named': {} }
  const published = publishedDocument({ paths: { '/a': { get: { responses } } }, components }, GATE)
  assert.deepEqual(published.paths, {
    '/a': { get: { responses: { 200: { description: 'ok' }, default: { description: 'other' } } } },
  })
  assert.deepEqual((published.components as { responses: object }).responses, components.responses)
})

test('names that begin like keys of services stay', () => {
  for (const operationId of ['npm_install_package_versions', 'sk_test_connection_status', 'npm_install'])
    assert.deepEqual(publishedDocument({ paths: { '/a': { get: { operationId } } } }, GATE).paths, {
      '/a': { get: { operationId } },
    })
  const { info } = publishedDocument({ info: { description: `npm_${'a1B2c3'.repeat(6)}` } }, GATE)
  assert.deepEqual(info, { description: '***' })
})

test('servers with variables keep their base path', () => {
  const variables = { region: { default: 'eu' }, base: { default: 'v2' } }
  for (const [url, path] of [
    ['https://{region}.example.com/{base}', '/v2'],
    ['https://{unknown}.example.com/v1/', '/v1'],
    ['/{base}/x', '/v2/x'],
    ['https://example.com', ''],
    ['{base}', '/v2'],
  ] as const)
    assert.deepEqual(publishedDocument({ servers: [{ url, variables }] }, GATE).servers, [
      { url: GATE + path },
    ])
})

test('references are judged wherever they are parts, and nowhere else', async () => {
  const nowhere = { $ref: '#/components/schemas/None' }
  const A = { properties: { default: nowhere, value: nowhere, 'x-a': nowhere } }
  const definition = {
    openapi: '3.1.0',
    info: { title: 'a', version: '1' },
    paths: { '/a': { get: { responses: { default: { $ref: '#/components/responses/None' } } } } },
    components: {
      schemas: { A, B: { default: nowhere, enum: [nowhere], 'x-b': nowhere, examples: [nowhere] } },
    },
  }
  const faults = await definitionFaults(definition, readEvents(JSON.stringify(definition)))
  assert.deepEqual(faults.map(({ path }) => path).toSorted(), [
    '/components/schemas/A/properties/default/$ref',
    '/components/schemas/A/properties/value/$ref',
    '/components/schemas/A/properties/x-a/$ref',
    '/paths/~1a/get/responses/default/$ref',
  ])
})

test('references that lead to themselves are refused, recursive schemas are not', async () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const schemas = { A: ref('B'), B: ref('A'), C: { properties: { next: ref('C') } } }
  const definition = { openapi: '3.1.0', info: { title: 'a', version: '1' }, components: { schemas } }
  const faults = await definitionFaults(definition, readEvents(JSON.stringify(definition)))
  assert.deepEqual(
    faults.map(({ path }) => path),
    ['/components/schemas/A/$ref', '/components/schemas/B/$ref'],
  )
})
