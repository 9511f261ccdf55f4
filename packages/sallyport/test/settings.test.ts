import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SETTINGS } from '../src/settings.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/settings.md'), 'utf8')

test('docs/settings.md has a row for every setting, and for nothing else', () => {
  const rows = [...page.matchAll(/^\| +`([A-Z_]+)` +\| +`(\w+)` +\|/gm)].map(([, variable, key]) => [
    key,
    variable,
  ])
  const settings = Object.entries(SETTINGS).map(([key, { variable }]) => [key, variable])
  assert.deepEqual(rows.toSorted(), settings.toSorted())
})

test('the defaults in the table are those in the code', () => {
  for (const [, variable, shown] of page.matchAll(/^\| +`([A-Z_]+)` +\| +`\w+` +\| +`([^`<]+)` +\|/gm)) {
    const setting = Object.values(SETTINGS).find((candidate) => candidate.variable === variable)
    const value = setting?.schema.parse(undefined)
    if (value !== undefined) assert.equal(String(value), shown, variable)
  }
})
