import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  EXCERPT_CHARS_MAX,
  HITS_MAX,
  ID_CHARS_MAX,
  isValidRequest,
  PATH_CHARS_MAX,
  QUERY_NAMES_MAX,
  type RequestCandidate,
  requestLine,
  requestOfLine,
  TARGET_CHARS_MAX,
  trafficRequestFields,
  trafficRequestSchema,
  USER_AGENT_CHARS_MAX,
} from '@sallyport/contract'
import fc from 'fast-check'
import { event, hit } from '../support/traffic.ts'

/** Lengths around every bound that a field has. */
const LENGTHS = [
  0,
  ...[16, 32, 64, 128, 256, 261, ID_CHARS_MAX, EXCERPT_CHARS_MAX, USER_AGENT_CHARS_MAX].flatMap(around),
  ...[PATH_CHARS_MAX, TARGET_CHARS_MAX, HITS_MAX, QUERY_NAMES_MAX].flatMap(around),
]
const NUMBERS = [999, Date.UTC(2020, 0), Date.UTC(2100, 0), 2 ** 32 - 1, Number.MAX_SAFE_INTEGER].flatMap(
  around,
)
const WORDS = [
  'request',
  'origin',
  'key',
  'full',
  'high',
  '1.1',
  'https',
  event().id,
  event().id.toUpperCase(),
]

function around(bound: number): number[] {
  return [bound - 1, bound, bound + 1]
}

/** What a field may hold instead of what it should. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...LENGTHS).map((length) => 'x'.repeat(length)),
  fc.constantFrom(...LENGTHS.filter((length) => length < 300)).map((length) => Array(length).fill('q')),
  fc.constantFrom(...LENGTHS.filter((length) => length < 70)).map((length) => Array(length).fill(hit())),
  fc.constantFrom(...NUMBERS, -1, -0, 0, 1.5),
  fc.constantFrom(...WORDS),
  fc.constantFrom(null, true, false, {}, [], [null], [{}], [1]),
  fc.jsonValue(),
)

const agree = (candidate: RequestCandidate): void => {
  assert.equal(
    isValidRequest(candidate),
    trafficRequestSchema.safeParse(candidate).success,
    JSON.stringify(candidate).slice(0, 300),
  )
}

test('the check and the schema agree on every field, whatever it holds', () => {
  assert.ok(isValidRequest(event({ hits: [hit()] })))
  for (const field of trafficRequestFields)
    assert.equal(isValidRequest({ ...event(), [field]: undefined }), false, `without ${field}`)
  fc.assert(
    fc.property(fc.constantFrom(...trafficRequestFields), anything, (field, value) =>
      agree({ ...event(), [field]: value }),
    ),
    { numRuns: 4_000 },
  )
})

test('the check and the schema agree on every field of a hit', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(hit())), anything, (field, value) =>
      agree({ ...event(), hits: [hit(), { ...hit(), [field]: value }] }),
    ),
    { numRuns: 1_500 },
  )
})

test('the check and the schema agree on a line that says anything in any place', () => {
  const valid: unknown[] = JSON.parse(requestLine(1, event({ hits: [hit()], reason: 'x', messagesIn: 1 })))
  fc.assert(
    fc.property(fc.nat(valid.length), anything, fc.nat(valid.length + 2), (place, value, length) =>
      agree(requestOfLine(valid.with(place % valid.length, value).slice(0, length))),
    ),
    { numRuns: 2_000 },
  )
})
