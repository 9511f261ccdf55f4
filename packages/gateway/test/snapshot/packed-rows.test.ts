import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PackedRows, type PackedRowsEdit } from '../../src/snapshot/packed-rows.ts'

const ROWS = 1_000
const rowOf = (number: number): Buffer => Buffer.from(`${number} ${'x'.repeat(100)}`)

function filled(edit: PackedRowsEdit): PackedRows {
  for (let number = 0; number < ROWS; number += 1) edit.add(rowOf(number))
  return edit.finish()
}

test('a changed copy shares all pages but those that changed', () => {
  const before = filled(PackedRows.empty.edit())
  const edit = before.edit()
  for (const row of [500, 3, 500]) edit.replace(row, rowOf(-row))
  const after = edit.finish()
  let shared = 0
  for (let row = 0; row < ROWS; row += 1) {
    if (after.pageOf(row) === before.pageOf(row)) shared += 1
    assert.deepEqual(before.get(row), rowOf(row))
    assert.deepEqual(after.get(row), row === 500 || row === 3 ? rowOf(-row) : rowOf(row))
  }
  assert.ok(shared < ROWS && shared > ROWS - 200, `${shared} rows lie in shared pages`)
})

test('changes all over the list, more than are held at once, are all there', () => {
  const many = 100_000
  const edit = PackedRows.empty.edit()
  for (let number = 0; number < many; number += 1) edit.add(Buffer.from(String(number)))
  const before = edit.finish()
  const next = before.edit()
  // A stride that has no factor in common with the length, so that every row comes, in no order.
  for (let index = 0, row = 0; index < many; index += 1, row = (row + 40_503) % many)
    next.replace(row, Buffer.from(`${row}'`))
  const after = next.finish()
  for (let row = 0; row < many; row += 1) {
    assert.equal(before.get(row).toString(), String(row))
    assert.equal(after.get(row).toString(), `${row}'`)
  }
})

test('a page keeps no memory but its own', () => {
  const rows = filled(PackedRows.empty.edit())
  for (let row = 0; row < ROWS; row += 1) {
    const page = rows.pageOf(row)
    assert.equal(page?.bytes.buffer.byteLength, page?.bytes.length)
  }
})
