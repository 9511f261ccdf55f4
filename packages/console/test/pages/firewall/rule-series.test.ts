import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ruleColours, ruleSeries } from '../../../src/pages/firewall/rule-series.ts'
import { attackColour, attackShade } from '../../../src/parts/attack/attack-colours.ts'

const rules = ['sql_injection', 'xss', 'sql_injection', 'own', 'other_own'].map((name, index) => ({
  rule: `rule-${index}`,
  class: name,
  counts: [index, 1],
}))

test('a rule has the colour of its class, in another shade where that was taken', () => {
  assert.deepEqual(
    [...ruleColours(rules).values()],
    [
      attackColour('sql_injection'),
      attackColour('xss'),
      attackShade('sql_injection', 1),
      attackColour('own'),
      attackShade('own', 1),
    ],
  )
})

test('the chart has the colours of the list, and the ninth rule and those behind it together', () => {
  const many = Array.from({ length: 10 }, (_, index) => ({
    rule: `r${index}`,
    class: 'xss',
    counts: [1, index],
  }))
  const series = ruleSeries(many)
  assert.equal(series.length, 9)
  assert.deepEqual(
    series.slice(0, 8).map(({ colour }) => colour),
    [...ruleColours(many).values()].slice(0, 8),
  )
  assert.deepEqual(series[8], { name: '2 more', colour: 'var(--attack-other)', values: [2, 17] })
})

test('a rule alone has the colour that it has among the others, however far down the list it is', () => {
  const many = Array.from({ length: 10 }, (_, index) => ({
    rule: `r${index}`,
    class: 'xss',
    counts: [1, index],
  }))
  const colour = ruleColours(many).get('r9')
  assert.deepEqual(ruleSeries(many, 'r9'), [{ name: 'r9', colour, values: [1, 9] }])
})
