/** What the rules of our own pack must be, whatever they look for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, ownRules } from '../../src/index.ts'

/** A shorter repetition costs nothing to speak of. */
const COUNTED_MAX = 40

/**
 * RE2 unrolls a counted repetition, and where many of its counts can run at once (`<[^>]{0,400}x` in `<<<<`) one window of
 * a hostile value takes 20 ms instead of 0.05. From the start of the text there is one count only, and to its end few.
 */
test('no expression counts far, except from the start of the text or to its end', () => {
  for (const { id, conditions } of ownRules().rules)
    for (const { parameters } of conditions)
      for (const found of (parameters.regex ?? '').matchAll(/\[[^\]]*\]\{\d*,(\d+)\}/g)) {
        const { regex = '' } = parameters
        const isAtStart = /(?:^|\|)\^$/.test(regex.slice(0, found.index))
        const isAtEnd = /^\$(?:$|\|)/.test(regex.slice(found.index + found[0].length))
        assert.ok(Number(found[1]) <= COUNTED_MAX || isAtStart || isAtEnd, `${id}: ${found[0]}`)
      }
})

test('each has an id of its own, a name and a class, and the engine takes them all', () => {
  const { rules } = ownRules()
  const engine = createEngine([ownRules()])
  assert.equal(new Set(rules.map(({ id }) => id)).size, rules.length)
  assert.equal(engine.rules.length, rules.length)
  assert.equal(engine.refused.size, 0)
  for (const { id, name, tags } of rules)
    assert.ok(id.startsWith('sp-') && name !== '' && tags.type !== '', id)
  engine.dispose()
})
