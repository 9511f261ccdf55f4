/**
 * The prefilter leaves out what cannot match: with it and without it every value has the same verdict. Values are those of the
 * corpora, of ordinary traffic and of the rules' own words, as they are and mutated, and noise; `SALLYPORT_SAME_VALUES=10000000`
 * for the long run. And each expression is let through by a value that is made of its own tree.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { importCrs, maintainedRules, ownRules, type Rule } from '../../src/index.ts'
import { createNativeEngine } from '../../src/native-engine.ts'
import { createCandidates } from '../../src/prefilter/candidates.ts'
import { compilePrefilter } from '../../src/prefilter/compile-prefilter.ts'
import { parseExpression } from '../../src/prefilter/expressions/expression.ts'
import { createPrefilter } from '../../src/prefilter/prefilter.ts'
import { ADDRESSES, addressGroup } from '../../src/request/addresses.ts'
import type { RequestValue } from '../../src/request/request-value.ts'
import { compileRules } from '../../src/rules/compiled-rules.ts'
import { exampleOf } from '../support/expression-examples.ts'
import { createMutations } from '../support/mutations.ts'
import { sameValues } from '../support/same-values.ts'

const VALUES = Number(process.env.SALLYPORT_SAME_VALUES ?? 10_000)
const CRS = '/usr/share/modsecurity-crs'
const RULES: readonly Rule[] = [
  ...maintainedRules().rules,
  ...ownRules().rules,
  ...(existsSync(CRS) ? importCrs(CRS, { paranoia: 4 }).ruleSet.rules : []),
]
/** Examples have no case, and any length. */
const ANY_CASE = { case_sensitive: false }
/** Of each expression; some of them miss what the tree does not say, such as the end of the text. */
const EXAMPLES = 100
/** The engine judges so many values in one run. */
const RUN = 8

/** Places in turn, each looked at by many rules. */
const GROUPS = [
  ADDRESSES.query,
  ADDRESSES.body,
  ADDRESSES.cookie,
  ADDRESSES.path,
  ADDRESSES.parameterNames,
  ADDRESSES.target,
  ADDRESSES.filename,
].map((address) => addressGroup(address))

test(`${VALUES} values: what the engine matches, the prefilter lets through`, () => {
  const compiled = compileRules(RULES)
  const { random } = createMutations(17)
  // Conditions that only matter together are left out together, so each is judged as a rule of its own here.
  const alone = createCandidates({ ...compiled, rulesByCondition: compiled.conditions.map(() => []) })
  const engine = createNativeEngine(compiled.engineRules)
  const missed: string[] = []
  const texts = sameValues(VALUES, random)
  for (let index = 0; ; index++) {
    const batch = Array.from({ length: RUN }, () => texts.next().value).filter((text) => text !== undefined)
    if (batch.length === 0) break
    const group = GROUPS[index % GROUPS.length] ?? addressGroup(ADDRESSES.query)
    const judged = (shown: readonly string[]) =>
      engine.run(
        { [group.addresses[0] ?? '']: Object.fromEntries(shown.map((text, at) => [at, [text]])) },
        10_000_000,
      )
    if (judged(batch).matches.length === 0) continue
    for (const text of batch) {
      const value: RequestValue = { part: 'query', parameter: '', text, group }
      const through = new Set(alone.of(value, [text]).map(({ test: { condition } }) => condition))
      for (const { condition } of judged([text]).matches)
        if (!through.has(condition))
          missed.push(`${compiled.rulesByCondition[condition]?.[0]?.id}: ${JSON.stringify(text)}`)
    }
  }
  engine.dispose()
  assert.deepEqual(missed.slice(0, 10), [])
})

test('each expression is understood, and lets the values through that are made of it', () => {
  const { engineRules, rulesByCondition } = compileRules([...maintainedRules().rules, ...ownRules().rules])
  const { random } = createMutations(5)
  for (const [index, rule] of engineRules.entries()) {
    const { operator, parameters } = rule.conditions[0] ?? { operator: '', parameters: {} }
    if (operator !== 'match_regex' || parameters.regex === undefined) continue
    const inputs = [{ address: 'value' }]
    const engine = createNativeEngine([
      {
        ...rule,
        transformers: [],
        conditions: [{ operator, parameters: { regex: parameters.regex, inputs, options: ANY_CASE } }],
      },
    ])
    const expression = parseExpression(parameters.regex)
    const prefilter = createPrefilter(compilePrefilter([expression]).tables)
    const matches = (text: string): boolean =>
      engine.run({ value: { '0': [text] } }, 1_000_000).matches.length > 0
    const examples = Array.from({ length: EXAMPLES }, () => exampleOf(expression, random)).filter(matches)
    const id = rulesByCondition[index]?.[0]?.id
    assert.ok(examples.length > 0, `${id}: no example matches`)
    for (const example of examples)
      assert.ok(
        prefilter.always.length > 0 || prefilter.mayMatch(example).length > 0,
        `${id}: ${JSON.stringify(example)}`,
      )
    engine.dispose()
  }
})
