/** What a person took into a definition is served with it, and the document stays one that means what it says. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withConfirmed } from '../../../../src/features/sites/operations/confirmed-document.ts'
import type { ConfirmedOperation } from '../../../../src/features/sites/operations/site-api.ts'

const confirmed = (method: string, template: string, name: string): ConfirmedOperation => ({
  method,
  template,
  parameters: [{ name, place: 'path', type: 'integer' }],
  bodyTypes: [],
  mediaTypes: [],
  statuses: [200],
})
const served = (document: Readonly<Record<string, unknown>>, operations: readonly ConfirmedOperation[]) =>
  withConfirmed(document, (given) => ({ ...given }), operations, 'https://app.gate.example').paths as Record<
    string,
    Record<string, { readonly parameters: readonly { readonly name: string; readonly in: string }[] }>
  >

test('an operation under a path that is given has its parameters under the names of that', () => {
  const parameters = ['shop', 'id'].map((name) => ({ name, in: 'path', required: true, type: 'string' }))
  const given = { get: { parameters, responses: { 200: { description: '' } } } }
  const document = { swagger: '2.0', basePath: '/v1', paths: { '/{shop}/pets/{id}': given } }
  const operation = confirmed('DELETE', '/v1/{p1}/pets/{petId}', 'petId')
  const paths = served(document, [operation])
  assert.deepEqual(Object.keys(paths), ['/{shop}/pets/{id}'])
  assert.deepEqual(
    paths['/{shop}/pets/{id}']?.delete?.parameters.map(({ name }) => name),
    ['id'],
  )
})

test('hostile templates are paths as any other', () => {
  const document = { openapi: '3.1.0', info: {}, paths: {} }
  const paths = served(document, [
    confirmed('GET', '/__proto__/{x}', 'x'),
    confirmed('GET', '/constructor', 'x'),
  ])
  assert.deepEqual(Object.keys(paths).sort(), ['/__proto__/{x}', '/constructor'])
})
