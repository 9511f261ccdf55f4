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
import { isCode } from '../../src/scoring/code-text.ts'
import { ATTACKS } from '../support/disguises/attacks.ts'
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
const WEIGHTS: Weights = { version: 'test', rules: { weak: 3 }, inCode: { common: 1, weak: 2 }, signs: {} }
const engine = createEngine([{ version: '2.2', rules: ['common', 'weak', 'other'].map(rule) }], WEIGHTS)

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

test('in base64 within code it is judged by itself', async () => {
  const hidden = Buffer.from('something common is said here').toString('base64')
  assert.deepEqual(await rulesIn({ text: `${CODE.JavaScript}\nconst text = "${hidden}";` }), ['common'])
})

test('values that are judged together, a line each, are no code', async () => {
  const many = Array.from({ length: 300 }, (_, index) => `let a${index} = ${index};`)
  assert.deepEqual(await rulesIn([...many, 'common']), ['common'])
})

test('of forty attacks 95 % are found between paragraphs of prose, whatever else a document holds', async () => {
  const rules = createEngine([maintainedRules(), ownRules()])
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
  rules.dispose()
  assert.ok(found >= 0.95 * ATTACKS.length, `${found}`)
})
