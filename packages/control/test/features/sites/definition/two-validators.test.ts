/**
 * What is served of a given document is valid by two validators: the one that judges uploads, and one of other authors. Documents of public
 * APIs are read from the folder `SALLYPORT_API_DOCUMENTS`, where there is one; those here have what cleaning may break.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { validate } from '@readme/openapi-parser'
import { publishedDocument } from '../../../../src/features/sites/definition/gated-document.ts'
import { definitionFaults } from '../../../../src/http/documents/definition-faults.ts'
import { readEvents } from '../../../../src/http/documents/document-events.ts'
import { readDocument } from '../../../../src/http/documents/read-document.ts'

const FOLDER = process.env.SALLYPORT_API_DOCUMENTS
const info = { title: 'T', version: '1', 'x-logo': { url: 'https://internal.example' } }
const answers = {
  200: {
    description: 'Send ghp_0123456789abcdefghij.',
    headers: { 'X-Total': { schema: { type: 'integer' } } },
  },
  default: { $ref: '#/components/responses/Error' },
  'x-team': 'b',
}
const operation = {
  operationId: 'npm_install_package',
  servers: [{ url: 'https://internal.example' }],
  parameters: [{ name: 'x-trace', in: 'header', schema: { type: 'string', 'x-a': 1 } }],
  responses: answers,
  security: [{ 'x-key': [] }],
  'x-gateway': { url: 'http://10.0.0.7' },
}
const components = {
  responses: { Error: { description: 'no' } },
  securitySchemes: { 'x-key': { type: 'apiKey', in: 'header', name: 'X-Key' } },
  schemas: {
    'x-named': { type: 'object', properties: { default: { type: 'string' }, 'x-b': { type: 'string' } } },
    Tree: { type: 'object', properties: { next: { $ref: '#/components/schemas/Tree' } } },
  },
}
const servers = [{ url: 'https://{region}.internal.example/v1', variables: { region: { default: 'eu' } } }]
const version3 = (openapi: string) => ({
  openapi,
  info,
  servers,
  paths: { '/a': { get: operation } },
  components,
})
const swagger = {
  swagger: '2.0',
  info,
  host: 'internal.example',
  basePath: '/v1',
  schemes: ['http'],
  paths: {
    '/a/{id}': {
      get: {
        parameters: [{ name: 'id', in: 'path', required: true, type: 'string', 'x-a': 1 }],
        responses: { 200: { description: 'ok', schema: { $ref: '#/definitions/A' } }, 'x-team': 'b' },
      },
    },
  },
  definitions: { A: { type: 'object', properties: { 'x-b': { type: 'string' } } } },
}

async function requireValid(given: object): Promise<void> {
  const published = publishedDocument(given as Record<string, unknown>, 'https://api.gate.example')
  const text = JSON.stringify(published)
  assert.deepEqual(await definitionFaults(published, readEvents(text)), [])
  // The other one replaces references in what it is given.
  const second = await validate(JSON.parse(text))
  assert.ok(second.valid, JSON.stringify('errors' in second ? second.errors : second).slice(0, 2_000))
}

for (const [name, document] of Object.entries({
  'OpenAPI 3.0': version3('3.0.3'),
  'OpenAPI 3.1': version3('3.1.0'),
  'Swagger 2.0': swagger,
}))
  test(`what is served of ${name} is valid by both`, async () => {
    assert.deepEqual(await definitionFaults(document, readEvents(JSON.stringify(document))), [])
    await requireValid(document)
  })

test('and of public APIs', { skip: FOLDER ? false : 'SALLYPORT_API_DOCUMENTS names no folder' }, async () => {
  for (const file of readdirSync(FOLDER ?? '').filter((name) => /\.(?:json|ya?ml)$/.test(name))) {
    const bytes = readFileSync(join(FOLDER ?? '', file))
    const { value } = readDocument(bytes, file.endsWith('.json') ? 'json' : 'yaml')
    await requireValid(value as object)
  }
})
