/** That judging a path takes work in proportion to its length, whatever it is made of. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { blockRule } from '../../../../test/support/block-rule.ts'
import { assertCostRatio, filled } from '../../../../test/support/processor-time.ts'
import { BlockMatcher } from '../../src/index.ts'
import { percentDecodeToBytes } from '../../src/paths/percent-decoding.ts'
import { segmentsOf } from '../../src/paths/segments.ts'
import { cutTrailingSpaces, TRANSFORMS } from '../../src/paths/transforms.ts'

/** Paths that made some expression, or some library, go back over what it had seen. */
const SHAPES: Readonly<Record<string, (length: number) => string>> = {
  'dots before a name': (length) => `/sallyport${filled('.', length)}x;a\\b//%2541?..`,
  'spaces before a name': (length) => `/sallyport${filled(' ', length)}x;a\\b//%2541?..`,
  'escaped spaces': (length) => `/sallyport${filled('%20', length)}x;a\\b//%2541?..`,
  'dots and spaces': (length) => `/${filled('. ', length)}x%41`,
  'stream names before a line end': (length) => `/${filled('::$', length)}%0a`,
  colons: (length) => `/${filled(':', length)}%41`,
  'marks in the wrong order': (length) =>
    `/${filled('\xcd\x85', length / 2)}${filled('\xcc\x96', length / 2)}`,
  'dot segments': (length) => `${filled('/a/..', length)}%41`,
  parameters: (length) => `/${filled(';a/b', length)}%41`,
  escapes: (length) => `/${filled('%2541', length)}`,
  parentheses: (length) => `${filled('/(a(', length)}%41`,
}

const LENGTH = 4 * 1024
const TIMES = 8
/** Quadratic work would make it `TIMES`. */
const RATIO_MAX = TIMES / 2

for (const [name, shape] of Object.entries(SHAPES))
  test(`a path that is ${TIMES} times as long takes about as many times the work: ${name}`, () => {
    const rule = blockRule('r', '/.sallyport', { status: 404 })
    const matcher = new BlockMatcher([rule])
    const short = shape(LENGTH)
    const long = shape(LENGTH * TIMES)
    return assertCostRatio(
      () => {
        for (let index = 0; index < TIMES; index += 1) matcher.match(['GET'], short, 0)
      },
      () => matcher.match(['GET'], long, 0),
      RATIO_MAX,
    )
  })

const pathText = fc
  .array(fc.constantFrom('/', '.', ' ', 'a', 'B', '\u017f'), { maxLength: 40 })
  .map((units) => units.join(''))

test('trailing dots and spaces are cut as these expressions say', () => {
  fc.assert(
    fc.property(pathText, (text) => {
      assert.equal(cutTrailingSpaces(text), text.replace(/ +(?=\/|$)/g, ''))
      const segments = text
        .split('/')
        .filter((segment) => segment !== '')
        .map((segment) => (/^\.+$/.test(segment) ? segment : segment.replace(/[. ]+$/, '')))
      assert.deepEqual(
        segmentsOf(text),
        segments.map((segment) => segment.toUpperCase().toLowerCase()),
      )
    }),
  )
})

const escapedText = fc
  .array(fc.constantFrom('%', '%2f', '%2F', '%41', '%c3', '2', 'f', 'a', '/', '\u0441'), { maxLength: 40 })
  .map((units) => units.join(''))

test('escapes are undone and units truncated as these expressions say', () => {
  const step = (name: string) =>
    TRANSFORMS.find((transform) => transform.name === name)?.apply ?? assert.fail()
  const decode = (text: string, escapes: RegExp) =>
    text.replace(escapes, (whole) => String.fromCharCode(Number.parseInt(whole.slice(1), 16)))
  fc.assert(
    fc.property(escapedText, (text) => {
      assert.equal(percentDecodeToBytes(text), decode(text, /%[0-9a-f]{2}/gi))
      const kept = text.includes('%2f') || text.includes('%2F')
      assert.equal(step('decoded but for slashes')(text), kept ? decode(text, /%(?!2f)[0-9a-f]{2}/gi) : text)
      const bytes = Array.from(text, (unit) => String.fromCharCode(unit.charCodeAt(0) % 256))
      assert.equal(step('truncated to bytes')(text), bytes.join(''))
    }),
  )
})
