import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  complete,
  completionAt,
  matchingNames,
} from '../../../../src/pages/traffic/query/query-completion.ts'

/** The place where `|` stands in a text. */
const at = (marked: string) => completionAt(marked.replace('|', ''), marked.indexOf('|'))

test('names are completed where a term begins, values behind a name', () => {
  assert.deepEqual(at('|'), { kind: 'name', from: 0, to: 0, typed: '' })
  assert.deepEqual(at('-st|'), { kind: 'name', from: 1, to: 3, typed: 'st' })
  assert.deepEqual(at('tool:x st|a'), { kind: 'name', from: 7, to: 10, typed: 'st' })
  assert.deepEqual(at('tool:sq|lmap x'), { kind: 'value', field: 'tool', from: 5, to: 11, typed: 'sq' })
  assert.deepEqual(at('-Researcher:"Mi|'), { kind: 'value', field: 'hacker', from: 12, to: 15, typed: 'Mi' })
  assert.equal(at('colour:|'), null)
  assert.equal(at('"quoted |words"'), null)
})

test('a choice takes the place of what was typed', () => {
  const name = at('x st| y')
  assert.ok(name)
  assert.deepEqual(complete('x st y', name, 'status:'), { text: 'x status: y', cursor: 9 })
  const value = at('tool:sq|')
  assert.ok(value)
  assert.deepEqual(complete('tool:sq', value, 'sqlmap'), { text: 'tool:sqlmap ', cursor: 12 })
})

test('names that begin with what is typed come first', () => {
  assert.deepEqual(matchingNames('s').slice(0, 4), ['site', 'status', 'scannerReason', 'severity'])
  assert.deepEqual(matchingNames('zz'), [])
})
