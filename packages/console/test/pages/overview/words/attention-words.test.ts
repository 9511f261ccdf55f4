import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attentionParts } from '../../../../src/pages/overview/words/attention-words.ts'

test('why an origin fails is said in words, not by the code of the reason', () => {
  const parts = attentionParts({
    kind: 'origin_failing',
    severity: 'critical',
    leadsTo: 'site',
    time: '2026-11-21T14:00:00.000Z',
    site: { id: 'shop', name: 'shop.example' },
    value: 'origin_unreachable',
  })
  assert.equal(
    parts.map(({ text }) => text).join(''),
    'The origin of shop.example is failing: origin unreachable',
  )
})
