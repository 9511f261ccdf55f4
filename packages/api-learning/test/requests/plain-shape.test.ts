import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPlainPath, plainShape } from '../../src/requests/plain-shape.ts'
import { readShape } from '../../src/requests/shape.ts'

/** Targets put together of pieces on which the two could differ, the same in each run. */
function* targets(count: number): Generator<string> {
  let state = 12_345
  const below = (bound: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * bound)
  }
  const piece = (): string => PIECES[below(PIECES.length)] ?? ''
  for (let index = 0; index < count; index += 1) {
    const pieces = Array.from({ length: below(9) }, piece)
    yield `${below(20) === 0 ? '' : '/'}${pieces.join('')}`
  }
}

const PIECES = [
  ...[
    '/',
    '/',
    '/',
    '/',
    '//',
    '/api/',
    '/v/',
    '/rest/',
    '/version/',
    '/API/',
    '-',
    '_',
    '.',
    '~',
    '%2f',
    '%41',
  ],
  ...[
    'orders',
    'a',
    'z',
    'deadbeef',
    'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    'cus_9s6xkzknriz8i3',
    'é',
    '\u{1f511}',
  ],
  ...[
    'v1',
    'v2beta',
    'v',
    '0',
    '7',
    '12',
    '345',
    '123456789012345',
    '1234567890123456',
    '9'.repeat(33),
    '-5',
    '-55',
  ],
  ...[
    '507f1f77bcf86cd799439011',
    '123e4567-e89b-12d3-a456-426614174000',
    '2026-11-23',
    'web-7d9f8b-x2k4z',
    'x'.repeat(41),
  ],
  ...[
    '?x=1',
    '?',
    '#',
    '#a/b',
    '{id}',
    '.bak',
    '.env',
    'A',
    'Ab12cd34ef56',
    ' ',
    '\n',
    '\0',
    'y'.repeat(65),
    'b/'.repeat(8),
  ],
]

test('what is found in one pass is what a closer look finds', () => {
  let plain = 0
  for (const target of targets(200_000)) {
    const shape = plainShape(target)
    if (shape === undefined) continue
    plain += 1
    assert.deepEqual(readShape(target), { kind: 'route', shape }, JSON.stringify(target))
  }
  assert.ok(plain > 10_000, `${plain} of them`)
})

test('ordinary targets take no closer look', () => {
  const shapes = {
    '/': '/',
    '/orders/': '/orders/',
    '/api/v1/orders/17/lines?page=2': '/api/v1/orders/{integer}/lines',
    '/api/3/orders/1234567890123456#top': '/api/3/orders/{digits}',
    '/a/123e4567-e89b-12d3-a456-426614174000/b2b': '/a/{uuid}/b2b',
  }
  for (const [target, shape] of Object.entries(shapes)) assert.equal(plainShape(target), shape)
  assert.equal(plainShape('/Orders'), undefined)
})

test('a path that is called plain is never odd', () => {
  let plain = 0
  for (const target of targets(200_000)) {
    if (!isPlainPath(target)) continue
    plain += 1
    assert.equal(readShape(target).kind, 'route', JSON.stringify(target))
  }
  assert.ok(plain > 10_000, `${plain} of them`)
})
