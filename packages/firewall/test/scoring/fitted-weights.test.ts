/** What the generated weights must be, whatever they were fitted to. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maintainedRules, ownRules } from '../../src/index.ts'
import { FITTED_WEIGHTS } from '../../src/scoring/fitted-weights.ts'
import { SIGNS, signsFor } from '../../src/scoring/signs.ts'
import { DECIDES, scoreOf, THRESHOLDS } from '../../src/scoring/weights.ts'

test('they are of rules that there are, and none is negative or decides alone', () => {
  const ids = new Set([...maintainedRules().rules, ...ownRules().rules].map(({ id }) => id))
  for (const [rule, weight] of [
    FITTED_WEIGHTS.rules,
    FITTED_WEIGHTS.inCode,
    FITTED_WEIGHTS.inStrayLines,
  ].flatMap(Object.entries<number>)) {
    assert.ok(ids.has(rule), rule)
    assert.ok(weight >= 0 && weight < DECIDES, rule)
  }
})

test('they are of signs that speak for their class', () => {
  assert.ok(SIGNS.length <= 28)
  for (const [className, weights] of Object.entries(FITTED_WEIGHTS.signs))
    for (const [name, weight] of Object.entries(weights)) {
      const bit = 1 << SIGNS.findIndex((sign) => sign.name === name)
      assert.ok((signsFor(className) & bit) !== 0 && weight > 0, `${className}: ${name}`)
    }
})

test('a rule without a weight is a hit at every level', () => {
  for (const threshold of Object.values(THRESHOLDS)) assert.ok(scoreOf(DECIDES) >= threshold)
})
