import assert from 'node:assert/strict'
import { test } from 'node:test'
import { durationWords } from '../../../src/design/time/duration.ts'

test('a span is rounded before its unit is chosen', () => {
  const spans: Readonly<Record<number, string>> = {
    0: '0 µs',
    999: '999 µs',
    999.6: '1.0 ms',
    1449: '1.4 ms',
    9949: '9.9 ms',
    9950: '10 ms',
    999499: '999 ms',
    999500: '1.0 s',
    59949000: '59.9 s',
    59950000: '1 min 0 s',
    3599499000: '59 min 59 s',
    3599500000: '1 h 0 min',
    7200000000: '2 h 0 min',
    90000000000: '25 h 0 min',
  }
  for (const [microseconds, words] of Object.entries(spans))
    assert.equal(durationWords(Number(microseconds)), words, microseconds)
})
