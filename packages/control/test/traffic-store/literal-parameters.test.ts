import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { withLiterals } from '../../src/traffic-store/literal-parameters.ts'
import { openTemporaryStore, type TemporaryStore } from '../support/traffic.ts'

let temporary: TemporaryStore
before(async () => {
  temporary = await openTemporaryStore()
})
after(() => temporary.remove())

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom("'", '"', '\\', '{', '}', 'p0:String', ';', '--', '\0', '\n', '$&', 'é', '😀'),
  }),
)

test('the engine reads back every value as it was given', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, fc.array(anyText), fc.maxSafeInteger(), async (text, list, number) => {
      const rows = await temporary.store.query(
        'SELECT {p0:String} AS text, {p1:Array(String)} AS list, {p2:Int64} AS number, {p0:String} IN {p1:Array(String)} AS isIn',
        { p0: text, p1: list, p2: number },
      )
      assert.deepEqual(rows, [{ text, list, number, isIn: list.includes(text) ? 1 : 0 }])
    }),
    { numRuns: 60 },
  )
})

test('a value never becomes a placeholder, nor a pattern of what replaces one', () => {
  const parameters = { a: '{b:String} $1', b: 'x' }
  const hex = Buffer.from(parameters.a).toString('hex')
  assert.equal(
    withLiterals('SELECT {a:String}, {b:String}', parameters),
    `SELECT unhex('${hex}'), unhex('78')`,
  )
})

test('a value of another type than its placeholder is refused', () => {
  for (const [type, value] of [
    ['String', 7],
    ['String', undefined],
    ['Int64', '7'],
    ['Int64', 0.5],
    ['UInt64', Number.NaN],
    ['Array(String)', 'x'],
    ['Array(String)', [7]],
    ['Float64', 1],
  ] as const)
    assert.throws(() => withLiterals(`SELECT {a:${type}}`, { a: value }), TypeError, `${type} ${value}`)
})

test('a slow query with values does not hold up another', async () => {
  const { store } = temporary
  let isSlowDone = false
  const slow = store.query('SELECT sleep(2), {a:String}', { a: 'slow' }).then(() => {
    isSlowDone = true
  })
  assert.deepEqual(await store.query('SELECT {a:String} AS a', { a: 'quick' }), [{ a: 'quick' }])
  assert.equal(isSlowDone, false)
  await slow
})
