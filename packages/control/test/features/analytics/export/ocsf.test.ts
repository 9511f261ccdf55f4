import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TRAFFIC_FIELD_NAMES, type TrafficEvent } from '@sallyport/contract'
import fc from 'fast-check'
import { anyFields } from '../../../../../../test/support/any-fields.ts'
import { toOcsf } from '../../../../src/features/analytics/export/ocsf.ts'
import { problemsOf } from '../../../support/ocsf-http-activity.ts'
import { event, hit } from '../../../support/traffic.ts'

const text = (maxLength: number) => fc.string({ unit: 'binary', maxLength })
const count = fc.integer({ min: 0, max: 2 ** 45 })
const values = {
  text: (charsMax: number) => text(Math.min(charsMax, 40)),
  uuid: () => fc.uuid(),
  integer: (min: number) => count.map((value) => Math.max(min, value)),
}
const anyEvent = anyFields<TrafficEvent>(TRAFFIC_FIELD_NAMES, values, {
  time: fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2100, 0) }),
  orgId: fc.uuid(),
  siteId: fc.uuid(),
  gatewayId: fc.constantFrom('gateway-a'),
  researcherId: fc.constantFrom('', 'researcher-a'),
  credentialId: fc.constantFrom('', 'abcdef012345'),
  clientAddress: fc.constantFrom('', '192.0.2.7', '2001:db8::7', '::ffff:192.0.2.7', '0123456789abcdef'),
  tls: fc.constantFrom('', 'TLSv1.3'),
  method: fc.oneof(fc.constantFrom('GET', 'POST', 'PROPFIND', 'get', '', 'constructor'), text(10)),
  host: fc.constantFrom('shop.gate.example', 'shop.gate.example:8443', 'shop.gate.example:99999', ''),
  queryNames: fc.array(text(5), { maxLength: 3 }),
  status: fc.constantFrom(0, 101, 200, 403, 999),
  reason: fc.constantFrom('', 'block_rule'),
  rule: fc.constantFrom('', 'rule-1', 'crs-942-100'),
  reading: fc.constantFrom('', 'decoded twice'),
  tool: fc.constantFrom('', 'curl'),
})

/** As it is after it was written and read. */
const written = (given: TrafficEvent): Record<string, unknown> => JSON.parse(JSON.stringify(toOcsf(given)))

test('every event is an HTTP Activity of OCSF', () => {
  fc.assert(
    fc.property(anyEvent, (given) => {
      assert.deepEqual(problemsOf(written(given)), [])
    }),
    { numRuns: 500 },
  )
})

test('what breaks the class is found', () => {
  const sound = written(event({ hits: [hit()] }))
  assert.deepEqual(problemsOf(sound), [])
  for (const broken of [
    { ...sound, metadata: undefined },
    { ...sound, class_uid: 4001 },
    { ...sound, activity_id: 10 },
    { ...sound, time: '2026-01-01T00:00:00Z' },
    { ...sound, http_method: 'GET' },
    { ...sound, http_response: {} },
    { ...sound, tls: {} },
    { ...sound, firewall_rule: { rule_location: 'query' } },
    { ...sound, src_endpoint: { owner: { uid: 'x' } } },
    { ...sound, src_endpoint: { ip: '0123456789abcdef' } },
    { ...sound, http_request: undefined, http_response: undefined },
  ])
    assert.equal(problemsOf(broken).length, 1, JSON.stringify(broken))
})

test('activity, action and disposition say what was asked and what became of it', () => {
  const told = (given: Partial<TrafficEvent>): unknown[] => {
    const { activity_id, activity_name, action, disposition, status, severity } = written(event(given))
    return [activity_id, activity_name, action, disposition, status, severity]
  }
  assert.deepEqual(told({}), [3, 'Get', 'Allowed', 'Allowed', 'Success', 'Informational'])
  assert.deepEqual(told({ hits: [hit()] }), [3, 'Get', 'Observed', 'Detected', 'Success', 'High'])
  assert.deepEqual(told({ hits: [hit({ excluded: true })] }), told({}))
  assert.deepEqual(told({ method: 'PROPFIND', outcome: 'block', status: 403 }), [
    99,
    'PROPFIND',
    'Denied',
    'Blocked',
    'Failure',
    'Informational',
  ])
  assert.deepEqual(told({ method: 'POST', outcome: 'interrupted', status: 0 }), [
    6,
    'Post',
    'Unknown',
    'Error',
    'Unknown',
    'Informational',
  ])
})
