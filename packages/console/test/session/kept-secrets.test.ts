import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'

const STORAGE_KEY = 'sallyport.kept-secrets'
const stored = new Map<string, string>()
// What a browser has, and Node does not unless it is told to.
Object.defineProperty(globalThis, 'sessionStorage', {
  configurable: true,
  value: {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  },
})
stored.set(STORAGE_KEY, 'not JSON')
mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1_000_000 })
const { forgetAllSecrets, forgetSecrets, keepAnsweredSecret, keepSecret, lostSecrets } = await import(
  '../../src/session/kept-secrets.ts'
)
const kept = (): string[] =>
  JSON.parse(stored.get(STORAGE_KEY) ?? '[]').map(({ value }: { value: string }) => value)

beforeEach(() => forgetAllSecrets())

test('a secret is kept until somebody says that it is stored', () => {
  const leave = keepSecret('Key', 'one')
  keepSecret('Key', 'one')()
  keepSecret('Invitation', 'two')
  assert.deepEqual(kept(), ['one', 'two'])
  leave()
  assert.deepEqual(kept(), ['one', 'two'], 'it is not on the page any more, and kept')
  forgetSecrets(['two'])
  assert.deepEqual(kept(), ['one'])
  forgetSecrets(['one'])
  assert.equal(stored.has(STORAGE_KEY), false, 'nothing is left of it')
})

test('one that was answered and is not shown soon counts as lost, one that is shown does not', () => {
  keepAnsweredSecret('Key', 'unseen')
  keepAnsweredSecret('Key', 'seen')
  keepSecret('Key', 'seen')
  assert.deepEqual(kept(), ['unseen', 'seen'], 'a reload would find both')
  assert.deepEqual(lostSecrets(), [])
  mock.timers.tick(5_000)
  assert.deepEqual(
    lostSecrets().map(({ value }) => value),
    ['unseen'],
  )
})

test('it is kept for a quarter of an hour, and no longer', () => {
  keepSecret('Key', 'early')()
  mock.timers.tick(600_000)
  keepSecret('Key', 'late')()
  mock.timers.tick(299_000)
  assert.deepEqual(kept(), ['early', 'late'])
  mock.timers.tick(1_002)
  assert.deepEqual(kept(), ['late'])
  mock.timers.tick(600_000)
  assert.equal(stored.has(STORAGE_KEY), false)
})

test('the end of the session is the end of them all, and no more than twenty are kept', () => {
  for (let index = 0; index < 25; index += 1) keepSecret('Key', `secret-${index}`)()
  assert.equal(kept().length, 20)
  assert.equal(kept()[0], 'secret-5')
  forgetAllSecrets()
  assert.equal(stored.has(STORAGE_KEY), false)
})
