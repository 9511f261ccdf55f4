import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginningsOf } from '../../../src/features/coverage/template-beginnings.ts'

const of = (...templates: string[]) =>
  beginningsOf(templates.map((template) => ({ method: 'GET', template, source: 'given', parameters: [] })))

test('beginnings are as long as every template is literal, two segments at most', () => {
  assert.deepEqual(of('/v1/orders/{id}', '/v1/people', '/v1/people/a/b'), {
    segments: 2,
    beginnings: ['/v1/orders', '/v1/people'],
  })
  assert.deepEqual(of('/v1/orders', '/health'), { segments: 1, beginnings: ['/v1', '/health'] })
  assert.deepEqual(of('/v1/{name}.pdf'), { segments: 1, beginnings: ['/v1'] })
  assert.deepEqual(of('/'), { segments: 1, beginnings: ['/'] })
  assert.deepEqual(of('/orders/'), { segments: 1, beginnings: ['/orders'] })
  assert.deepEqual(of('/caf%C3%A9/{id}'), { segments: 1, beginnings: ['/caf%C3%A9', '/café'] })
})

test('there are none where a template begins with a parameter, or they are too long', () => {
  assert.equal(of('/{tenant}', '/v1/orders'), undefined)
  assert.equal(of(), undefined)
  assert.equal(of(...Array.from({ length: 100 }, (_, index) => `/${'x'.repeat(600)}${index}/y`)), undefined)
})
