import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { OPERATIONS, PERMISSIONS, roleAllows } from '@sallyport/contract'

const page = readFileSync(join(import.meta.dirname, '../../../docs/roles-and-permissions.md'), 'utf8')
/** Rows of the table, however wide its columns are. */
const rows = [
  ...page.matchAll(
    /^\| `(?<permission>[a-z]+:[a-z]+)` *\| (?<viewer>\w+) *\| (?<admin>\w+) *\| (?<owner>\w+) *\| \S/gm,
  ),
].map((match) => match.groups ?? {})

test('every permission is documented, once, with the roles that include it, and nothing else is', () => {
  const word = (is: boolean): string => (is ? 'yes' : 'no')
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    PERMISSIONS.map((permission) => ({
      permission,
      viewer: word(roleAllows('viewer', permission)),
      admin: word(roleAllows('admin', permission)),
      owner: word(roleAllows('owner', permission)),
    })),
  )
})

test('every permission is asked for by some operation', () => {
  const asked = new Set(OPERATIONS.map((operation) => operation.permission))
  assert.deepEqual(
    PERMISSIONS.filter((permission) => !asked.has(permission)),
    [],
  )
})
