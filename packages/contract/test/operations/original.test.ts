/** `docs/compatibility.md`, which says which call of the original interface is which operation, against the contract. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import {
  OPERATIONS,
  originalProjectOperations,
  originalSiteOperations,
  originalTrafficOperations,
} from '../../src/index.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../../../docs/compatibility.md'), 'utf8')
const rows = [...page.matchAll(/^\| `(GET|POST|PUT) (\/api\/\S+)` \| `(\w+)` \|/gm)].map(
  ([, method = '', path = '', id = '']) => ({ method, path, id }),
)
const [, notOffered = ''] = page.split('## What is not offered')

test('each call that the page names is the operation that it names', () => {
  assert.ok(rows.length > 35)
  for (const { method, path, id } of rows) {
    const operation = OPERATIONS.find((one) => one.id === id)
    assert.ok(operation, id)
    assert.deepEqual([operation.method, operation.path.toLowerCase()], [method, path.toLowerCase()])
  }
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length)
})

test('each operation that is there for the original interface is on the page, and so are those of its specification', () => {
  const offered = new Set(rows.map(({ id }) => id))
  const own = [originalSiteOperations, originalProjectOperations, originalTrafficOperations].flatMap(
    Object.keys,
  )
  const specified = OPERATIONS.filter(({ extension }) => !extension).map(({ id }) => id)
  // It has one call for the profile; the specification has two.
  for (const id of [...own, ...specified]) assert.ok(offered.has(id) || id === 'accountGetProfileDetails', id)
})

test('what the page says is not offered is not', () => {
  const calls = [...notOffered.matchAll(/^\| `(GET|POST|PUT) (\/api\/\S+)` \|/gm)]
  for (const [, method, path = ''] of calls)
    assert.ok(
      !OPERATIONS.some((one) => one.method === method && one.path.toLowerCase() === path.toLowerCase()),
      path,
    )
})
