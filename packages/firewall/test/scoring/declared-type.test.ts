/** What the type that is declared of a value adds to the evidence of an attack in it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, type MistypedValue, maintainedRules, ownRules } from '../../src/index.ts'

const engine = createEngine([maintainedRules(), ownRules()])
const found = (
  text: string,
  mistyped?: readonly MistypedValue[],
  level: 'watch' | 'balanced' | 'strict' = 'balanced',
) => {
  const target = `/items?id=${encodeURIComponent(text)}`
  const head = {
    method: 'GET',
    target,
    rawHeaders: ['Host', 'a.example', 'User-Agent', 'Mozilla/5.0', 'Accept', '*/*'],
  }
  const inspection = engine.inspect({ ...head, ...(mistyped && { mistyped }) })
  return inspection.hits(level).filter(({ part }) => part === 'query')
}
const inId = (text: string): MistypedValue[] => [{ part: 'query', parameter: 'id', text }]

test('a lone quote is a hit where a number is declared, and none without the definition', () => {
  assert.deepEqual(found("1'", undefined, 'strict'), [])
  const [hit] = found("1'", inId("1'"))
  assert.deepEqual(
    [hit?.rule, hit?.class, hit?.parameter, hit?.scorePercent],
    ['sp-type-sql', 'sql_injection', 'id', 62],
  )
  assert.match(hit?.reason ?? '', /of another type than declared/)
  assert.deepEqual(found("1'", inId("1'"), 'watch'), [])
})

test('each class has its characters, and a value without any is no attack', () => {
  const classes = (text: string) => found(text, inId(text)).map((hit) => hit.class)
  assert.ok(classes('1|id').includes('command_injection'))
  assert.ok(classes('<b>').includes('xss'))
  assert.ok(classes('../../x').includes('lfi'))
  assert.ok(classes('{{7*7}}').includes('template_injection'))
  for (const text of ['abc', '1.5', 'twelve', '12a', 'O Brien', '-', '2024-13-45', 'null', 'undefined'])
    assert.deepEqual(found(text, inId(text), 'strict'), [], text)
})

test('what rules found counts more in such a value, and in no other', () => {
  const text = "1' or '1'='1"
  const score = (mistyped?: readonly MistypedValue[]) =>
    Math.max(
      0,
      ...found(text, mistyped, 'strict')
        .filter(({ rule }) => !rule.startsWith('sp-type'))
        .map((hit) => hit.scorePercent),
    )
  assert.ok(score(inId(text)) >= score())
  const elsewhere: MistypedValue[] = [{ part: 'query', parameter: 'page', text: 'x' }]
  assert.equal(score(elsewhere), score())
})
