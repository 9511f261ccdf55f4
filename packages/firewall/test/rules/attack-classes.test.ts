import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ATTACK_CLASS_NAMES } from '@sallyport/contract/words'
import { maintainedRules } from '../../src/rules/maintained-rules.ts'
import { ownRules } from '../../src/rules/own-rules.ts'
import { isSignal } from '../../src/rules/rule-classes.ts'

test('the table of attack classes has those of all rules, and no others', () => {
  const named = [...maintainedRules().rules, ...ownRules().rules].map(({ tags }) => tags.type)
  const attacks = new Set(named.filter((name) => !isSignal(name)))
  assert.deepEqual([...attacks].sort(), [...ATTACK_CLASS_NAMES].sort())
})
