import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'

const page = readFileSync(resolve(import.meta.dirname, '../../GLOSSARY.md'), 'utf8')
const rows = [...page.matchAll(/^\| \*\*(.+?)\*\* \| (.+?) \| (.*?) ?\|$/gm)]

test('every row of the glossary defines one term, in a sentence', () => {
  const lines = page.split('\n').filter((line) => line.startsWith('| **'))
  assert.ok(rows.length > 100)
  assert.equal(rows.length, lines.length)
  for (const [, term, meaning = ''] of rows) assert.match(meaning, /^[A-Z`].*\.$/, term)
})

test('no term is defined twice', () => {
  const terms = rows.map(([, term = '']) => term.toLowerCase())
  assert.deepEqual(
    terms.filter((term, index) => terms.indexOf(term) !== index),
    [],
  )
})
