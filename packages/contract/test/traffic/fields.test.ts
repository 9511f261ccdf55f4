/** The table of the record's fields, and what is compiled from it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  emptyEvent,
  HIT_FIELD_NAMES,
  isSameSender,
  LINE_HEAD_FIELDS,
  LINE_TAIL_FIELDS,
  placeOf,
  REQUEST_FILTERS,
  senderOf,
  TABLE_FIELDS,
  TRAFFIC_FIELD_NAMES,
  TRAFFIC_FIELDS,
  trafficRequestFields,
  trafficSenderFields,
} from '../../src/index.ts'

test('each field of a request has a place of its own in the line, those of the head first, without a gap', () => {
  const places = [...LINE_HEAD_FIELDS, ...LINE_TAIL_FIELDS].map(placeOf)
  assert.deepEqual(
    places,
    places.map((_, index) => index + 1),
  )
  assert.deepEqual([...LINE_HEAD_FIELDS, ...LINE_TAIL_FIELDS].toSorted(), trafficRequestFields.toSorted())
})

test('names stand in compiled text, so they are identifiers; those of filters are there once', () => {
  for (const name of [...TRAFFIC_FIELD_NAMES, ...HIT_FIELD_NAMES]) assert.match(name, /^[a-z][a-zA-Z]*$/)
  const filters = REQUEST_FILTERS.map(({ filter }) => filter.name)
  assert.equal(new Set(filters).size, filters.length)
  assert.deepEqual([...TABLE_FIELDS].toSorted(), [...TRAFFIC_FIELD_NAMES].toSorted())
})

test('an empty event holds what the table says, and is another one each time', () => {
  for (const name of TRAFFIC_FIELD_NAMES) assert.deepEqual(emptyEvent()[name], TRAFFIC_FIELDS[name].empty)
  assert.deepEqual(Object.keys(emptyEvent()), TRAFFIC_FIELD_NAMES)
  assert.notEqual(emptyEvent(), emptyEvent())
})

test('two senders are the same where every field is', () => {
  const sender = senderOf(emptyEvent())
  assert.deepEqual(Object.keys(sender), trafficSenderFields)
  fc.assert(
    fc.property(fc.constantFrom(...trafficSenderFields), (name) => {
      assert.equal(isSameSender(sender, { ...sender }), true)
      assert.equal(isSameSender(sender, { ...sender, [name]: 'another' }), false)
    }),
  )
})
