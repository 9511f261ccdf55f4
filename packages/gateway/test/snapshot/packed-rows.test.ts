import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PackedRows, type PackedRowsEdit } from '../../src/snapshot/packed-rows.ts'

const ROWS = 1_000
const rowOf = (number: number): Buffer => Buffer.from(`${number} ${'x'.repeat(100)}`)

function filled(edit: PackedRowsEdit): PackedRows {
  for (let number = 0; number < ROWS; number += 1) edit.add(rowOf(number))
  return edit.finish()
}

test('the same rows received again share their memory, all but the page of one that changed', () => {
  const first = filled(PackedRows.empty.edit())
  const again = filled(first.editAnew())
  const edit = first.edit()
  edit.replace(500, rowOf(-1))
  const changed = edit.finish()
  const anew = filled(changed.editAnew())
  let shared = 0
  for (let row = 0; row < ROWS; row += 1) {
    assert.equal(again.pageOf(row), first.pageOf(row))
    if (anew.pageOf(row) === changed.pageOf(row)) shared += 1
    assert.deepEqual(anew.get(row), rowOf(row))
  }
  assert.ok(shared < ROWS && shared > ROWS - 100, `${shared} rows lie in shared pages`)
  assert.deepEqual(changed.get(500), rowOf(-1))
})

test('a page keeps no memory but its own', () => {
  const rows = filled(PackedRows.empty.edit())
  for (let row = 0; row < ROWS; row += 1) {
    const page = rows.pageOf(row)
    assert.equal(page?.bytes.buffer.byteLength, page?.bytes.length)
  }
})
