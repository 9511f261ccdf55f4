/** What ARCHITECTURE.md says of the tables, compared with the migrations and with the SQL. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'

const ROOT = resolve(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

const [, section = ''] = read('ARCHITECTURE.md').split(/^## Tables$/m)
const rows = (section.split(/^## /m)[0] ?? '').split('\n').flatMap((line) => {
  const [, tables, , sources] = line.startsWith('| `') ? line.split('|') : []
  const quoted = (cell = ''): string[] => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name)
  return tables === undefined ? [] : [{ tables: quoted(tables), sources: quoted(sources) }]
})

test('ARCHITECTURE.md names each table of PostgreSQL once, and no other', () => {
  const made = globSync('packages/control/src/database/migrations/*.sql', { cwd: ROOT }).flatMap((file) =>
    Array.from(read(file).matchAll(/^CREATE TABLE (\w+)/gm), ([, table = '']) => table),
  )
  assert.deepEqual(rows.flatMap(({ tables }) => tables).toSorted(), made.toSorted())
})

test('the files that are said to have the SQL of a table name it', () => {
  for (const { tables, sources } of rows) {
    assert.ok(sources.length > 0, tables.join())
    for (const source of sources)
      for (const table of tables)
        assert.match(read(`packages/control/src/${source}`), new RegExp(`\\b${table}\\b`), source)
  }
})
