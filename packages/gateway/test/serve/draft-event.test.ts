/** Whatever a head says, the collector can take its record: else whoever sends it could keep requests out of the record. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PATH_CHARS_MAX, trafficRequestSchema, trafficSenderSchema } from '@sallyport/contract'
import fc from 'fast-check'
import { batchLines, eventsOfLines } from '../../../../test/support/batch-lines.ts'
import type { ReceivedRequest } from '../../src/exchange/exchange.ts'
import { blockOf } from '../../src/headers/header-block.ts'
import { draftEvent } from '../../src/serve/draft-event.ts'

const headers = blockOf([])

const received = (changes: Partial<ReceivedRequest>): ReceivedRequest => ({
  method: 'GET',
  target: '/',
  headers,
  rawHeaders: headers.rawHeaders,
  httpVersion: '1.1',
  host: 'shop.gate.localhost',
  hostPort: '',
  secure: false,
  clientAddress: '203.0.113.7',
  bodyBytes: 0,
  websocket: false,
  key: '',
  cookies: [],
  accept: '',
  ...changes,
})

/** The draft as it comes out at the other end, checked as the collector checks it. */
function collected(request: ReceivedRequest, userAgent = '') {
  const [event] = eventsOfLines(batchLines([draftEvent(request, userAgent, 'TLSv1.3', 'gateway-1')]))
  return { sender: trafficSenderSchema.parse(event), request: trafficRequestSchema.parse(event) }
}

test('a path of which the route is longer is in the record', () => {
  const { request } = collected(received({ target: `/index.php${'/1'.repeat(420)}` }))
  assert.equal(request.route.length, PATH_CHARS_MAX)
  assert.equal(request.path, `/index.php${'/1'.repeat(420)}`)
})

/** Pieces that grow, shrink, split or fail when they are decoded, typed or cut; halves of surrogate pairs too. */
const piece = fc.oneof(
  fc.constantFrom(
    '/',
    '/1',
    '/a@b.c',
    '/..',
    '//',
    '\\',
    '?',
    '&',
    '=',
    '#',
    '%',
    '%00',
    '%ff',
    '%2f',
    '%252e',
  ),
  fc.constantFrom('%f0%9f%98%80', '\u{1f600}', '\ud83d', '\ude00', '\0', '\n', '"', '\xff', 'https://x', '*'),
  fc.constantFrom('/2026-11-21', '/d41d8cd98f00b204e9800998ecf8427e', '/.sallyport/invite', 'x'.repeat(130)),
  fc.string({ unit: 'binary', maxLength: 4 }),
)
const hostileText = fc
  .tuple(fc.array(piece, { maxLength: 12 }), fc.nat(4_000))
  .map(([pieces, times]) => pieces.join('').repeat(times).slice(0, 20_000))

test('whatever a head says, its record is valid', () => {
  const head = fc.record({ target: hostileText, method: hostileText, host: hostileText })
  fc.assert(
    fc.property(head, hostileText, (changes, userAgent) => {
      collected(received(changes), userAgent)
    }),
    { numRuns: 300 },
  )
})
