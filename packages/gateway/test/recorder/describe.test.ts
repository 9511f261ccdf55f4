import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QUERY_NAMES_MAX } from '@sallyport/contract'
import { describeTarget, queryNamesOf, routeOf, toolOf } from '../../src/recorder/describe.ts'
import { maskQueryValues, redact } from '../../src/recorder/redact.ts'

test('a route has types in the place of values', () => {
  const routes = {
    '/': '/',
    '/orders/17/items/3': '/orders/{id}/items/{id}',
    '/v1/users/01999999-9999-7999-8999-999999999999': '/v1/users/{uuid}',
    '/reports/2026-11-21': '/reports/{date}',
    '/files/d41d8cd98f00b204e9800998ecf8427e': '/files/{hex}',
    '/people/ann@example.org/x': '/people/{email}/x',
    '/t/aB3dE5gH7jK9mN1p': '/t/{token}',
    '/login2/step3.html': '/login2/step3.html',
  }
  for (const [path, route] of Object.entries(routes)) assert.equal(routeOf(path), route)
  assert.equal(routeOf(`/x/${'a'.repeat(65)}`), '/x/{long}')
})

test('query names are distinct, decoded and bounded', () => {
  assert.deepEqual(queryNamesOf('/a'), [])
  assert.deepEqual(queryNamesOf('/a?'), [])
  assert.deepEqual(queryNamesOf('/a?b=1&c&b=2&&d%5Bx%5D=3&e+f=&%ff=1'), ['b', 'c', 'd[x]', 'e f', '%ff'])
  const many = Array.from({ length: 100 }, (_, index) => `n${index}=1`).join('&')
  assert.equal(queryNamesOf(`/a?${many}`).length, QUERY_NAMES_MAX)
})

test('a target is described by its canonical path', () => {
  assert.deepEqual(describeTarget('/a/../orders/%31%37?x=1'), {
    path: '/orders/17',
    route: '/orders/{id}',
    queryNames: ['x'],
  })
})

test('tools are told from browsers', () => {
  assert.equal(toolOf('sqlmap/1.8#stable (https://sqlmap.org)'), 'sqlmap')
  assert.equal(toolOf('curl/8.5.0'), 'curl')
  assert.equal(toolOf('python-requests/2.31'), 'python-requests')
  assert.equal(toolOf('Fuzz Faster U Fool v2.1.0'), 'ffuf')
  assert.equal(toolOf('Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'), '')
  assert.equal(toolOf(''), '')
})

test('what a site does not want recorded is taken out', () => {
  assert.equal(maskQueryValues('/a?b=secret&c&d=&e=f=g'), '/a?b=***&c&d=***&e=***')
  assert.equal(maskQueryValues('/a'), '/a')
  const event = { target: '/a?b=c', clientAddress: '203.0.113.7', userAgent: 'curl/8' }
  redact(event, { queryValues: 'keep', clientAddress: 'keep', userAgent: 'keep' }, 'key')
  assert.deepEqual(event, { target: '/a?b=c', clientAddress: '203.0.113.7', userAgent: 'curl/8' })
  const hashed = { ...event }
  redact(hashed, { queryValues: 'mask', clientAddress: 'hash', userAgent: 'drop' }, 'key')
  assert.match(hashed.clientAddress, /^[0-9a-f]{16}$/)
  assert.deepEqual({ ...hashed, clientAddress: '' }, { target: '/a?b=***', clientAddress: '', userAgent: '' })
  const other = { ...event }
  redact(other, { queryValues: 'keep', clientAddress: 'hash', userAgent: 'keep' }, 'another key')
  assert.notEqual(other.clientAddress, hashed.clientAddress)
})
