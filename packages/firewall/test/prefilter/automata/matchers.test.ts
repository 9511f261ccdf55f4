/** An automaton matches where its expression does: compared with V8's expressions on texts of few letters, where matches are likely. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isLinear, repeat } from '../../../../../test/support/growth.ts'
import { ownRules } from '../../../src/index.ts'
import { compileBeginnings } from '../../../src/prefilter/automata/beginnings.ts'
import { compileNfa } from '../../../src/prefilter/automata/compile-nfa.ts'
import { createMatchers, type Matchers } from '../../../src/prefilter/automata/matchers.ts'
import { parseExpression } from '../../../src/prefilter/expressions/expression.ts'

function matchersOf(sources: readonly string[], transitionsMax = Number.POSITIVE_INFINITY): Matchers {
  const automata = new Map(
    sources.map((source, index) => {
      const nfa = compileNfa(parseExpression(source))
      assert.ok(nfa)
      return [index, nfa] as const
    }),
  )
  return createMatchers(automata, compileBeginnings(automata), transitionsMax)
}

function matcherOf(source: string, transitionsMax?: number) {
  const matchers = matchersOf([source], transitionsMax)
  return { mayMatch: (each: string): boolean => matchers.mayMatch(0, each) }
}

const letter = fc.constantFrom('a', 'b', ';', ' ', '[ab]', '[^;]', '\\w', '\\s', '[a\u00e9]', '[^a]', '\\d')
const { expression } = fc.letrec<{ expression: string; part: string }>((tie) => ({
  expression: fc.array(tie('part'), { maxLength: 5 }).map((parts) => parts.join('')),
  part: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: letter },
    { weight: 1, arbitrary: fc.constantFrom('^', '$', '\\b') },
    {
      weight: 2,
      arbitrary: fc
        .tuple(letter, fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{2,}', '{0,20}'))
        .map((both) => both.join('')),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tie('expression'), tie('expression'), fc.constantFrom('', '*', '+', '?'))
        .map(([one, other, times]) => `(?:${one}|${other})${times}`),
    },
  ),
}))
const text = fc
  .array(fc.constantFrom('a', 'b', 'A', ';', ' ', '1', '\u00e9', '\u{1f600}', '\n', 'ab;', 'a a'), {
    maxLength: 40,
  })
  .map((pieces) => pieces.join(''))

describe('an automaton', () => {
  test('matches wherever its expression does', () => {
    fc.assert(
      fc.property(expression, fc.array(text, { minLength: 1, maxLength: 6 }), (source, texts) => {
        const real = new RegExp(source, 'u')
        const matcher = matcherOf(source)
        for (const each of texts)
          if (real.test(each)) assert.ok(matcher.mayMatch(each), `${source} in ${JSON.stringify(each)}`)
      }),
      { numRuns: 3_000 },
    )
  })

  for (const [source, yes, no] of [
    [
      '\\bselect\\b[^;]*\\bfrom\\b',
      ['a select 1 from b', 'SELECT x\nfrom'],
      ['selected from', 'select; from', 'from select'],
    ],
    ['^[^\'"]{0,200}[\'"]\\s*(?:or|and)\\b', ["x' or", '"and '], ["don't or", "'ore", "it ' s or"]],
    [';\\s*(?:cat|ls|id)(?:\\s|$)', ['a;cat b', 'a; ls', ';;id'], ['a;cats', 'cat', 'a;l s']],
    ['^[^\\n]{0,4}$', ['', 'abcd', '\u{1f600}\u{1f600}\u{1f600}\u{1f600}'], ['a\nb', 'abcdefghi']],
    ['\\$\\([^)]+\\)', ['$(a)', 'x$($()'], ['$ (a)', '$(a', '$()']],
    ['(?m)^b$', ['a\nb'], ['a']],
  ] as const)
    test(`is as exact as ${source}`, () => {
      const matcher = matcherOf(source)
      for (const each of yes) assert.equal(matcher.mayMatch(each), true, each)
      for (const each of no) assert.equal(matcher.mayMatch(each), false, each)
    })

  test('finds what begins anywhere in a long text, in another letter case too, and behind other letters', () => {
    const matcher = matcherOf('\\bunion\\s+select\\b')
    for (const before of [
      'a '.repeat(3_000),
      'reunion unions; '.repeat(300),
      '\u{1f600}'.repeat(50),
      '\u00e9 union '.repeat(99),
    ]) {
      assert.equal(matcher.mayMatch(`${before}Union\tSELECT 1`), true)
      assert.equal(matcher.mayMatch(`${before}union selects`), false)
    }
  })

  test('may match where letters fold to others, and where no more may be made', () => {
    assert.equal(matcherOf('select').mayMatch('\u017felect'), true)
    assert.equal(matcherOf('^a*b$', 2).mayMatch('aaaa'), true)
    assert.equal(matcherOf('^a*b$').mayMatch('aaaa'), false)
  })

  test('is asked together with others as it is alone', () => {
    fc.assert(
      fc.property(
        fc.array(expression, { minLength: 1, maxLength: 70 }),
        fc.array(text, { minLength: 1, maxLength: 6 }),
        (sources, texts) => {
          const together = matchersOf(sources)
          const indices = [...sources.keys()]
          for (const each of texts)
            assert.deepEqual(
              [...together.thatMayMatch(indices, each)].sort((one, other) => one - other),
              indices.filter((index) => matcherOf(sources[index] ?? '').mayMatch(each)),
            )
        },
      ),
      { numRuns: 100 },
    )
  })

  test('says the same of a text however many were asked about before', () => {
    const sources = [';a', 'b\\s', '1;', 'ab;[^;]*;', 'a\\d']
    const together = matchersOf(sources)
    const texts = fc.sample(text, { numRuns: 600, seed: 1 })
    for (const each of texts)
      assert.deepEqual(
        [...together.thatMayMatch([...sources.keys()], each)].sort(),
        [...sources.keys()].filter((index) => matcherOf(sources[index] ?? '').mayMatch(each)),
      )
  })

  test('begins anew where its states are too many, and goes on', () => {
    const matcher = matcherOf('a[ab]{8}[ab]*;x')
    const random = fc.sample(fc.array(fc.constantFrom('a', 'b'), { minLength: 5_000, maxLength: 5_000 }), {
      numRuns: 1,
      seed: 1,
    })
    const many = random.flat().join('')
    assert.equal(matcher.mayMatch(`${many};y`), false)
    assert.equal(matcher.mayMatch(`${many};x`), true)
  })
})

const expressions = ownRules()
  .rules.flatMap(({ conditions }) => conditions)
  .flatMap(({ parameters: { regex } }) => (regex === undefined ? [] : [regex]))
const matchers = matchersOf(expressions)
const all = [...expressions.keys()]
isLinear('all automata of our own rules', (each) => matchers.thatMayMatch(all, each).length, {
  letters: repeat('a'),
  words: repeat('select or and '),
  quotes: repeat('\'"`'),
  separators: repeat('; | & $( {'),
  signs: repeat('<a b="c">'),
  escapes: repeat('%25\\u0041&#x41;'),
})
