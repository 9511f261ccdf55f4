import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { NOTIFICATION_FIELDS, NOTIFICATION_TYPE_NAMES } from '../src/notification-types.ts'

test('docs/notifications.md lists every type with its data, and no other', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../docs/notifications.md'), 'utf8')
  const rows = Array.from(page.matchAll(/^\| `([a-z_.]+)` \| .* \| (.*) \|$/gm), ([, type, fields = '']) => [
    type,
    Array.from(fields.matchAll(/`(\w+)`/g), ([, field]) => field),
  ])
  assert.deepEqual(
    rows,
    NOTIFICATION_TYPE_NAMES.map((type) => [type, [...NOTIFICATION_FIELDS[type]]]),
  )
})
