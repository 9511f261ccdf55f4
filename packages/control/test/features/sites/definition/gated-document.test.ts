import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishedDocument } from '../../../../src/features/sites/definition/gated-document.ts'
import { definitionFaults } from '../../../../src/http/documents/definition-faults.ts'
import { BadDocument, readDocument } from '../../../../src/http/documents/read-document.ts'

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
  await definitionFaults(JSON.parse(poison), poison)
  assert.equal(Reflect.get({}, 'foo'), undefined)
  const own = Buffer.from(poison.replaceAll('constructor', '__proto__'))
  assert.throws(() => readDocument(own, 'json'), BadDocument)
})
