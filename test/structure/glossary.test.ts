import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { test } from 'node:test'

const ROOT = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(ROOT, 'GLOSSARY.md'), 'utf8')
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

/** Words that were given up for one of the glossary, as they may stand in a name: whole, or as a part in camel case. */
const GIVEN_UP: Readonly<Record<string, string>> = {
  door: 'data plane',
  bell: 'revision notifier',
  intake: 'ingest',
  occupant: 'eviction',
  setAside: 'quarantined',
  soundRequest: 'valid',
}

/** Type names that were given up; as words they have other uses. */
const TYPES_GIVEN_UP: Readonly<Record<string, string>> = {
  Reading: 'path interpretation, decoded variant, parsed request',
  Places: 'connection limiter',
  Claim: 'eviction',
  Shares: 'connection quotas',
  Slots: 'semaphore',
}

const withoutText = (source: string): string =>
  source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, ' ')

test('words that were given up stand in no name of the code', () => {
  const found: string[] = []
  for (const file of globSync('packages/*/src/**/*.{ts,tsx}', { cwd: ROOT })) {
    const code = withoutText(readFileSync(join(ROOT, file), 'utf8'))
    const names = `${code} ${basename(file).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}`
    for (const [word, term] of Object.entries(GIVEN_UP)) {
      const capital = word.charAt(0).toUpperCase() + word.slice(1)
      const name = new RegExp(
        `\\b(${word}s?(?![a-z])\\w*|\\w*(?:(?<=[a-z_])${capital}|\\b${capital})s?(?![a-z])\\w*)`,
      )
      const match = name.exec(names)?.[0]
      if (match) found.push(`${file}: ${match} is ${term}`)
    }
    for (const [type, term] of Object.entries(TYPES_GIVEN_UP))
      if (new RegExp(`\\b(?:class|interface|type) ${type}\\b`).test(code))
        found.push(`${file}: ${type} is ${term}`)
  }
  assert.deepEqual(found, [])
})
