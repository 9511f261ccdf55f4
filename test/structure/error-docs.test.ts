import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ERRORS } from '@sallyport/contract'

const page = readFileSync(join(import.meta.dirname, '../../docs/errors.md'), 'utf8')

test('docs/errors.md lists every error code with its status and sentence, and no other', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| (.+?) \| .+ \|$/gm)].map(
    ([, code, status, sentence]) => [code, { status: Number(status), sentence }],
  )
  assert.deepEqual(Object.fromEntries(rows), ERRORS)
})
