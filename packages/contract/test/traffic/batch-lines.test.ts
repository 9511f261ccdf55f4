import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyFields } from '../../../../test/support/any-fields.ts'
import {
  emptyEvent,
  type FirewallHit,
  isValidRequest,
  LINE_TAIL_FIELDS,
  requestLine,
  requestLineHead,
  requestLineStart,
  requestLineTail,
  requestOfLine,
  senderLine,
  senderMembers,
  TRAFFIC_FIELDS,
  type TrafficRequest,
  type TrafficSender,
  trafficRequestFields,
  trafficSenderFields,
} from '../../src/index.ts'

const text = fc.oneof(fc.constant(''), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
const count = fc.oneof(fc.constant(0), fc.maxSafeNat())
const path = fc.constantFrom('/', '/orders/7', '/a?b', '')
const values = {
  text: () => text,
  uuid: () => text,
  integer: (min: number) => count.map((value) => Math.max(min, value)),
}
const request = anyFields<TrafficRequest>(trafficRequestFields, values, {
  time: count,
  target: fc.oneof(
    text,
    fc.tuple(path, fc.constantFrom('', '?', '?q=1', '#f')).map((parts) => parts.join('')),
  ),
  path: fc.oneof(text, path),
  route: fc.oneof(text, path, fc.constant('/orders/{id}')),
  queryNames: fc.array(text, { maxLength: 3 }),
})
const sender = anyFields<TrafficSender>(trafficSenderFields, values)

const HIT: Omit<FirewallHit, 'scorePercent' | 'reason'> = {
  ...{ rule: 'crs-941-110', class: 'xss', severity: 'high', part: 'body', parameter: 'note' },
  ...{ excerpt: '<script>', excluded: false },
}
const VALID = { id: '01999999-9999-7999-8999-999999999991', time: 1_790_000_000_000 }

test('a request is read from its line as it was written, whatever it holds', () => {
  fc.assert(
    fc.property(fc.nat(), request, (number, given) => {
      const line = requestLine(number, given)
      const json = JSON.parse(line)
      assert.equal(json[0], number)
      assert.deepEqual(requestOfLine(json), { ...given })
      assert.equal(line.includes('\n'), false)
      assert.equal(line, requestLineStart(number) + requestLineHead(given) + requestLineTail(given))
    }),
    { numRuns: 2_000 },
  )
})

test('a line leaves out what most requests do not have', () => {
  const plain: TrafficRequest = {
    ...emptyEvent(),
    id: '01999999-9999-7999-8999-999999999991',
    time: 1_790_000_000_000,
    method: 'GET',
    target: '/orders?page=2',
    path: '/orders',
    route: '/orders',
    queryNames: ['page'],
    status: 200,
    outcome: 'origin',
    responseBytes: 4_096,
    durationUs: 15_000,
    firstByteUs: 12_000,
    inspection: 'full',
  }
  assert.equal(
    requestLine(17, plain),
    '[17,"01999999-9999-7999-8999-999999999991","request",1790000000000,"GET","/orders?page=2",null,null,["page"],' +
      '200,"origin",0,4096,15000,12000,"full"]',
  )
})

test('a line without a count stands for one request; what is behind the members that are known is ignored', () => {
  const line = (rest: readonly unknown[]): readonly unknown[] => [
    17,
    '01999999-9999-7999-8999-999999999991',
    ...['request', 1_790_000_000_000, 'GET', '/', null, null, [], 401, 'gate', 0, 0, 0, 0, 'skipped'],
    ...rest,
  ]
  assert.equal(requestOfLine(line([])).requestCount, 1)
  const all = [[], 'no_credential', '', '', 0, 0]
  assert.equal(requestOfLine(line(all)).requestCount, 1)
  assert.equal(requestOfLine(line([...all, 1_234])).requestCount, 1_234)
  const known = LINE_TAIL_FIELDS.slice(LINE_TAIL_FIELDS.indexOf('requestCount') + 1)
  const later = known.map((name) => TRAFFIC_FIELDS[name].empty)
  assert.deepEqual(
    requestOfLine(line([...all, 1_234, ...later, 'of a later version'])),
    requestOfLine(line([...all, 1_234])),
  )
})

test('hits of a gateway of before scores have none, and members of a later one are ignored', () => {
  const hit = { ...HIT, scorePercent: 94, reason: 'keyword sequence' }
  const lineOf = (...hits: object[]): unknown[] => {
    const parsed: unknown[] = JSON.parse(requestLine(1, { ...emptyEvent(), hits: [hit] }))
    return parsed.with(16, hits)
  }
  assert.deepEqual(requestOfLine(lineOf(HIT, hit, { ...HIT, reason: 'x' })).hits, [
    { ...HIT, scorePercent: 0, reason: '' },
    hit,
    { ...HIT, scorePercent: 0, reason: 'x' },
  ])
  const later = requestOfLine(lineOf({ ...hit, more: 1 }))
  assert.ok(isValidRequest({ ...later, ...VALID }))
  for (const hits of ['x', null, [null], [1], Array(33).fill(HIT), [{ ...HIT, scorePercent: 101 }]])
    assert.equal(isValidRequest({ ...requestOfLine([...lineOf().slice(0, 16), hits]), ...VALID }), false)
})

test('a sender is read from its line as it was written, whatever it holds', () => {
  fc.assert(
    fc.property(fc.nat(), sender, (number, given) => {
      const line = senderLine(number, senderMembers({ ...given, ...{ more: 'than a sender' } }))
      assert.deepEqual(JSON.parse(line), { sender: number, ...given })
      assert.equal(line.includes('\n'), false)
    }),
  )
})

test('lines have the bytes that an earlier version wrote', () => {
  const golden = JSON.parse(readFileSync(join(import.meta.dirname, 'golden/lines.json'), 'utf8'))
  for (const { event: written, sender, head, tail, line } of golden) {
    const event = { ...emptyEvent(), ...written }
    assert.equal(senderMembers(event), sender)
    assert.equal(requestLineHead(event), head)
    assert.equal(requestLineTail(event), tail)
    assert.equal(requestLine(7, event), line)
  }
})
