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

/** Files that import each other and are still to be taken apart, by the names of the files of a ring. */
const CYCLES = new Set([
  'changes.ts database.ts idempotency.ts shared-changes.ts',
  'connection.ts embedded-engine.ts literal-parameters.ts',
  'gateway-store.ts gateways.ts',
])

const TO_DIVIDE = 'still to be divided'

/** Folders of more than a dozen files, with why. */
const CROWDED: Readonly<Record<string, string>> = {
  'docs/decisions': 'one file a decision, by number',
  'docs/images': 'pictures of the console, by the name of their page',
  docs: 'one page a subject, listed by the index',
  bench: TO_DIVIDE,
  'bench/support': TO_DIVIDE,
  'test/browser': TO_DIVIDE,
  'test/support': TO_DIVIDE,
  'packages/control/src': TO_DIVIDE,
  'packages/control/src/analytics': TO_DIVIDE,
  'packages/control/src/analytics/queries': TO_DIVIDE,
  'packages/control/src/collector': TO_DIVIDE,
  'packages/control/src/features/sites': TO_DIVIDE,
  'packages/control/src/http': TO_DIVIDE,
  'packages/control/src/identity': TO_DIVIDE,
  'packages/control/test/analytics': TO_DIVIDE,
  'packages/control/test/api': TO_DIVIDE,
  'packages/control/test/identity': TO_DIVIDE,
}

/** Exported type names that still mean more than one thing. */
const REPEATED_NAMES = new Set(
  'ApiError Call FilterField LiveTail NewApiKey Page RecordedRequest SiteNames'.split(/\s+/),
)

/** Files of the control plane that hold SQL and are no store yet, by name. */
const SQL_ELSEWHERE = new Set([
  'analytics', // ClickHouse: the store of the traffic and what is asked of it.
  'audit-verification.ts',
  'control.ts',
  'hidden-site.ts',
  'installation-log.ts',
  'plans.ts',
  'rule-sets.ts',
  'reseal.ts',
  'retention.ts',
])

test('no files import each other in a ring', () => {
  assert.deepEqual(
    findImportCycles(ROOT).filter((cycle) => !CYCLES.has(cycle)),
    [],
  )
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
  const repeated = [...findRepeatedTypeNames(ROOT)].filter(([name]) => !REPEATED_NAMES.has(name))
  assert.deepEqual(repeated, [])
})

test('no SQL stands outside stores and database/', () => {
  const misplaced = findMisplacedSql(ROOT).filter((file) =>
    file.split('/').every((part) => !SQL_ELSEWHERE.has(part)),
  )
  assert.deepEqual(misplaced, [])
})

test('SQL is found in strings, not in comments', () => {
  assert.ok(holdsSql('tx.query(`SELECT id FROM sites`)'))
  assert.ok(holdsSql('tx.query(`\n  UPDATE sites SET name = $1`)'))
  assert.ok(!holdsSql('/** `SELECT id FROM sites` */ const update = "UPDATE the page"'))
})
