import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'

const source = resolve(import.meta.dirname, '../../../../src')
const TABLES =
  /\b(?:FROM|JOIN)\s+(requests|(?:traffic|activity|rules|urls)_(?:ten_minutes|three_hours|minutes|hours|days))\b/

/** What migrates and copies tables asks them nothing for anybody. */
const WHOLE_TABLES = ['traffic-store/migrate.ts', 'backup/copy/']

test('no other file than the predicate reads a table of traffic', () => {
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && entry.name !== 'predicate.ts')
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !WHOLE_TABLES.some((part) => file.startsWith(join(source, part))))
  assert.ok(files.length > 30)
  assert.deepEqual(
    files.filter((file) => TABLES.test(readFileSync(file, 'utf8'))),
    [],
  )
})

test('the predicate itself binds the organization for every table', () => {
  const text = readFileSync(join(source, 'features/analytics/store/predicate.ts'), 'utf8').replaceAll(
    /\/\*\*.*?\*\//gs,
    '',
  )
  assert.equal(text.match(/FROM requests|FROM \$\{table\}|`requests WHERE/g)?.length, 4)
  // Two of them by themselves, and two by what rows of families are told apart by.
  assert.equal(text.match(/scopeConditions\(scope, /g)?.length, 3)
  assert.equal(text.match(/WHERE \$\{whereOf\(selection\)\}/g)?.length, 2)
})
