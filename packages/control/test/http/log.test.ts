import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeError } from '../../src/http/log.ts'

test('of an error and its causes, nothing is kept but what they are, say and where', () => {
  const parser = Object.assign(new Error('Parse Error'), {
    code: 'HPE_INVALID_METHOD',
    rawPacket: Buffer.from('authorization: Bearer secret'),
  })
  const outer = Object.assign(new TypeError('outer', { cause: parser }), { detail: 'row (secret)' })
  const { cause, stack, ...described } = describeError(outer)
  assert.deepEqual(described, { type: 'TypeError', message: 'outer' })
  assert.match(stack ?? '', /log\.test/)
  assert.deepEqual(
    { type: cause?.type, message: cause?.message, code: cause?.code },
    { type: 'Error', message: 'Parse Error', code: 'HPE_INVALID_METHOD' },
  )
  assert.doesNotMatch(JSON.stringify(describeError(outer)), /secret|115,101,99,114,101,116/)
})

test('what is thrown and is no error, and causes that go round, are described too', () => {
  assert.deepEqual(describeError('words'), { type: 'string', message: 'words' })
  const error = new Error('round')
  error.cause = error
  assert.match(JSON.stringify(describeError(error)), /round/)
})
