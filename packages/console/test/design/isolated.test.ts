import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isolated } from '../../src/design/isolated.ts'

test('somebody’s words do not reorder the sentence that they stand in', () => {
  assert.equal(isolated('nightly pipeline'), 'nightly pipeline')
  assert.equal(isolated('plan\u202egnp.exe'), 'plan\ufffdgnp.exe')
  assert.equal(isolated('\u2069\u2066'), '\ufffd\ufffd')
  assert.equal(isolated('שלום'), '\u2068שלום\u2069')
})
