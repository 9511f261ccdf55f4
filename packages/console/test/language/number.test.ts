import assert from 'node:assert/strict'
import { test } from 'node:test'
import { percent } from '../../src/language/number.ts'

test('a share that is not nothing is not said to be 0 %', () => {
  const shares = [0, 1, 99, 100, 1_234, 10_000, 100_000].map((part) => percent(part, 100_000))
  assert.deepEqual(shares, ['0 %', '< 0.1 %', '< 0.1 %', '0.1 %', '1.2 %', '10 %', '100 %'])
  assert.equal(percent(0, 0), '0 %')
})
