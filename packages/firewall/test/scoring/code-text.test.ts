/** What is known as code, and what rules that matched in it count: less than elsewhere, however long prose around an attack is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createEngine,
  maintainedRules,
  ownRules,
  type RequestInspection,
  type Weights,
} from '../../src/index.ts'
import { isCode, strayLinesOf } from '../../src/scoring/code-text.ts'
import { ATTACKS, HARMLESS } from '../support/disguises/attacks.ts'
import { documentParagraphs } from '../support/documents.ts'
import { post } from '../support/requests.ts'

const CODE: Readonly<Record<string, string>> = {
  JavaScript:
    'function total(items) {\n  let sum = 0\n  for (const item of items) {\n    sum += item.price\n  }\n}',
  Python:
    'def total(items):\n    """Adds them."""\n    sum = 0\n    for item in items:\n        sum += item.price\n    return sum',
  PHP: '<?php\n/**\n * Adds them.\n */\nfunction total($items) {\n  return array_sum($items);\n}',
  SQL: 'CREATE TABLE basket (\n  id int,\n  price int\n);\nINSERT INTO basket\nSELECT id, price FROM items;',
  shell: '#!/bin/sh\nif [ -f "$1" ]; then\n  rm "$1"\nfi\ndone() {\n  exit 0;\n}',
  HTML: '<ul>\n  <li>one</li>\n  <li>two</li>\n  <li>three</li>\n</ul>',
}
const PROSE =
  'The river was high that spring, and nobody in the village remembered a year like it.\nNote: we took the long way.\n'

test('code of several languages is known by five of its lines', () => {
  for (const [language, text] of Object.entries(CODE)) {
    assert.equal(isCode(text), true, language)
    assert.equal(isCode(text.split('\n').slice(0, 4).join('\n')), false, language)
  }
})

