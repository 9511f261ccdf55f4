import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { blockRule } from '../../../../test/support/block-rule.ts'
import { BlockMatcher } from '../../src/index.ts'

const PAGE = join(import.meta.dirname, '../../../../docs/block-rules.md')
const ROW = /^\| `(?<target>[^`]+)` \| (?<reading>[^|]+) \|$/
/** Rows of the table of readings, which has its targets with the rule's path in them. */
const rows = readFileSync(PAGE, 'utf8')
  .split('\n')
  .flatMap((line) => {
    const { target = '', reading = '' } = ROW.exec(line)?.groups ?? {}
    return /secret/i.test(target) ? [{ target, reading }] : []
  })

test('each reading of the block rules page is what the record shows', () => {
  assert.ok(rows.length > 20)
  const rule = blockRule('r', '/admin/secret')
  const matcher = new BlockMatcher([rule])
  for (const { target, reading } of rows)
    assert.equal(matcher.match(['GET'], target, 0)?.reading, reading, target)
})
