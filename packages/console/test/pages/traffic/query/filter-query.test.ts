import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OUTCOMES, writeFilterValue } from '@sallyport/contract'
import fc from 'fast-check'
import { FILTER_FIELDS } from '../../../../src/api/traffic/request-filters.ts'
import {
  parseQuery,
  printQuery,
  type QueryFilters,
  type Vocabulary,
} from '../../../../src/pages/traffic/query/filter-query.ts'
import { filterTokens } from '../../../../src/pages/traffic/query/filter-tokens.ts'

const SCRIPTS = '019d3f5b-44e0-7c19-a2f3-6e5d4c3b2a10'
const NAMES = new Map([
  [SCRIPTS, 'Scripts'],
  ['019d3f5b-44e0-7c19-a2f3-6e5d4c3b2a11', 'Mira "x" O\u202eneill'],
])
/** Two researchers by name; every other id stands for itself. */
const vocabulary: Vocabulary = {
  wordsOf: (field, value) => (field === 'hacker' && NAMES.get(value)) || value,
  valueOf: (field, words) => {
    if (field !== 'hacker' || words === '') return words
    for (const [id, name] of NAMES) if (name === words || id === words) return id
    return undefined
  },
}
const parse = (text: string) => parseQuery(text, vocabulary)
const print = (filters: QueryFilters) => printQuery(filters, vocabulary)

test('a text is read as filters, and filters are shown as that text', () => {
  const text = 'researcher:Scripts status:5xx path:/files'
  const filters = { hacker: [SCRIPTS], path: ['/files'], status: ['5xx'] }
  assert.deepEqual(parse(text), { filters, problems: [] })
  assert.equal(print(filters), text)
  assert.deepEqual(parse('-tool:sqlmap tool:"a b" one two').filters, {
    tool: ['!sqlmap', 'a b'],
    search: 'one two',
  })
  assert.deepEqual(parse('researcher:"" SCORE:.98 Status:5XX').filters, {
    hacker: [''],
    minScorePercent: ['98'],
    status: ['5xx'],
  })
  assert.equal(print({ search: 'http://x' }), '"http://x"')
  assert.equal(print({ search: "1' or 1=1 --" }), "1' or 1=1 --")
  assert.equal(print({ tool: ['\\!x'] }), 'tool:!x')
  assert.equal(print({ tool: ['a\u202eb\n'] }), 'tool:"a\\u{202e}b\\u{a}"')
})

test('what is wrong is said at its token, and the rest is read', () => {
  const text = 'status:9000 colour:red researcher:Nobody tool: path:"/a'
  const { filters, problems } = parse(text)
  assert.deepEqual(filters, {})
  assert.deepEqual(
    problems.map(({ from, to, words }) => [text.slice(from, to), words]),
    [
      ['status:9000', '"status" is a number such as 404, or a class such as 5xx.'],
      ['colour:red', 'There is no field "colour". In double quotes it is searched as words.'],
      ['researcher:Nobody', 'No researcher has this name alone.'],
      ['tool:', '"tool" has no value. None is written as "".'],
      ['path:"/a', 'A quotation ends with " and a space.'],
    ],
  )
  assert.deepEqual(problems[2]?.unknown, { field: 'hacker', words: 'Nobody' })
  for (const wrong of ['score:50', 'outcome:passed', 'severity:x', `tool:${'x'.repeat(256)}`, 'path:"/a"b'])
    assert.equal(parse(wrong).problems.length, 1, wrong)
  assert.equal(parse('x'.repeat(257)).problems.length, 1)
})

const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ unit: 'grapheme' }))
const VALUES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  hacker: fc.constantFrom('', ...NAMES.keys()),
  outcome: fc.constantFrom(...OUTCOMES),
  severity: fc.constantFrom('low', 'critical'),
  status: fc.constantFrom('0', '200', '404', '4xx', '5xx'),
  minScorePercent: fc.integer({ min: 0, max: 100 }).map(String),
  minScannerPercent: fc.integer({ min: 0, max: 100 }).map(String),
}
const filtersOf = fc
  .record(
    Object.fromEntries(
      FILTER_FIELDS.map((field) => [
        field,
        fc
          .uniqueArray(fc.record({ value: VALUES[field] ?? anyText, excludes: fc.boolean() }), {
            selector: ({ value }) => value,
            minLength: 1,
            maxLength: 3,
          })
          .map((values) => values.map(writeFilterValue)),
      ]),
    ),
    { requiredKeys: [], noNullPrototype: true },
  )
  .chain((fields) =>
    fc
      .option(fc.oneof(anyText, fc.constantFrom('a:b', '-x', '"', 'a  b', ' a')), { nil: '' })
      .map((search) => (search === '' ? fields : { ...fields, search })),
  )

test('what is printed is read back as the same, whatever the values hold', () => {
  fc.assert(
    fc.property(filtersOf, (filters) => {
      const text = print(filters)
      assert.deepEqual(parse(text), { filters, problems: [] })
      // A field of one line keeps it, and nothing in it turns the direction of the rest.
      assert.doesNotMatch(text, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    }),
    { numRuns: 500 },
  )
})

test('any text is read, in time that grows with its length, and its tokens cover it', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const tokens = filterTokens(text)
      let at = 0
      for (const { from, to } of tokens) {
        assert.equal(text.slice(at, from).trim(), '')
        assert.ok(to > from)
        at = to
      }
      assert.equal(text.slice(at).trim(), '')
      parse(text)
    }),
  )
  const start = performance.now()
  for (const piece of ['"', '\\', 'a:', '-', ' ', 'a"', '"\\', 'a', '\\u{'])
    parse(piece.repeat(100_000 / piece.length))
  assert.ok(performance.now() - start < 5_000)
})
