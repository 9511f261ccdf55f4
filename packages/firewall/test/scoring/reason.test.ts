import assert from 'node:assert/strict'
import { test } from 'node:test'
import { percentOf, reasonOf } from '../../src/scoring/reason.ts'
import { OUTSIDE_CODE } from '../../src/scoring/signs.ts'

const rules = Array.from({ length: 32 }, (_, index) => ({ id: `rule-${index}`, name: `Finds it ${index}` }))
const parts = rules.map(({ id }) => ({ rule: id, weight: 1 }))

test('a reason is bounded, and says how much it leaves out', () => {
  const reason = reasonOf(parts, rules, OUTSIDE_CODE)
  assert.ok(reason.length <= 256 && reason.length > 200)
  assert.match(reason, /^Finds it 0, Finds it 1, .*, and \d+ more$/)
  const long = reasonOf([{ rule: 'x', weight: 1 }], [{ id: 'x', name: '😀'.repeat(200) }], OUTSIDE_CODE)
  assert.ok(long.length === 256 && long.isWellFormed())
})

test('rules without a name are called by their id, equal names are said once, and code is named', () => {
  const signs = [...parts.slice(0, 1), { sign: 'substitution', weight: 0.5 }]
  assert.equal(reasonOf(signs, [{ id: 'rule-0', name: '' }], OUTSIDE_CODE), 'rule-0, substitution')
  const same = [
    { id: 'rule-0', name: 'Same' },
    { id: 'rule-1', name: 'Same' },
  ]
  assert.equal(reasonOf(parts.slice(0, 2), same, 0), 'Same, in code')
  assert.equal(reasonOf([], [], OUTSIDE_CODE), '')
})

test('no score is a hundred percent', () => {
  assert.deepEqual([1, 0.999, 0.985, 0.25].map(percentOf), [99, 99, 98, 25])
})
