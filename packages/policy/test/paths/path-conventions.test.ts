/** Readings that a site says its origin has: front controllers, format suffixes, and their kind. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { PATH_CONVENTIONS, type PathConvention } from '@sallyport/contract'
import fc from 'fast-check'
import { blockRule } from '../../../../test/support/block-rule.ts'
import { assertCostRatio, filled } from '../../../../test/support/processor-time.ts'
import { BlockMatcher, interpretationsOf, RequestTargets } from '../../src/index.ts'
import { prefixSegments } from '../../src/paths/segments.ts'
import { KNOWN_ORIGINS } from './model-origins.ts'
import { randomOf, spellPath } from './path-spellings.ts'

const BLOCKED = ['admin', 'secret']
const RULE = blockRule('r', `/${BLOCKED.join('/')}`)
const matchOf = (target: string, conventions: readonly PathConvention[]) =>
  new BlockMatcher([RULE], conventions).match(['GET'], target, 0)

const ROW = /^\| (?:`(?<convention>\w+)`)? ?\| [^|]+ \| `(?<target>\/[^`]+)` \| (?<reading>[^|]+) \|$/
const page = readFileSync(join(import.meta.dirname, '../../../../docs/block-rules.md'), 'utf8')

test('each row of the documentation is a reading where the site has the convention, and none where it has not', () => {
  const documented = new Set<string>()
  for (const line of page.split('\n')) {
    const { convention, target, reading } = ROW.exec(line)?.groups ?? {}
    if (target === undefined) continue
    if (convention !== undefined) documented.add(convention)
    const current = PATH_CONVENTIONS.find((name) => name === [...documented].at(-1))
    assert.ok(current, line)
    assert.equal(matchOf(target, [current])?.reading, reading, target)
    const others = PATH_CONVENTIONS.filter((name) => name !== current)
    assert.equal(matchOf(target, others), undefined, target)
  }
  assert.deepEqual([...documented], [...PATH_CONVENTIONS])
})

test('a convention is read in any combination with the other steps', () => {
  for (const target of [
    '/index.php/%61dmin/secret',
    '/x/..;/index.php//admin/secret',
    '/shop/index.php/../admin/secret',
    '/INDEX.PHP5\\admin\\secret',
    '/index%2ephp/admin/secret.json',
    '/admin/secret.tar.gz',
    '/admin/secret.json/',
    '/admin/secret%2ejson?x=1',
    '/admin/secret.anything;x',
    '/admin/secret%2b',
    '/admin+/secret',
    '/docs/../_next/data/b/admin/secret.json?x',
    '/_next/data/b/index.php/admin/secret.json',
    '/_next/im%61ge?w=64&url=http%3A%2F%2Fh%2F%61dmin%2Fsecret',
    '/_next/image?url=%2Fx&url=%2Fadmin%2Fsecret',
  ]) {
    assert.ok(matchOf(target, PATH_CONVENTIONS), target)
    assert.equal(matchOf(target, []), undefined, target)
  }
  for (const target of [
    '/index.php',
    '/index.php/other',
    '/admin.json/secret',
    '/.env',
    '/a.b/c',
    '/x+y',
    '/_next/data/b/other.json',
    '/_next/image?url=%2Fother',
    '/?url=/admin/secret',
  ])
    assert.equal(matchOf(target, PATH_CONVENTIONS), undefined, target)
})

test('dots and dot segments at the end are read for every site', () => {
  for (const target of [
    '/admin/secret.',
    '/admin/secret/.',
    '/admin/./secret',
    '/admin./secret',
    '/admin/secret%2e',
  ])
    assert.ok(matchOf(target, []), target)
})

/** What an origin with a convention makes of the segments that it has read, written apart from the steps. */
const MODELS: Readonly<Record<PathConvention, (segments: readonly string[]) => (readonly string[])[]>> = {
  frontController(segments) {
    const script = segments.findIndex((segment) => segment.endsWith('.php'))
    if (script === -1) return []
    const rest = segments.slice(script + 1)
    return [rest, [...segments.slice(0, script), ...rest]]
  },
  formatSuffix: (segments) => [withLast(segments, segments.at(-1)?.split('.')[0] ?? '')],
  plusAsSpace: (segments) => [segments.map((segment) => segment.split('+').join(' ').trimEnd())],
  nextJs(segments) {
    const at = segments.findIndex((segment, index) => segment === '_next' && segments[index + 1] === 'data')
    if (at === -1) return []
    const last = segments.at(-1) ?? ''
    return [
      withLast(
        [...segments.slice(0, at), ...segments.slice(at + 3)],
        last.endsWith('.json') ? last.slice(0, -5) : last,
      ),
    ]
  },
}
const withLast = (segments: readonly string[], last: string): readonly string[] => [
  ...segments.slice(0, -1),
  last,
]
const DRESSED: Readonly<Record<PathConvention, readonly [string, string]>> = {
  frontController: ['/index.php', ''],
  formatSuffix: ['', '.json'],
  plusAsSpace: ['', '+'],
  nextJs: ['/_next/data/build', '.json'],
}
/** Others in each run; `SALLYPORT_SPELLINGS=1000000` for the long one. */
const SPELLINGS = Number(process.env.SALLYPORT_SPELLINGS ?? 8_000)

