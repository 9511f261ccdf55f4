/**
 * Whether a target may fall under a rule is decided without working out its interpretations. Here they are worked out, all of
 * them, and whatever one of them lies under must have been found.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { PATH_CONVENTIONS, type PathConvention } from '@sallyport/contract'
import { blockRule } from '../../../../test/support/block-rule.ts'
import { BlockMatcher } from '../../src/index.ts'
import { stepsOf } from '../../src/paths/path-conventions.ts'
import { closure } from '../../src/paths/path-interpretations.ts'
import { reachablePrefixes } from '../../src/paths/prefix-search.ts'
import { PrefixTree } from '../../src/paths/prefix-tree.ts'
import { segmentsOf } from '../../src/paths/segments.ts'
import { TRANSFORMS, type Transform } from '../../src/paths/transforms.ts'
import { randomOf, spellPath } from './path-spellings.ts'

const RUN_MS = 4_000
/** Of the interpretations of one target. */
const SAMPLE = 10

/** The texts that some steps make of a text, in every order: the meaning of path interpretations. */
const interpretationsOf = (text: string, steps: readonly Transform[]): readonly string[] => [
  ...new Set(closure(text, steps).list.map((interpretation) => interpretation.text)),
]

type Random = () => number
const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item

/** What servers take apart in different ways, and pieces of it. */
const PIECES =
  '/ / / / a b admin x o s . .. ... /../ /./ // \\ ; ? # %20 %00 %09 % %25 %2 2f 2e 41 c0 af u u002f %u00 %uff0f %ud835%udc1a %2f %5c %2e %252f %25%32%66 %c0 %c1 %c0%af %c1%a1 %e0%80%af %f0%80%80%af %e4 %b8 %ad %ff : :$ ::$i30:$x http: //h (S(x)) /(S(x)) ( .json .php /index.php/ /_next/data/b + = 1 \x01 \xe9 \xc1 \xcc\x81 /..;/ /x/.. %3b %3f %23 %c1%25 %25c1 %25e4%25b8%25ad'.split(
    ' ',
  )
/** Letters whose forms, marks or low bytes become others. */
const LETTERS =
  '\u4e2d\u6587\u54c1\u2f2f\u252f\u2e2e\u4ec1\u0301\u0323\u030c\u0338\uff0f\uff41\uff0e\u2025\u2026\xbc\xb4\xaa\xe9\u1100\u1161\u11a8\u{1d41a}\u017f\u0131\u0130\ufb01\u0361\u0364\u03c2\u0161\u4e25\uff05\u1e69\u30cf\uff9e'

const escapesOf = (bytes: string): string =>
  [...bytes].map((byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')

function piece(random: Random): string {
  if (random() < 0.7) return pick(random, PIECES)
  const bytes = Buffer.from(pick(random, [...LETTERS])).toString('latin1')
  if (random() < 0.1) return bytes
  const once = escapesOf(bytes)
  if (random() < 0.6) return once
  return random() < 0.7
    ? once.replaceAll('%', '%25')
    : [...once].map((sign) => (random() < 0.3 ? escapesOf(sign) : sign)).join('')
}

function oddTarget(random: Random): string {
  if (random() < 0.2) return spellPath(['admin', 'secret'], random)
  const pieces = Array.from({ length: 1 + Math.floor(random() * 6) }, () => piece(random))
  return (random() < 0.85 ? '/' : '') + pieces.join('')
}

test('whatever an interpretation of a target lies under is found', (context) => {
  const seed = Number(process.env.SALLYPORT_TEST_SEED ?? Date.now() % 2 ** 31)
  context.diagnostic(`SALLYPORT_TEST_SEED=${seed} repeats this run`)
  const random = randomOf(seed)
  let [compared, unknown] = [0, 0]
  for (const end = Date.now() + RUN_MS; Date.now() < end; ) {
    const target = oddTarget(random)
    const conventions: readonly PathConvention[] =
      random() < 0.6 ? [] : PATH_CONVENTIONS.filter(() => random() < 0.5)
    const interpretations = interpretationsOf(target, [...TRANSFORMS, ...stepsOf(conventions)])
    for (let left = SAMPLE; left > 0; left -= 1) {
      const segments = segmentsOf(pick(random, interpretations))
      const prefix = segments.slice(0, 1 + Math.floor(random() * 3))
      const found = reachablePrefixes(new PrefixTree([prefix], conventions), target)
      compared += 1
      if (found === undefined) unknown += 1
      else assert.ok(found.has(0), `${JSON.stringify(target)} may be under ${JSON.stringify(prefix)}`)
    }
  }
  context.diagnostic(`${compared} prefixes of interpretations, ${unknown} of them not decided`)
  assert.ok(unknown < compared / 4)
})

const RULES = ['/.sallyport', '/admin', '/api/internal', '/manager/html', '/v1/users']
const matcher = new BlockMatcher(RULES.map((pathPrefix) => blockRule('r', pathPrefix)))

test('no interpretation of a target of the corpora that passes lies under a rule', () => {
  const folder =
    process.env.SALLYPORT_CORPORA ?? resolve(import.meta.dirname, '../../../../../shared/corpora')
  const lines = readFileSync(`${folder}/crs-regression.ndjson`, 'utf8').trim().split('\n')
  const trees = RULES.map((pathPrefix) => segmentsOf(pathPrefix))
  const targets = new Set(lines.map((line) => (JSON.parse(line) as { uri?: string }).uri ?? '/'))
  for (const target of targets) {
    if (target.length > 500 || matcher.match(['GET'], target, 0)) continue
    for (const text of interpretationsOf(target.split('?', 1)[0] ?? '', TRANSFORMS)) {
      const segments = segmentsOf(text)
      for (const prefix of trees)
        assert.ok(!prefix.every((segment, index) => segment === segments[index]), target)
    }
  }
})

test('honest targets pass, however often the letters in them are encoded', () => {
  const search = encodeURIComponent('\u4e2d\u6587\u641c\u7d22')
  const once = encodeURIComponent
  for (const target of [
    `/search?q=${search}&r=${once(search)}%252F`,
    `/search/${search}%2F${once(search)}`,
    `/s?q=${search}&page=${once(`https://shop.example/${search}?ref=${search}`)}`,
    `/collect?dl=${once(`https://shop.example/suche?q=${once('Gr\xf6\xdfe')}`)}&dt=${once('Gr\xf6\xdfe \u2013 Suche')}%2F`,
    `/collect?dl=${once(`https://shop.example/?q=${once('\u043f\u043e\u0438\u0441\u043a')}`)}&dt=${once('\u043f\u043e\u0438\u0441\u043a')}%2F`,
  ])
    assert.equal(matcher.match(['GET'], target, 0), undefined, target)
})
