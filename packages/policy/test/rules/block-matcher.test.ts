import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BlockRule } from '@sallyport/contract'
import { blockRule } from '../../../../test/support/block-rule.ts'
import { BlockMatcher, canonicalPath, isAmbiguous } from '../../src/index.ts'

const find = (rules: BlockRule[], target: string, method = 'GET', now = 0): string | undefined =>
  new BlockMatcher(rules).match([method], target, now)?.rule.id

test('a prefix covers whole segments', () => {
  const rules = [blockRule('admin', '/admin')]
  for (const target of ['/admin', '/admin/', '/admin/users?x=1', '/Admin', '/ADMIN/x'])
    assert.equal(find(rules, target), 'admin')
  for (const target of ['/', '/administrator', '/x/admin', '/admin.json', '/?next=/admin'])
    assert.equal(find(rules, target), undefined)
})

test('letters are alike that are alike in either case, by the tables of any language', () => {
  const rules = [blockRule('admin', '/admin'), blockRule('straße', '/straße')]
  for (const admin of ['adm\u0131n', 'ADM\u0130N', 'admI\u0307n', 'a\u{1d41d}m\u0130n'])
    for (const target of [
      `/${encodeURIComponent(admin)}/x`,
      `/${encodeURIComponent(encodeURIComponent(admin))}`,
    ])
      assert.equal(find(rules, target), 'admin', target)
  for (const street of ['straße', 'STRASSE', 'STRA\u1e9eE'])
    assert.equal(find(rules, `/${encodeURIComponent(street)}`), 'straße', street)
  assert.equal(find([blockRule('kadın', '/kadın')], '/KAD\u0130N'.replace('\u0130', '%C4%B0')), 'kadın')
})

test('the first rule of the list decides, whatever its length', () => {
  const rules = [blockRule('long', '/a/b/c'), blockRule('short', '/a'), blockRule('all', '/')]
  assert.equal(find(rules, '/a/b/c/d'), 'long')
  assert.equal(find(rules, '/a/b'), 'short')
  assert.equal(find(rules, '/z'), 'all')
  assert.equal(find([blockRule('all', '/'), blockRule('a', '/a')], '/a'), 'all')
})

test('methods, the switch and the expiry of a rule count', () => {
  assert.equal(find([blockRule('post', '/a', { methods: ['POST'] })], '/a', 'GET'), undefined)
  assert.equal(find([blockRule('post', '/a', { methods: ['POST'] })], '/a', 'post'), 'post')
  assert.equal(find([blockRule('off', '/a', { enabled: false })], '/a'), undefined)
  const expiring = [blockRule('expiring', '/a', { expires: '2026-01-01T00:00:00Z' })]
  assert.equal(find(expiring, '/a', 'GET', Date.parse('2025-12-31T23:59:59Z')), 'expiring')
  assert.equal(find(expiring, '/a', 'GET', Date.parse('2026-01-01T00:00:00Z')), undefined)
})

test('of many methods those count that a rule names', () => {
  const matcher = new BlockMatcher([
    blockRule('other', '/b', { methods: ['PUT'] }),
    blockRule('delete', '/a', { methods: ['DELETE'] }),
  ])
  const many = Array.from({ length: 10_000 }, (_, index) => `M${index}`)
  assert.equal(matcher.match(many, '/a', 0), undefined)
  assert.equal(matcher.match([...many, 'delete'], '/a', 0)?.rule.id, 'delete')
  assert.equal(matcher.matchUnread([...many, 'delete'], 0)?.rule.id, 'delete')
  assert.equal(matcher.matchUnread(['GET'], 0), undefined)
})

test('a prefix is decoded and resolved as its author meant it', () => {
  assert.equal(find([blockRule('r', '/a%20b/../c d/')], '/c%20d/x'), 'r')
  assert.equal(find([blockRule('r', '/caf\u00e9')], '/caf%C3%A9'), 'r')
  assert.equal(find([blockRule('r', '/CAF\u00c9')], '/caf\u00c3\u00a9'), 'r')
})

