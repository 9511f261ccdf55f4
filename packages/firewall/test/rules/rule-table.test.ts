/** The page that says what each default rule is worth is of the rules and weights that there are. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { maintainedRules, ownRules } from '../../src/index.ts'
import { isSignal } from '../../src/rules/rule-classes.ts'
import { FITTED_WEIGHTS } from '../../src/scoring/fitted-weights.ts'

const PAGE = readFileSync(resolve(import.meta.dirname, '../../../../docs/firewall-rules.md'), 'utf8')

test('each rule that finds attacks has a row, and nothing else has', () => {
  const named = [...PAGE.matchAll(/^\| `([^`]+)` \| (\w+) \|/gm)].map(([, id, type]) => `${id} ${type}`)
  const rules = [...maintainedRules().rules, ...ownRules().rules].filter(({ tags }) => !isSignal(tags.type))
  assert.deepEqual(named.toSorted(), rules.map(({ id, tags }) => `${id} ${tags.type}`).sort())
})

test('it was measured with the weights in force', () => {
  assert.ok(PAGE.includes(`Weights ${FITTED_WEIGHTS.version},`))
})
