import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { rateLimitPolicy } from '@sallyport/contract'
import fc from 'fast-check'
import { createLimiter, LIMITER_KINDS, LIMITER_WORDS, limiterKindOf, limiterWords } from '../../src/index.ts'

/** What all kinds share. */
const SHARED = ['decide', 'limiter-kind', 'quantity-words', 'registry', 'words']
const EPOCH = 1_790_000_000_000
/** What any kind may ask for; the schema of a kind takes what is its own. */
const VALUES = { limit: 3, windowMs: 60_000, segments: 4, refill: 2 }

const schemas = rateLimitPolicy.shape.site.options
const names = schemas.map((schema) => schema.shape.kind.value).toSorted()
const examples = names.map((kind) => rateLimitPolicy.shape.site.parse({ kind, ...VALUES }))

test('a kind of the contract has a file, what counts, and its words, and nothing else has', () => {
  const files = readdirSync(new URL('../../src/limiters', import.meta.url)).map((file) => file.slice(0, -3))
  assert.deepEqual(files.filter((file) => !SHARED.includes(file)).toSorted(), names)
  assert.deepEqual(Object.keys(LIMITER_KINDS).toSorted(), names)
  assert.deepEqual(Object.keys(LIMITER_WORDS).toSorted(), names)
})

for (const settings of examples) {
  const kind = limiterKindOf(settings)

  test(`${settings.kind}: gives its limit, and then no more until some is back`, () => {
    const limiter = createLimiter(settings)
    assert.ok(limiter.isFresh(EPOCH))
    assert.deepEqual(limiter.peek(EPOCH), { allowed: true, remaining: 3, resetMs: 0 })
    for (const remaining of [2, 1, 0]) {
      limiter.acquire(EPOCH)
      assert.equal(limiter.peek(EPOCH).remaining, remaining)
    }
    const { allowed, resetMs } = limiter.peek(EPOCH)
    assert.ok(!allowed && resetMs > 0)
    if (kind.holdsPermits) limiter.release?.()
    assert.ok(limiter.peek(kind.holdsPermits ? EPOCH : Math.ceil(EPOCH + resetMs)).allowed)
  })

  test(`${settings.kind}: says the same of itself to Valkey, to headers and to people`, () => {
    assert.match(kind.script, /^function\(key, limit, \w+(?:, \w+)?\)\n/)
    for (const field of ['allowed', 'remaining', 'reset', 'acquire'])
      assert.match(kind.script, new RegExp(`\\b${field} = `))
    assert.ok(Number.isSafeInteger(kind.scriptNumber(settings)))
    assert.equal(kind.windowMs(settings), 'windowMs' in settings ? settings.windowMs : null)
    assert.equal(kind.quotaWindowMs(settings) === null, kind.windowMs(settings) === null)
    assert.match(limiterWords(settings), /\b3 requests\b/)
    assert.notEqual(LIMITER_WORDS[settings.kind].comesBack, '')
  })
}

for (const settings of examples)
  test(`${settings.kind}: another limiter goes on from what one has saved`, () => {
    const length = limiterKindOf(settings).stateLength(settings)
    const [one, other] = [createLimiter(settings), createLimiter(settings)]
    const numbers = new Float64Array(length)
    for (const now of [EPOCH, EPOCH + 10, EPOCH + 20_000, EPOCH + 40_000, EPOCH + 200_000]) {
      if (one.peek(now).allowed) one.acquire(now)
      one.save(numbers)
      other.restore(numbers)
      assert.deepEqual(other.peek(now + 1), one.peek(now + 1))
      assert.equal(other.isFresh(now + 1), one.isFresh(now + 1))
    }
    assert.ok(one.isFresh(EPOCH + 900_000) || limiterKindOf(settings).holdsPermits)
  })

for (const settings of examples)
  test(`${settings.kind}: equal parts are together never more than the whole, but for one request each at least`, () => {
    const kind = limiterKindOf(settings)
    const parts = kind.partOf({ ...settings, limit: 10 }, 3)
    assert.equal(parts.limit, 3)
    assert.equal(kind.partOf({ ...settings, limit: 2 }, 5).limit, 1)
    const one = createLimiter(kind.partOf({ ...settings, limit: 1 }, 4))
    one.acquire(EPOCH)
    assert.equal(one.peek(EPOCH).allowed, false)
  })

for (const settings of examples)
  test(`${settings.kind}: what is said to be surely left is never more than what is left`, () => {
    if (limiterKindOf(settings).holdsPermits) return
    const gaps = fc.array(fc.integer({ min: 0, max: 50_000 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(gaps, fc.integer({ min: 0, max: 200_000 }), (steps, elapsedMs) => {
        const limiter = createLimiter(settings)
        let now = EPOCH
        for (const step of steps) {
          now += step
          if (limiter.peek(now).allowed) limiter.acquire(now)
        }
        const known = limiter.peek(now)
        const surely = limiterKindOf(settings).remainingAfter(settings, known, elapsedMs)
        assert.ok(surely <= limiter.peek(now + elapsedMs).remaining)
      }),
    )
  })
