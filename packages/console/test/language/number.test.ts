import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesWords, percent, shortNumber } from '../../src/language/number.ts'

test('a share that is not nothing is not said to be 0 %', () => {
  const shares = [0, 1, 99, 100, 1_234, 10_000, 100_000].map((part) => percent(part, 100_000))
  assert.deepEqual(shares, ['0 %', '< 0.1 %', '< 0.1 %', '0.1 %', '1.2 %', '10 %', '100 %'])
  assert.equal(percent(0, 0), '0 %')
})

test('a share that is not all of it is not said to be 100 %', () => {
  const shares = [9_949, 9_951, 99_499, 99_501, 99_899, 99_901, 99_999].map((part) => percent(part, 100_000))
  assert.deepEqual(shares, ['9.9 %', '10 %', '99 %', '99.5 %', '99.9 %', '> 99.9 %', '> 99.9 %'])
  assert.equal(percent(999_999_999, 1_000_000_000), '> 99.9 %')
})

test('bytes are rounded into the unit in which they are then less than 1,024', () => {
  const sizes = [1_023, 1_024, 102_390, 1_048_000, 1_048_575, 2 ** 30 - 1, 2 ** 50].map(bytesWords)
  assert.deepEqual(sizes, ['1023 B', '1.0 KiB', '100 KiB', '1023 KiB', '1.0 MiB', '1.0 GiB', '1.0 PiB'])
})

test('beside a number that is shortened, the others are, too', () => {
  assert.deepEqual(
    [0, 9_999, 10_000, 12_345, 2_500_000].map((value) => shortNumber(value)),
    ['0', '9,999', '10K', '12.3K', '2.5M'],
  )
  assert.deepEqual(
    [0, 500, 2_500, 8_000, 10_000].map((value) => shortNumber(value, 10_000)),
    ['0', '500', '2.5K', '8K', '10K'],
  )
  assert.deepEqual(
    [0, 2_000, 8_000].map((value) => shortNumber(value, 8_000)),
    ['0', '2,000', '8,000'],
  )
})