test('no model origin that has a convention resolves a forwarded target to a path under a block rule', (context) => {
  const seed = Number(process.env.SALLYPORT_TEST_SEED ?? Date.now() % 2 ** 31)
  context.diagnostic(`SALLYPORT_TEST_SEED=${seed} repeats this run`)
  const random = randomOf(seed)
  let dangerous = 0
  for (let index = 0; index < SPELLINGS; index += 1) {
    const convention = PATH_CONVENTIONS[index % PATH_CONVENTIONS.length] ?? 'frontController'
    const [before, after] = DRESSED[convention]
    const target = before + spellPath(BLOCKED, random) + after
    const isFooled = KNOWN_ORIGINS.some((origin) => {
      const segments = origin.resolve(target)
      return MODELS[convention](segments).some((read) => BLOCKED.every((segment, at) => read[at] === segment))
    })
    if (!isFooled) continue
    dangerous += 1
    assert.ok(matchOf(target, [convention]), `${target} was forwarded to an origin that has ${convention}`)
  }
  context.diagnostic(`${SPELLINGS} spellings: ${dangerous} reach the path at some origin`)
  assert.ok(dangerous > SPELLINGS / 10)
})

const word = fc.stringMatching(/^[a-z0-9_-]{1,12}$/)
const honestSegment = fc.oneof(
  word,
  fc
    .tuple(word, word, fc.constantFrom('.js', '.min.js', '.tar.gz', '.1.12.1.css'))
    .map((parts) => parts.join('')),
  fc.tuple(word, word).map(([one, other]) => `${one}%20${other}+caf%C3%A9`),
)
const honestTarget = fc
  .tuple(
    fc.constantFrom('', '/index.php', '/shop/app.php'),
    fc.array(honestSegment, { minLength: 1, maxLength: 8 }),
    word,
  )
  .map(([script, segments, query]) => `${script}/${segments.join('/')}?q=${query}`)

test('honest targets have few readings, and what was refused without conventions is refused with them', () => {
  let most = 0
  fc.assert(
    fc.property(honestTarget, (target) => {
      const { list, overflowing } = interpretationsOf(target, PATH_CONVENTIONS)
      assert.ok(!overflowing, target)
      most = Math.max(most, list.length)
    }),
    { numRuns: 1_000 },
  )
  // A fifth of what is worked out.
  assert.ok(most < 160, `${most} readings`)
  const random = randomOf(1)
  for (let index = 0; index < 2_000; index += 1) {
    const target = spellPath(BLOCKED, random)
    if (matchOf(target, [])) assert.ok(matchOf(target, PATH_CONVENTIONS), target)
  }
})

for (const unit of ['.a', '/a.php', '+', '/_next/data/b', 'a./', '.json/', '_next/image?url=%2f&'])
  test(`the work for a target grows with its length, and no faster: ${unit}`, () => {
    const short = `/${filled(unit, 4 * 1024)}`
    const long = `/${filled(unit, 32 * 1024)}`
    return assertCostRatio(
      () => matchOf(short, PATH_CONVENTIONS),
      () => matchOf(long, PATH_CONVENTIONS),
      16,
    )
  })

test("the firewall's prefixes are judged by these readings, too", () => {
  const admin = prefixSegments('/admin')
  const shop = prefixSegments('/shop')
  const plain = new RequestTargets(['/shop/index.php/admin'])
  assert.deepEqual([plain.areSurelyUnder(shop), plain.mayBeUnder(admin)], [true, false])
  const read = new RequestTargets(['/shop/index.php/admin'], ['frontController'])
  assert.deepEqual([read.areSurelyUnder(shop), read.mayBeUnder(admin)], [false, true])
  assert.ok(new RequestTargets(['/shop/caf%C3%A9.json'], PATH_CONVENTIONS).areSurelyUnder(shop))
})
