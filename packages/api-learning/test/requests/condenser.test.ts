import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Condenser, type ObservedRequest, sizeClass } from '../../src/index.ts'

const request = (given: Partial<ObservedRequest>): ObservedRequest => ({
  ...{ method: 'GET', target: '/orders/17', status: 200, mediaType: '', requestMediaType: '', redirect: '' },
  ...{ responseBytes: 100, researcherId: 'ann', hasHit: false, time: 1_000 },
  ...given,
})

test('requests that are alike are one sum, with who sent them and how large the answers were', () => {
  const condenser = new Condenser()
  condenser.add(request({ target: '/orders/17?page=2', time: 3_000 }))
  condenser.add(request({ target: '/orders/18', researcherId: 'ben', responseBytes: 9_000 }))
  condenser.add(request({ target: '/orders/19', researcherId: 'ann' }))
  condenser.add(request({ target: '/orders/20', status: 201 }))
  condenser.add(request({ target: '/orders/21', hasHit: true, time: 9_000 }))
  condenser.add(request({ target: '/orders/22', status: 302, redirect: '//elsewhere.example' }))
  const none = { covered: 0, firstSeen: 1_000, lastSeen: 1_000, researchers: { ann: 1 } }
  const small = { [sizeClass(100)]: 1 }
  const own = { method: 'GET', shape: '/orders/{integer}', place: 'answer', type: '' }
  assert.deepEqual(condenser.take(), [
    {
      ...{ ...own, name: '200', requests: 3, covered: 1, firstSeen: 1_000, lastSeen: 9_000 },
      ...{ researchers: { ann: 2, ben: 1 }, sizes: { [sizeClass(100)]: 2, [sizeClass(9_000)]: 1 } },
    },
    {
      ...{ ...own, ...none, place: 'query', name: 'page', type: 'integer', requests: 1, sizes: {} },
      ...{ firstSeen: 3_000, lastSeen: 3_000 },
    },
    { ...own, ...none, name: '201', requests: 1, sizes: small },
    { ...own, ...none, name: '302', type: ' //elsewhere.example', requests: 1, sizes: small },
  ])
  assert.deepEqual(condenser.take(), [])
})

test('what is missed leaves no trace, but where no API has such a path', () => {
  const condenser = new Condenser()
  for (const target of ['/nowhere', '/Nowhere/A-1', '/caf%C3%A9', '/a.b/c', '/17/'])
    for (const status of [404, 405, 410, 501]) condenser.add(request({ target, status }))
  assert.deepEqual(condenser.take(), [])
  for (const target of ['/.env', '/dump.sql', '/a//b', '/a/{id}', '/x'.repeat(17)])
    condenser.add(request({ target, status: 404 }))
  const places = condenser.take().map(({ place, shape, requests }) => [place, shape, requests])
  assert.deepEqual(places, [
    ['control', '', 2],
    ['control', '/a', 2],
    ['control', '/x/x/x', 1],
  ])
})

test('each kind of answer keeps its own count when they take turns', () => {
  const condenser = new Condenser()
  for (let turn = 0; turn < 50; turn += 1)
    for (const status of [200, 500, 401])
      condenser.add(request({ status, researcherId: `r${turn % 3}`, responseBytes: turn }))
  const sums = condenser.take()
  assert.deepEqual(
    sums.map(({ name, requests, researchers }) => [name, requests, Object.keys(researchers).length]),
    [
      ['200', 50, 3],
      ['500', 50, 3],
      ['401', 50, 3],
    ],
  )
})
