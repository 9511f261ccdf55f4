import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shapeOf } from '../../src/index.ts'
import { queryParameters } from '../../src/requests/query.ts'

const SHAPES: readonly (readonly [string, string])[] = [
  ['/', '/'],
  ['/orders/17?x=1', '/orders/{integer}'],
  ['https://a.example/orders/17', '/orders/{integer}'],
  ['/orders/', '/orders/'],
  ['/api/3/issues', '/api/3/issues'],
  ['/v2.1/x', '/v2.1/x'],
  ['/apis/apps/v1beta1/x', '/apis/apps/v1beta1/x'],
  ['/a/123e4567-e89b-12d3-a456-426614174000', '/a/{uuid}'],
  ['/a/507f1f77bcf86cd799439011', '/a/{object-id}'],
  ['/a/2026-11-23', '/a/{date}'],
  ['/a/da39a3ee5e6b4b0d3255bfef95601890afd80709', '/a/{hash}'],
  ['/a/ann%40example.org', '/a/{email}'],
  ['/a/cus_9s6XKzkNRiz8i3', '/a/{token}'],
  ['/a/1234567890123456789', '/a/{digits}'],
  ['/a/web-7d9f8b-x2k4z', '/a/{slug}'],
  ['/a/J%C3%BCrgen%20M', '/a/{text}'],
  ['/users/@me', '/users/@me'],
  ['/a/securityClassification-6VMVochwUWo', '/a/securityClassification-6VMVochwUWo'],
  ['/a/classification-6VMVochwUWo', '/a/{token}'],
  ['/.well-known/openid-configuration', '/.well-known/openid-configuration'],
  ['/api/chat.postMessage', '/api/chat.postMessage'],
]

for (const [target, shape] of SHAPES)
  test(`${target} has the shape ${shape}`, () => assert.deepEqual(shapeOf(target), { kind: 'route', shape }))

const ODD: readonly (readonly [string, string])[] = [
  ['/.env', ''],
  ['/a/{id}', '/a'],
  ['/a/%7Bid%7D/b', '/a'],
  ['/a/..%2f..%2fetc', '/a'],
  ['/a/../b', '/a'],
  ['/a//b', '/a'],
  ['/a/%', '/a'],
  ['/a/%2561', '/a'],
  ['/a/b=c', '/a'],
  ['/a/b%3Fc=d', '/a'],
  ['/a/x%0d%0ay', '/a'],
  ['/a/7/dump.sql', '/a/{integer}'],
  ['*', ''],
]

for (const [target, directory] of ODD)
  test(`${target} is nothing that an API has`, () =>
    assert.deepEqual(shapeOf(target), { kind: 'odd', directory }))

test('names and types of a query are read, and a flood of names is not', () => {
  assert.deepEqual(queryParameters('/a?page=2&on=true&q=&filter[name]=x&at=2026-01-02&r=1.5&page=x&{y}=1'), [
    { name: 'page', type: 'integer' },
    { name: 'on', type: 'boolean' },
    { name: 'q', type: 'unknown' },
    { name: 'filter[name]', type: 'string' },
    { name: 'at', type: 'date' },
    { name: 'r', type: 'number' },
  ])
  assert.deepEqual(
    queryParameters(`/a?${Array.from({ length: 30 }, (_, index) => `n${index}=1`).join('&')}`),
    [],
  )
})