/** Targets that some origin takes for `/admin/secret`, and the reading that shows it. The table of docs/block-rules.md. */
export const SPELLINGS: readonly (readonly [string, string])[] = [
  ['/admin/secret', 'as sent'],
  ['/ADMIN/Secret', 'as sent'],
  ['/%61dmin/secret', 'decoded'],
  ['/%2561dmin/secret', 'decoded twice'],
  ['/x/../admin/secret', 'dot segments resolved'],
  ['/x/%2e%2e/admin/secret', 'decoded, dot segments resolved'],
  ['/x/..%2fadmin%2fsecret', 'decoded, dot segments resolved'],
  ['/admin//secret', 'as sent'],
  ['/x//../admin/secret', 'slashes merged, dot segments resolved'],
  ['/admin\\secret', 'backslashes folded'],
  ['/admin;v=1/secret', 'parameters cut'],
  ['/x/..;/admin/secret', 'parameters cut, dot segments resolved'],
  ['/admin/secret%00.png', 'decoded, cut at NUL'],
  ['/admin/secret%3fx', 'decoded, query cut'],
  ['/admin/secret#x', 'fragment cut'],
  ['/admin/secret./', 'as sent'],
  ['/admin/secret%20', 'decoded'],
  ['/admin/secret::$DATA', 'as sent'],
  ['/admin:$i30:$INDEX_ALLOCATION/secret', 'as sent'],
  ['/x/..:$i30:$INDEX_ALLOCATION/admin/secret', 'streams cut, dot segments resolved'],
  ['/(S(x))/admin/secret', 'cookieless session dropped'],
  ['/adm/(A(x)F(y))in/secret', 'cookieless session dropped'],
  ['/%28S%28x%29%29/admin/secret', 'decoded, cookieless session dropped'],
  ['/x?/../../admin/secret', 'dot segments resolved'],
  ['http://origin.example/admin/secret', 'authority cut'],
  ['//origin.example/admin/secret', 'authority cut'],
  ['/x/..%c0%afadmin/secret', 'decoded, loose UTF-8, dot segments resolved'],
  ['/%ef%bd%81dmin/secret', 'decoded, loose UTF-8, compatibility forms folded'],
  ['/admin%u002fsecret', '%u escapes undone'],
  ['/ad%09min/secret', 'decoded, control characters dropped'],
  ['/ad%ffmin/secret', 'decoded, other bytes dropped'],
]

for (const [target, reading] of SPELLINGS)
  test(`${target} falls under the rule: ${reading}`, () => {
    const matcher = new BlockMatcher([blockRule('other', '/other'), blockRule('secret', '/admin/secret')])
    const match = matcher.match(['GET'], target, 0)
    assert.equal(match?.rule.id, 'secret')
    assert.equal(match?.reading, reading)
  })

test('a target with more readings than are worked out falls under the rules that one of them may lie under', () => {
  const odd = '/a%2525252fb;%2e%2e\\..%5c%252e/%ef%bc%8e%c0%ae/?x=%2e..#;/%00/'.concat('a'.repeat(8_000))
  const rules = [blockRule('n', '/never'), blockRule('r', '/reached')]
  const match = new BlockMatcher(rules).match(['GET'], `/%25%32%35%37%32eached${odd}`, 0)
  assert.equal(match?.rule.id, 'r')
  assert.equal(match?.reading, 'more readings than are worked out')
  assert.equal(find([], odd), undefined)
  assert.equal(find(rules, odd), undefined)
})

test('paths in the letters of people fall under no rule, however many scripts are in one', () => {
  const rules = [blockRule('a', '/a'), blockRule('admin', '/admin/secret')]
  const words = [
    '安装程序能自动检测您的硬件',
    'Για να προετοιμάσετε',
    'আপনি DokuWiki পাওয়া',
    'Гэта сьпіс словаў, якія індэксатар ігнаруе,',
    'ผู้ใช้สามารถติดตั้งโปรแกรม',
    'Ngọc Ánh Or.pyc',
    'Ольга כהן.svg',
    'メインパーティションを作成する',
  ]
  for (const [index, first] of words.entries())
    for (const second of words) {
      const target = `/files/${encodeURIComponent(first)}/${encodeURIComponent(second)}`
      assert.equal(find(rules, target), undefined, `${index}: ${target}`)
    }
  const title =
    '许多情况下，安装程序能自动检测您的硬件。但作为预备，我们推荐您还是在安装之前熟悉一下您的硬件比较好。'
  assert.equal(find(rules, `/recipes/default/tiddlers/${encodeURIComponent(title)}`), undefined)
})

test('what everyone reads alike is not ambiguous', () => {
  for (const target of [
    '/',
    '/a/b',
    '/a%20b',
    '/caf%C3%A9',
    '/.env',
    '/.well-known/x',
    '/a?b=/../%2e%2e',
    '/a+b',
    '/~me/',
    '/a:b',
    '/items(1)/(2)',
    '/$a:b:c/d',
    '/x.tar.gz',
  ])
    assert.equal(isAmbiguous(target), false, target)
})

test('what parsers may disagree about is ambiguous', () => {
  const plain = new Set(['/admin/secret', '/ADMIN/Secret', '/x?/../../admin/secret'])
  for (const [target] of SPELLINGS) assert.equal(isAmbiguous(target), !plain.has(target), target)
  for (const target of ['a', '*', '/a/./b', '/a/..', '/a%', '/a%zz', '/a%41', '/a%ff', '/a?b#c', 'HTTP://x/'])
    assert.equal(isAmbiguous(target), true, target)
})

test('the canonical path is decoded once and resolved', () => {
  assert.equal(canonicalPath('/a/b?c'), '/a/b')
  assert.equal(canonicalPath('/a%20b/../%C3%A9?x'), '/\u00e9')
  assert.equal(canonicalPath('/%252e'), '/%2e')
  assert.equal(canonicalPath('http://h/a#b'), '/a')
  assert.equal(canonicalPath('/%ff'), '/\ufffd')
  assert.equal(canonicalPath('/../../x'), '/x')
})
