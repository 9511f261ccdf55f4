import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { linkedRequest } from '../../../../src/researcher/pages/site/linked-request.ts'

test('a link names a request by its id, and says nothing else on the page', () => {
  const id = randomUUID()
  assert.equal(linkedRequest(`request-${id}`), id)
  for (const fragment of [
    '',
    id,
    'request-',
    `request-${id}x`,
    `request-${id}\n`,
    'request-Call%20us',
    'token=abc',
  ])
    assert.equal(linkedRequest(fragment), '', fragment)
})
