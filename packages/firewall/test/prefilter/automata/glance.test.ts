/** A glance says of no value that it is clean which is worth a test; and it says so of ordinary ones. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { piecesOfShort, saysBase64 } from '../../../src/decoding/decoded-variants.ts'
import { maintainedRules, ownRules } from '../../../src/index.ts'
import { UNSURE } from '../../../src/prefilter/automata/glance.ts'
import { type Candidates, createCandidates } from '../../../src/prefilter/candidates.ts'
import { GROUPS } from '../../../src/request/addresses.ts'
import type { RequestValue } from '../../../src/request/request-value.ts'
import { compileRules } from '../../../src/rules/compiled-rules.ts'
import { createMutations } from '../../support/mutations.ts'
import { sameValues } from '../../support/same-values.ts'

const VALUES = Number(process.env.SALLYPORT_SAME_VALUES ?? 20_000)
const CHARS_MAX = 256

const compiled = compileRules([...maintainedRules().rules, ...ownRules().rules])
const candidates = createCandidates(compiled)
/** The same rules, where conditions that only matter together are asked each by itself. */
const alone = createCandidates({ ...compiled, rulesByCondition: compiled.conditions.map(() => []) })
const groups = Object.values(GROUPS).filter((group) => candidates.isLookedAt(group))
const valueIn = (group: RequestValue['group'], text: string): RequestValue => ({
  part: 'query',
  parameter: 'user-agent',
  text,
  group,
})

function isCleared(choice: Candidates, value: RequestValue): boolean {
  const base64Run = choice.glance(value)
  return base64Run !== UNSURE && !saysBase64(value.text, base64Run)
}

test(`${VALUES} values: what a glance clears is worth no test in any place`, () => {
  const { random } = createMutations(23)
  let cleared = 0
  for (const whole of sameValues(VALUES, random)) {
    const text = whole.slice(0, random(CHARS_MAX))
    const pieces = piecesOfShort(text)
    for (const group of groups) {
      const value = valueIn(group, text)
      for (const [name, choice] of Object.entries({ candidates, alone })) {
        if (!isCleared(choice, value)) continue
        cleared++
        assert.equal(choice.of(value, pieces).length, 0, `${name}, ${group.key}: ${JSON.stringify(text)}`)
      }
    }
  }
  assert.ok(cleared > VALUES, `${cleared} were cleared`)
})

test('ordinary values are cleared; what is decoded or looked into is not', () => {
  const isClean = (text: string): boolean => isCleared(candidates, valueIn(GROUPS.query, text))
  for (const text of [
    '',
    'q',
    'blue summer',
    'large coffee cup',
    '49.99 EUR',
    'ABC-1234-abcd12',
    'price_asc',
  ])
    assert.ok(isClean(text), text)
  for (const text of [
    '50%',
    'a&b',
    'a+b',
    'a\\b',
    'a\nb',
    'a\0b',
    'caf\u00e9',
    '/*',
    "o'neill",
    '../../etc/passwd',
  ])
    assert.ok(!isClean(text), text)
  const encoded = Buffer.from('select password from users').toString('base64')
  assert.ok(!isClean(encoded))
  assert.ok(!isClean(`key:${encoded}`))
})
