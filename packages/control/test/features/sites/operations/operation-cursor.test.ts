/** A cursor leads on behind its operation, however long its template is and whatever else comes or goes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CURSOR_CHARS_MAX } from '@sallyport/contract'
import {
  afterCursor,
  writeOperationCursor,
} from '../../../../src/features/sites/operations/operation-cursor.ts'
import { compareNames } from '../../../../src/features/sites/operations/site-api.ts'

const LONG = `/${'long\u{1f511}'.repeat(500)}`
const ALL = ['/', '/a', '/a/{id}', `${LONG}/a`, `${LONG}/b`, `${LONG}/c`, '/\u{fffd}', '/\ud83d']
  .flatMap((template) => ['GET', 'POST'].map((method) => ({ method, template })))
  .sort(compareNames)

test('a cursor leads to what comes after its operation, and fits where cursors are taken', () => {
  for (const [index, operation] of ALL.entries()) {
    const cursor = writeOperationCursor(operation)
    assert.ok(cursor.length <= CURSOR_CHARS_MAX)
    assert.deepEqual(afterCursor(ALL, cursor), ALL.slice(index + 1), operation.template.slice(0, 20))
  }
})

test('behind an operation that is gone the next ones come, and none is missed', () => {
  for (const [index, operation] of ALL.entries()) {
    const others = ALL.filter((one) => one !== operation)
    const following = afterCursor(others, writeOperationCursor(operation))
    assert.deepEqual(following.slice(-ALL.length + index + 1 || others.length), ALL.slice(index + 1))
    if (!operation.template.startsWith(LONG)) assert.deepEqual(following, ALL.slice(index + 1))
  }
})

test('what is no cursor is refused', () => {
  for (const cursor of [
    '',
    '17',
    'x',
    'W10',
    'eyJhIjoxfQ',
    'WzEsMl0',
    Buffer.from('["/a"]').toString('base64url'),
  ])
    assert.throws(() => afterCursor(ALL, cursor), { code: 'validation_failed' })
})
