import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorWords, isFinalRefusal } from '../../src/api/error-words.ts'

const problem = (title: string, detail: string) => ({
  problem: { status: 404, title, detail, requestId: 'id' },
})

test('a sentence that the API says twice is shown once', () => {
  const said = 'There is no such thing in your organization.'
  assert.deepEqual(errorWords(problem(said, said)), { title: said, detail: '', requestId: 'id' })
  assert.equal(errorWords(problem(said, 'It was removed.')).detail, 'It was removed.')
})

test('a page whose code could not be loaded is not said to be a control plane that is away', () => {
  for (const said of [
    'Failed to fetch dynamically imported module: https://example.com/console/assets/page.js',
    'error loading dynamically imported module: https://example.com/console/assets/page.js',
    'Importing a module script failed.',
  ])
    assert.equal(errorWords(new TypeError(said)).title, 'This page could not be loaded')
  assert.equal(errorWords(new TypeError('Failed to fetch')).title, 'The control plane is not responding')
})

test('what is not there, or not for who asks, is not offered to be asked for again', () => {
  const answered = (status: number) => ({ problem: { status, title: 'No', detail: 'No', requestId: 'id' } })
  assert.deepEqual(
    [403, 404].map((status) => isFinalRefusal(answered(status))),
    [true, true],
  )
  assert.deepEqual(
    [401, 429, 500, 503].map((status) => isFinalRefusal(answered(status))),
    [false, false, false, false],
  )
  assert.equal(isFinalRefusal(new TypeError('Failed to fetch')), false)
})
