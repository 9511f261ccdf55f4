import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SCANNER_REASON_CHARS_MAX } from '@sallyport/contract'
import fc from 'fast-check'
import type { ClientFacts } from '../../src/behaviour/client-memory.ts'
import { scoreScanner } from '../../src/behaviour/scanner-score.ts'
import type { HeaderSign } from '../../src/headers/header-signs.ts'

const NOTHING: ClientFacts = {
  ...{ pagesPerMinute: 0, callsPerMinute: 0, payloadsPerMinute: 0, paths: 0, missedPaths: 0 },
  ...{ pages: 0, parts: 0, classes: 0, pauses: 0, pauseVariation: 1 },
}
const score = (facts: Partial<ClientFacts>, headerSigns: readonly HeaderSign[] = []) =>
  scoreScanner({ headerSigns, isBrowser: true, facts: { ...NOTHING, ...facts }, isRotating: false })

test('nothing points to nothing', () => {
  assert.deepEqual(score({}), { percent: 0, reason: '' })
  assert.deepEqual(score({ pages: 6, parts: 200, paths: 150, missedPaths: 5, pagesPerMinute: 6 }), {
    percent: 0,
    reason: '',
  })
})

test('no sign alone makes a scanner, and a few together do', () => {
  const alone: Partial<ClientFacts>[] = [
    { pagesPerMinute: 1_000 },
    { paths: 500, missedPaths: 500 },
    { payloadsPerMinute: 500 },
    { classes: 20 },
    { pauses: 500, pauseVariation: 0 },
    { callsPerMinute: 5_000 },
    { pages: 500 },
  ]
  for (const facts of alone) assert.ok(score(facts).percent <= 50, JSON.stringify(facts))
  const enumeration = { pagesPerMinute: 300, pages: 400, paths: 400, missedPaths: 380 }
  assert.ok(score(enumeration).percent >= 95)
  assert.equal(
    score(enumeration).reason,
    'more pages than people read, mostly what is not there, pages without their parts',
  )
})

test('a verdict is a percentage with a reason that fits the record, whatever the facts', () => {
  const count = fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 1_000_000 }))
  const facts = fc.record({
    ...{ pagesPerMinute: count, callsPerMinute: count, payloadsPerMinute: count, paths: count },
    ...{ missedPaths: count, pages: count, parts: count, classes: count, pauses: count },
    pauseVariation: fc.double({ min: 0, max: 50, noNaN: true }),
  })
  const signs = fc.subarray<HeaderSign>([
    ...(['incomplete', 'order', 'outdated', 'contradiction', 'http10', 'nameless'] as const),
  ])
  fc.assert(
    fc.property(facts, signs, fc.boolean(), fc.boolean(), (given, headerSigns, isBrowser, isRotating) => {
      const verdict = scoreScanner({ headerSigns, isBrowser, facts: given, isRotating })
      assert.ok(Number.isInteger(verdict.percent) && verdict.percent >= 0 && verdict.percent <= 100)
      assert.equal(verdict.percent === 0, verdict.reason === '')
      assert.ok(verdict.reason.length <= SCANNER_REASON_CHARS_MAX)
      const more = scoreScanner({
        ...{ headerSigns, isBrowser, isRotating },
        facts: { ...given, payloadsPerMinute: given.payloadsPerMinute + 10 },
      })
      assert.ok(more.percent >= verdict.percent)
    }),
  )
})
