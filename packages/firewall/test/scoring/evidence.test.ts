/** What rules that matched together amount to, at each level, and without those that a site excludes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, type RequestInspection, type Rule, type Weights } from '../../src/index.ts'
import { get, post } from '../support/requests.ts'

const rule = (id: string, type = 'sql_injection'): Rule => ({
  id,
  name: id,
  tags: { type, category: 'attack_attempt' },
  conditions: [
    {
      operator: 'match_regex',
      parameters: {
        inputs: [{ address: 'server.request.query' }, { address: 'server.request.body' }],
        regex: id,
      },
    },
  ],
})
/** Which two values may meet together. */
const ACROSS: Rule = {
  ...rule('foxtrot'),
  conditions: [...rule('foxtrot').conditions, ...rule('golf').conditions],
}
const RULES = [rule('alpha'), rule('bravo'), rule('charlie'), rule('delta', 'xss'), rule('echo'), ACROSS]
/** By their scores: alpha 0.27, with bravo 0.73, with charlie 0.95; delta 0.27; echo decides alone. */
const WEIGHTS: Weights = {
  version: 'test',
  rules: { alpha: 3, bravo: 2, charlie: 4, delta: 3 },
  inCode: {},
  inStrayLines: {},
  signs: { sql_injection: { 'keyword sequence': 1.5 }, xss: {} },
}
const engine = createEngine([{ version: '2.2', rules: RULES }], WEIGHTS)

async function inspected(target: string): Promise<RequestInspection> {
  const inspection = engine.inspect(get(target).head, { timeMs: 5_000, bodyBytesMax: 192 * 1024 })
  await inspection.headJudged
  return inspection
}
const rulesAt = (inspection: RequestInspection, ...args: Parameters<RequestInspection['hits']>): string =>
  inspection
    .hits(...args)
    .map(({ rule: id, parameter }) => `${parameter}:${id}`)
    .sort()
    .join(' ')

test('rules that match in one value add up, and a rule without a weight decides alone', async () => {
  const levels = async (value: string): Promise<string[]> => {
    const inspection = await inspected(`/?q=${value}`)
    return (['watch', 'balanced', 'strict'] as const).map((level) => rulesAt(inspection, level))
  }
  assert.deepEqual(await levels('alpha'), ['', '', 'q:alpha'])
  assert.deepEqual(await levels('bravo'), ['', '', ''])
  assert.deepEqual(await levels('alpha-bravo'), ['', 'q:alpha q:bravo', 'q:alpha q:bravo'])
  assert.deepEqual(await levels('alpha-charlie'), Array(3).fill('q:alpha q:charlie'))
  assert.deepEqual(await levels('echo'), Array(3).fill('q:echo'))
})

test('a hit says the score of its class, and what made it, the weightiest first', async () => {
  const hits = (await inspected('/?q=alpha-charlie&r=order+by+1+bravo-alpha&s=echo')).hits('balanced')
  assert.deepEqual(
    hits
      .map(({ rule: id, parameter, scorePercent, reason }) => [parameter, id, scorePercent, reason])
      .sort(([one = ''], [other = '']) => (one < other ? -1 : 1)),
    [
      ['q', 'alpha', 95, 'charlie, alpha'],
      ['q', 'charlie', 95, 'charlie, alpha'],
      ['r', 'alpha', 92, 'alpha, bravo, keyword sequence'],
      ['r', 'bravo', 92, 'alpha, bravo, keyword sequence'],
      ['s', 'echo', 98, 'echo'],
    ],
  )
  const [alone] = (await inspected('/?q=alpha-charlie')).hits('balanced', ({ rule: id }) => id !== 'charlie')
  assert.equal(alone, undefined)
  const [strict] = (await inspected('/?q=alpha-charlie')).hits('strict', ({ rule: id }) => id !== 'charlie')
  assert.deepEqual([strict?.scorePercent, strict?.reason], [26, 'alpha'])
})

test('what is in another value, or of another class, does not', async () => {
  assert.equal(rulesAt(await inspected('/?q=alpha&r=bravo'), 'balanced'), '')
  assert.equal(rulesAt(await inspected('/?q=alpha-delta'), 'balanced'), '')
})

test('a sign beside a rule counts for the classes that it speaks for, and for nothing alone', async () => {
  const sign = 'union%20select'
  assert.equal(rulesAt(await inspected(`/?q=alpha-${sign}`), 'balanced'), 'q:alpha')
  assert.equal(rulesAt(await inspected(`/?q=delta-${sign}`), 'balanced'), '')
  assert.equal((await inspected(`/?q=${sign}`)).evidence().length, 0)
})

test('a rule that does not count takes its weight with it', async () => {
  const inspection = await inspected('/?q=alpha-charlie&r=alpha-charlie')
  const without = (rule: string, parameter: string) =>
    rulesAt(inspection, 'balanced', (hit) => hit.rule !== rule || hit.parameter !== parameter)
  assert.equal(without('charlie', 'q'), 'r:alpha r:charlie')
  assert.equal(without('alpha', 'q'), 'q:charlie r:alpha r:charlie')
  assert.equal(
    rulesAt(inspection, 'watch', ({ rule }) => rule !== 'alpha'),
    '',
  )
})

test('any amount of evidence that reaches a lower level displaces none that reaches a higher one', async () => {
  const weak = Array.from({ length: 400 }, (_, index) => ({
    [`w${index}`]: 'alpha',
    [`v${index}`]: 'charlie',
  }))
  const request = post('application/json', JSON.stringify({ weak, last: 'alpha-charlie' }))
  const inspection = engine.inspect(request.head, { timeMs: 5_000, bodyBytesMax: 192 * 1024 })
  await inspection.inspectBody({ bytes: request.body, complete: true })
  assert.ok(inspection.hits('watch').length >= 2)
})

test('a rule that two values meet is blamed on one of those that the site counts, too', async () => {
  const limits = { timeMs: 5_000, bodyBytesMax: 192 * 1024 }
  const { head } = get('/?q=foxtrot&r=foxtrot&s=golf&t=foxtrot')
  const inspection = engine.inspect(head, limits, '', ({ parameter }) =>
    parameter === 'q' ? 'excluded' : 'refuses',
  )
  await inspection.headJudged
  assert.equal(rulesAt(inspection, 'balanced'), 'q:foxtrot r:foxtrot')
})

test('what is less outside code takes no place of what is more within it', async () => {
  const lines = 'const one = first();\nconst two = second();\nif (one) {\n  run(two);\n}\n'
  const body = Buffer.from(`q=${encodeURIComponent(`${lines}alpha`)}&q=alpha`)
  const request = post('application/x-www-form-urlencoded', body)
  const inspection = engine.inspect(request.head, { timeMs: 5_000, bodyBytesMax: 192 * 1024 })
  await inspection.inspectBody({ bytes: body, complete: true })
  assert.equal(rulesAt(inspection, 'balanced'), 'q:alpha')
})

test('the result is that of the level balanced', async () => {
  assert.deepEqual((await inspected('/?q=alpha')).result().hits, [])
  assert.equal((await inspected('/?q=alpha-bravo')).result().hits.length, 2)
})
