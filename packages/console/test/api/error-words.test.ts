import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorWords } from '../../src/api/error-words.ts'

const problem = (title: string, detail: string) => ({
  problem: { status: 404, title, detail, requestId: 'id' },
})

test('a sentence that the API says twice is shown once', () => {
  const said = 'There is no such thing in your organization.'
  assert.deepEqual(errorWords(problem(said, said)), { title: said, detail: '', requestId: 'id' })
  assert.equal(errorWords(problem(said, 'It was removed.')).detail, 'It was removed.')
})