test('prose is not code, with an attack in its middle neither', () => {
  const paragraphs = documentParagraphs().filter((text) => !/[`<{}|]|^ {2}|^\s*[-*#]/m.test(text))
  assert.ok(paragraphs.length > 500)
  assert.ok(paragraphs.filter(isCode).length * 100 <= paragraphs.length)
  for (const { text } of ATTACKS)
    assert.equal(isCode(`${PROSE.repeat(12)}${text}\n${PROSE.repeat(12)}`), false, text)
})

test('long lines cost no more than their length, and are no code', () => {
  for (const line of ['a'.repeat(100_000), `${' '.repeat(50_000)}=`, 'a = '.repeat(30_000)])
    assert.equal(isCode(`${line}\n`.repeat(6)), false)
})

test('a line that begins as no other does is stray, and one of the program is not', () => {
  const [before, behind] = [`${CODE.JavaScript}\n`, `\n${CODE.JavaScript}`]
  for (const text of [
    "' or 1=1-- -",
    '<script>alert(1)</script>',
    '../../etc/passwd',
    "admin' or '1'='1",
    ';id',
    '{{7*7}}',
  ])
    assert.deepEqual(strayLinesOf(`${before}${text}${behind}`), [text], text)
  for (const text of [
    '<?php',
    '#!/usr/bin/env node',
    '  sum -= 1',
    'total(basket);',
    'const shop = new Shop()',
    '}',
    '',
  ])
    assert.deepEqual(strayLinesOf(`${before}${text}${behind}`), [], text)
})

test('stray lines are told in time linear in the text', () => {
  for (const unit of ['a\n', "'", '; \n', ' \n', 'a'.repeat(99)]) {
    const begun = process.cpuUsage().user
    strayLinesOf(unit.repeat(Math.ceil(400_000 / unit.length)))
    assert.ok(process.cpuUsage().user - begun < 2_000_000, JSON.stringify(unit))
  }
})

const rule = (id: string) => ({
  id,
  name: id,
  tags: { type: 'sql_injection', category: 'attack_attempt' },
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
const WEIGHTS: Weights = {
  version: 'test',
  rules: { weak: 3 },
  inCode: { common: 1, weak: 2, rare: 1 },
  inStrayLines: { common: 1 },
  signs: {},
}
const rules = createEngine([maintainedRules(), ownRules()])
const engine = createEngine(
  [{ version: '2.2', rules: ['common', 'weak', 'other', 'rare'].map(rule) }],
  WEIGHTS,
)

async function rulesIn(value: unknown, type = 'application/json'): Promise<string[]> {
  const request = post(type, typeof value === 'string' ? value : JSON.stringify(value))
  const inspection: RequestInspection = engine.inspect(request.head)
  await inspection.inspectBody({ bytes: request.body, complete: true })
  return inspection.result().hits.map((hit) => hit.rule)
}

test('in code a rule counts what it was found to be worth there, and one that was not, decides', async () => {
  const text = CODE.JavaScript ?? ''
  assert.deepEqual(await rulesIn({ text: 'common' }), ['common'])
  assert.deepEqual(await rulesIn({ text: `${text}\ncommon` }), [])
  assert.deepEqual(await rulesIn({ text: `${text}\nother` }), ['other'])
  assert.deepEqual((await rulesIn({ text: `${text}\nother common` })).sort(), ['common', 'other'])
})

test('in a stray line a rule counts what it does in a text, or less where that was found', async () => {
  const text = CODE.JavaScript ?? ''
  const between = (line: string): string => `${text}\n${line}\n${text}`
  assert.deepEqual(await rulesIn({ text: between("' rare") }), ['rare'])
  // Weak in any text.
  assert.deepEqual(await rulesIn({ text: between("' weak") }), [])
  assert.deepEqual(await rulesIn({ text: between("' common") }), [])
  // The same line where others are like it.
  assert.deepEqual(await rulesIn({ text: between("' rare\n' and\n' more") }), [])
  // What stands first in the code hides nothing behind it.
  assert.deepEqual(await rulesIn({ text: between("let a = 'rare';\n' rare") }), ['rare'])
  // It is remembered neither way.
  for (let time = 0; time < 3; time++) assert.deepEqual(await rulesIn({ text: between("' rare") }), ['rare'])
})

test('in base64 within code it is judged by itself', async () => {
  const hidden = Buffer.from('something common is said here').toString('base64')
  assert.deepEqual(await rulesIn({ text: `${CODE.JavaScript}\nconst text = "${hidden}";` }), ['common'])
})

test('values that are judged together, a line each, are no code', async () => {
  const many = Array.from({ length: 300 }, (_, index) => `let a${index} = ${index};`)
  assert.deepEqual(await rulesIn([...many, 'common']), ['common'])
})

test('of forty attacks 95 % are found on a line between lines of code of each language, and none of forty harmless texts', async () => {
  const isFound = async (text: string): Promise<boolean> => {
    const request = post('application/json', JSON.stringify({ text }))
    const inspection = rules.inspect(request.head, { timeMs: 5_000, bodyBytesMax: 192 * 1024 })
    await inspection.inspectBody({ bytes: request.body, complete: true })
    return inspection.result().hits.length > 0
  }
  // Markup between lines of markup is a part of it.
  for (const [language, code] of Object.entries(CODE).filter(([name]) => name !== 'HTML')) {
    const lines = code.split('\n')
    const between = (text: string): string => [...lines, text, ...lines].join('\n')
    const missed: string[] = []
    for (const { text } of ATTACKS) if (!(await isFound(between(text)))) missed.push(text)
    assert.ok(missed.length <= 0.05 * ATTACKS.length, `${language}: ${missed.join('\n')}`)
    for (const text of HARMLESS) assert.equal(await isFound(between(text)), false, `${language}: ${text}`)
  }
})

test('of forty attacks 95 % are found between paragraphs of prose, whatever else a document holds', async () => {
  let found = 0
  for (const { text } of ATTACKS) {
    const request = post(
      'application/json',
      JSON.stringify({ text: `${PROSE.repeat(12)}\n${text}\n${PROSE.repeat(12)}` }),
    )
    const inspection = rules.inspect(request.head, { timeMs: 5_000, bodyBytesMax: 192 * 1024 })
    await inspection.inspectBody({ bytes: request.body, complete: true })
    if (inspection.result().hits.length > 0) found++
  }
  assert.ok(found >= 0.95 * ATTACKS.length, `${found}`)
})
