import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QUERY_NAMES_MAX, type RedactionSettings } from '@sallyport/contract'
import { describeTarget, queryNamesOf, routeOf } from '../../src/record/describe.ts'
import { maskQueryValues, redact } from '../../src/record/redact.ts'
import { CompiledSnapshot } from '../../src/snapshot/compile.ts'
import { sampleSite } from '../snapshot/support.ts'
import { putOf } from '../support/test-data-plane.ts'

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

test('what a site does not want recorded is taken out', () => {
  assert.equal(maskQueryValues('/a?b=secret&c&d=&e=f=g'), '/a?b=***&c&d=***&e=***')
  assert.equal(maskQueryValues('/a'), '/a')
  const redacted = (redaction: RedactionSettings, sessionKey = 'key') => {
    const edit = CompiledSnapshot.empty().edit(true)
    edit.put(putOf({ type: 'put', kind: 'site', id: 's', value: sampleSite('s', { redaction }) }))
    edit.put(putOf({ type: 'put', kind: 'installation', id: '', value: { sessionKey } }))
    const snapshot = edit.commit(1)
    const event = { target: '/a?b=c', clientAddress: '203.0.113.7', userAgent: 'curl/8' }
    const site = snapshot.site('s')
    if (site) redact(event, site, snapshot)
    return event
  }
  const kept = { queryValues: 'keep', clientAddress: 'keep', userAgent: 'keep' } as const
  assert.deepEqual(redacted(kept), { target: '/a?b=c', clientAddress: '203.0.113.7', userAgent: 'curl/8' })
  const hidden = redacted({ queryValues: 'mask', clientAddress: 'hash', userAgent: 'drop' })
  assert.match(hidden.clientAddress, /^[0-9a-f]{16}$/)
  assert.deepEqual({ ...hidden, clientAddress: '' }, { target: '/a?b=***', clientAddress: '', userAgent: '' })
  const otherKey = redacted({ ...kept, clientAddress: 'hash' }, 'another key')
  assert.notEqual(otherKey.clientAddress, hidden.clientAddress)
  assert.equal(redacted({ ...kept, clientAddress: 'drop' }).clientAddress, '')
})
