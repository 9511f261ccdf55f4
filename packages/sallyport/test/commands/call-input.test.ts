import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATIONS, type OperationId, operations } from '@sallyport/contract'
import { readCallInput, usageOf } from '../../src/commands/call-input.ts'

const read = (id: OperationId, ...typed: string[]) => readCallInput(operations[id], typed)

test('values go where the operation has them', () => {
  assert.deepEqual(read('sitesList', 'state=active', 'search=a=b'), {
    params: {},
    query: { state: 'active', search: 'a=b' },
  })
  assert.deepEqual(read('sitesUpdate', 'x1', 'isActive:=true', 'instructions=true'), {
    params: { id: 'x1' },
    query: {},
    body: { isActive: true, instructions: 'true' },
  })
  assert.deepEqual(read('hackersRevokeKey', 'x1', 'x2').params, { id: 'x1', keyId: 'x2' })
  assert.deepEqual(read('sitesDisable', 'id=x1').params, { id: 'x1' })
  assert.deepEqual(read('sitesSetHackers', 'x1', 'ids=a', 'ids=b').body, { ids: ['a', 'b'] })
})

test('a whole body stands alone', () => {
  assert.deepEqual(readCallInput(operations.sitesCreate, [], { originName: 'o' }).body, { originName: 'o' })
  assert.throws(() => readCallInput(operations.sitesCreate, ['originName=o'], {}), /either --body or fields/)
})

test('what does not fit is refused in a sentence', () => {
  assert.throws(() => read('sitesGet'), /sitesGet needs id/)
  assert.throws(() => read('sitesGet', 'a', 'b'), /takes no more than <id>/)
  assert.throws(() => read('sitesCreate', 'orignName=o'), /has no orignName; it takes originName=/)
  assert.throws(() => read('sitesCreate', 'isActive:=yes'), /isActive:= is not JSON/)
})

test('every operation says what it takes', () => {
  for (const operation of OPERATIONS) assert.match(usageOf(operation), /./, operation.id)
})
