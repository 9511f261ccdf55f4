import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FeedPut, feedPut } from '@sallyport/contract'
import fc from 'fast-check'
import { hashOf } from '../../src/snapshot/name-index.ts'
import { putLine, readLine } from '../../src/snapshot/put-lines.ts'
import { putIn } from '../support/test-data-plane.ts'
import { sampleResearcher, sampleSite } from './support.ts'

const KIND = 'site'
/** What a line puts. */
function partsOf(line: Buffer): object {
  const { kind, id, hashes, json } = putIn(line.toString())
  return { kind, id, hashes, json: json.toString() }
}

const lineOf = (message: object, indent?: number): Buffer =>
  Buffer.from(`${JSON.stringify(message, undefined, indent)}\n`)

const text = fc.oneof(fc.uuid(), fc.string(), fc.string({ unit: 'binary' }))
/** What a string becomes on its way through UTF-8. */
const sent = (drawn: string): string => Buffer.from(drawn).toString()

test('a put reads the same whether its line is as the control plane writes it or in any other order', () => {
  fc.assert(
    fc.property(
      text,
      fc.array(text, { maxLength: 4 }),
      fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()),
      (id, names, drawn) => {
        const json = JSON.stringify(drawn)
        const value: unknown = JSON.parse(json)
        const usual = lineOf({ type: 'put', kind: KIND, id, names, value })
        const other = lineOf({ value, id, names, kind: KIND, type: 'put' }, 1)
        const hashes = [id, ...names].map((name) => hashOf(sent(name)))
        const expected = { kind: KIND, id: sent(id), hashes, json }
        assert.deepEqual(partsOf(usual), expected)
        assert.deepEqual(partsOf(other), expected)
        assert.deepEqual(Buffer.concat(putLine(KIND, id, names, Buffer.from(json))), usual)
      },
    ),
    { numRuns: 1_000 },
  )
})

test('the names of a put are those that a gateway works out where they are not said', () => {
  const puts: [FeedPut, names: number][] = [
    [feedPut('site', 'a', sampleSite('a')), 1],
    [feedPut('researcher', 'r', sampleResearcher('r', { keyHashes: ['one', 'other'] })), 2],
    [feedPut('organization', 'o', { id: 'o', name: 'An organization', open: true }), 0],
  ]
  for (const [put, count] of puts) {
    const { names, ...unnamed } = put
    assert.equal(names?.length, count)
    assert.deepEqual(partsOf(lineOf(put)), partsOf(lineOf(unnamed)))
  }
})

test('no id and no name makes a line say another value', () => {
  const odd = [
    '","names":[],"value":1,"x":"',
    'a"],"value":',
    'a","names":[',
    '\\',
    '\\"',
    'é',
    '\u0000',
    'x'.repeat(200),
  ]
  for (const id of odd)
    assert.deepEqual(partsOf(lineOf({ type: 'put', kind: KIND, id, names: [id, id], value: { id } })), {
      kind: KIND,
      id,
      hashes: [hashOf(id), hashOf(id), hashOf(id)],
      json: JSON.stringify({ id }),
    })
})

test('other messages are read whole, and what is no JSON throws', () => {
  const begin = { type: 'begin', mode: 'full', revision: 7 }
  assert.deepEqual(readLine(lineOf(begin)), begin)
  assert.deepEqual(readLine(lineOf({ type: 'ping' })), { type: 'ping' })
  for (const cut of [
    '{"type":"put"',
    '{"type":"put","kind":"site","id":"a","names":["',
    '{"type":"put","kind":"site","id":"a","names":["b"]',
  ])
    assert.throws(() => readLine(Buffer.from(`${cut}\n`)), SyntaxError)
})
