import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { matchTemplates } from '../../../src/features/coverage/match-operations.ts'

const TEMPLATES = [
  '/orders',
  '/orders/{orderId}',
  '/orders/export',
  '/orders/{orderId}/lines/{lineId}',
  '/reports/{name}.pdf',
  '/range/{from}-{to}',
  '/{tenant}/orders',
]

test('a route is of the template that its literal segments name', () => {
  const match = matchTemplates(TEMPLATES)
  const found = {
    '/orders': '/orders',
    '/orders/{id}': '/orders/{orderId}',
    '/orders/{orderId}': '/orders/{orderId}',
    "/orders/1' or 1=1": '/orders/{orderId}',
    '/orders/export': '/orders/export',
    '/orders/export/lines/{uuid}': '/orders/{orderId}/lines/{lineId}',
    '/reports/may.pdf': '/reports/{name}.pdf',
    '/range/1-2-3': '/range/{from}-{to}',
    '/acme/orders': '/{tenant}/orders',
  }
  for (const [route, template] of Object.entries(found)) assert.equal(match(route), template, route)
  for (const route of [
    '',
    '/',
    '/orders/',
    '/orders/1/lines',
    '/reports/.pdf',
    '/range/1',
    '/a/b/c',
    '//orders',
  ])
    assert.equal(match(route), undefined, route)
})

test('templates that differ in names of parameters only are one', () => {
  const match = matchTemplates(['/a/{x}', '/a/{y}'])
  assert.equal(match('/a/1'), '/a/{x}')
})

test('every template matches what its parameters are replaced by, and no name of an object is a segment', () => {
  const segment = fc.oneof(
    fc.constantFrom('a', 'b', '__proto__', 'constructor', '{x}', '{y}'),
    fc.webSegment(),
  )
  fc.assert(
    fc.property(fc.array(fc.array(segment, { minLength: 1, maxLength: 4 }), { minLength: 1 }), (all) => {
      const templates = all.map((segments) => `/${segments.map((one) => one || 'z').join('/')}`)
      const match = matchTemplates(templates)
      for (const template of templates) {
        const found = match(template.replaceAll(/\{[xy]\}/g, '77'))
        assert.ok(found !== undefined)
        assert.ok(templates.includes(found))
      }
    }),
  )
})

test('many templates that could all match cost a step each', () => {
  const letters = Array.from(
    { length: 12 },
    (_, bits) => `/${bits % 2 ? '{x}' : 'a'}/${bits % 3 ? '{y}' : 'a'}`,
  )
  const deep = letters.map((start) => `${start}${'/{p}'.repeat(30)}/end${start}`)
  const match = matchTemplates(deep)
  const began = performance.now()
  for (let count = 0; count < 1_000; count++) assert.equal(match(`/a/a${'/a'.repeat(30)}/nowhere`), undefined)
  assert.ok(performance.now() - began < 2_000)
})
