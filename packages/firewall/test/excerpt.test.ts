import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXCERPT_CHARS_MAX } from '@sallyport/contract'
import { excerptOf } from '../src/excerpt.ts'

test('hides the values of secret parameters', () => {
  for (const name of [
    'password',
    'user.passwd',
    'newPassword',
    'api_key',
    'access_token',
    'Authorization',
    'cvv',
  ])
    assert.equal(excerptOf(name, "' or 1=1"), '***')
  assert.equal(excerptOf('passenger', "' or 1=1"), "' or 1=1")
})

test('hides secrets inside of what matched', () => {
  const shown = (text: string) => excerptOf('q', text)
  assert.equal(shown("x' password=hunter22 --"), "x' password=*** --")
  assert.ok(!shown('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl').includes('c2lnb'))
  assert.equal(shown('card 4111 1111 1111 1111 or 1=1'), 'card *** or 1=1')
  assert.equal(shown('order 4111 1111 1111 1112'), 'order 4111 1111 1111 1112')
  assert.ok(!shown(`Bearer ${'k'.repeat(20)}`).includes('kkk'))
})

test('is bounded and well-formed', () => {
  assert.equal(excerptOf('q', 'a'.repeat(10_000)).length, EXCERPT_CHARS_MAX)
  assert.ok(excerptOf('q', '\ud800x').isWellFormed())
})
