import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RowBlocks } from '../../src/snapshot/row-blocks.ts'

const ROWS = 1_000
const rowOf = (number: number): Buffer => Buffer.from(`${number} ${'x'.repeat(1_000)}`)

function filled(rows = RowBlocks.empty(), first = 0): { rows: RowBlocks; positions: number[] } {
  const positions = Array.from({ length: ROWS }, (_, index) => rows.append(rowOf(first + index)))
  return { rows, positions }
}

test('a changed copy shares the memory of all rows, and both have their own', () => {
  const { rows: before, positions } = filled()
  const after = before.copy()
  const added = after.append(rowOf(-1))
  for (const [index, position] of positions.entries()) {
    assert.deepEqual(before.get(position), rowOf(index))
    assert.equal(after.get(position).buffer, before.get(position).buffer)
  }
  assert.deepEqual(after.get(added), rowOf(-1))
  assert.ok(!positions.includes(added))
})

test('what was written for a copy that was given up is never met again', () => {
  const { rows, positions } = filled()
  const givenUp = filled(rows.copy(), ROWS)
  const after = filled(rows.copy(), 2 * ROWS)
  assert.equal(new Set([...positions, ...givenUp.positions, ...after.positions]).size, 3 * ROWS)
  for (const [index, position] of after.positions.entries())
    assert.deepEqual(after.rows.get(position), rowOf(2 * ROWS + index))
})

test('a block of which little is in use is freed, and an older version keeps it', () => {
  const { rows: before, positions } = filled()
  assert.deepEqual(before.sparseBlocks(), [])
  const after = before.copy()
  for (const position of positions.slice(0, ROWS / 2)) after.release(position)
  const sparse = after.sparseBlocks()
  assert.ok(sparse.length > 0)
  const given = new Set(sparse.flatMap((block) => [...before.positionsIn(block)]))
  for (const block of sparse) after.free(block)
  for (const [index, position] of positions.entries()) {
    assert.deepEqual(before.get(position), rowOf(index))
    assert.deepEqual(after.get(position), given.has(position) ? Buffer.alloc(0) : rowOf(index))
  }
})

test('a row larger than a block has one of its own, and rows keep no memory but that of blocks', () => {
  const rows = RowBlocks.empty()
  const large = Buffer.alloc(1_000_000, 'x')
  const [first, second, third] = [rows.append(rowOf(1)), rows.append(large), rows.append(rowOf(2))]
  assert.deepEqual(rows.get(first), rowOf(1))
  assert.deepEqual(rows.get(second), large)
  assert.deepEqual(rows.get(third), rowOf(2))
  assert.equal(rows.get(second).buffer.byteLength, large.length + 1)
  for (const position of [first, third]) assert.equal(rows.get(position).buffer.byteLength, 256 * 1024)
})
