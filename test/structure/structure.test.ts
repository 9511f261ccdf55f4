/** What the folders, the imports and the names of the code may not be. Whatever is excused is named here, with the reason. */
import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import {
  cyclesOf,
  FOLDER_FILES_MAX,
  findCrowdedFolders,
  findImportCycles,
  findMisplacedSql,
  findRepeatedTypeNames,
  holdsSql,
} from '../../tools/structure.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Folders of more than a dozen files, with why. */
const CROWDED: Readonly<Record<string, string>> = {
  'docs/decisions': 'one file a decision, by number',
  'docs/images': 'pictures of the console, by the name of their page',
  docs: 'one page a subject, listed by the index',
  bench: 'one file a benchmark, by the name that bench/run.ts takes',
  'bench/support': 'one load or one program a file, for several benchmarks each',
  'test/browser': 'one journey or one attack a file',
  'test/support': 'one helper a file, listed in CONTRIBUTING.md',
  'packages/control/src/database/migrations': 'one file a migration, and none is ever edited',
  'packages/control/src/traffic-store/migrations': 'one file a migration, and none is ever edited',
}

test('no files import each other in a ring', () => {
  assert.deepEqual(findImportCycles(ROOT), [])
})

test('a ring is found, and only a ring', () => {
  const graph = new Map([
    ['a', ['b', 'd']],
    ['b', ['c']],
    ['c', ['a', 'd']],
    ['d', ['e']],
    ['e', []],
    ['f', ['f']],
  ])
  assert.deepEqual(cyclesOf(graph), [['a', 'b', 'c'], ['f']])
})

test(`no folder holds more than ${FOLDER_FILES_MAX} files`, () => {
  assert.deepEqual(
    findCrowdedFolders(ROOT).filter((folder) => !CROWDED[folder]),
    [],
  )
})

test('an exported type name has one meaning', () => {
  assert.deepEqual([...findRepeatedTypeNames(ROOT)], [])
})

test('no SQL stands outside stores and database/', () => {
  assert.deepEqual(findMisplacedSql(ROOT), [])
})

test('SQL is found in strings, not in comments', () => {
  assert.ok(holdsSql('tx.query(`SELECT id FROM sites`)'))
  assert.ok(holdsSql('tx.query(`\n  UPDATE sites SET name = $1`)'))
  assert.ok(!holdsSql('/** `SELECT id FROM sites` */ const update = "UPDATE the page"'))
})
