/** A path finds the template that a plain reading of all of them finds, in time that follows the path alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isLinear, repeat } from '../../../../test/support/growth.ts'
import { compileRoutes, ROUTES_CHARS_MAX, ROUTES_MAX } from '../../src/index.ts'

const matches = (templates: readonly string[], path: string): string | undefined =>
  compileRoutes(templates).match(path)

test('what is given more exactly wins, whatever the order', () => {
  const templates = ['/users/{id}', '/users/me', '/users/{name}.json', '/users/{id}/posts', '/{any}/me']
  for (const order of [templates, templates.toReversed()]) {
    const routes = compileRoutes(order)
    const match = (path: string): string | undefined => routes.match(path)
    assert.equal(match('/users/me'), '/users/me')
    assert.equal(match('/users/17'), '/users/{id}')
    assert.equal(match('/users/17.json'), '/users/{name}.json')
    assert.equal(
      match('/users/me/posts'),
      '/users/{id}/posts',
      'a word that leads nowhere is tried as a value',
    )
    assert.equal(match('/files/me'), '/{any}/me')
    assert.equal(match('/files/you'), undefined)
  }
})

test('segments with parameters in them', () => {
  assert.equal(matches(['/{from}-{to}'], '/a-b-c'), '/{from}-{to}')
  assert.equal(matches(['/{from}-{to}'], '/-b'), undefined, 'a parameter takes a character')
  assert.equal(matches(['/{a}.{b}.json'], '/x.json'), undefined)
  assert.equal(matches(['/{a}.{b}.json'], '/x.y.json'), '/{a}.{b}.json')
  assert.equal(matches(['/{a}{b}'], '/x'), undefined, 'nor do two share one')
  assert.equal(matches(['/aa{x}aa'], '/aaa'), undefined, 'what stands around it does not overlap')
})

test('slashes at the end, escapes and case', () => {
  assert.equal(matches(['/users'], '/users/'), '/users')
  assert.equal(matches(['/users/'], '/users'), '/users/')
  assert.equal(matches(['/users', '/users/'], '/users/'), '/users/')
  assert.equal(matches(['/users/{id}'], '/users/'), undefined, 'a parameter is never empty')
  assert.equal(matches(['/users/{id}'], '/users//'), undefined)
  assert.equal(matches(['/'], '/'), '/')
  assert.equal(matches(['/caf%C3%A9/{id}'], '/café/1'), '/caf%C3%A9/{id}')
  assert.equal(matches(['/users'], '/Users'), undefined)
  assert.equal(matches(['/users'], 'users'), undefined)
  assert.equal(matches([], '/users'), undefined)
})

test('a route of the record finds its template', () => {
  const routes = compileRoutes(['/orders/{orderId}', '/files/{name}.json', '/users/me'])
  assert.equal(routes.matchRecorded('/orders/{uuid}'), '/orders/{orderId}')
  assert.equal(routes.matchRecorded('/files/{long}'), '/files/{name}.json')
  assert.equal(routes.match('/files/{long}'), undefined, 'braces of a path are no type')
  assert.equal(routes.matchRecorded('/users/{id}'), undefined)
})

test('of templates that differ by names alone the first counts', () => {
  const routes = compileRoutes(['/users/{userId}', '/users/{id}', '/f/{a}.js', '/f/{b}.js'])
  assert.equal(routes.size, 2)
  assert.equal(routes.match('/users/1'), '/users/{userId}')
  assert.equal(routes.match('/f/x.js'), '/f/{a}.js')
})

test('what is no template is left out', () => {
  const faults = [
    'users',
    '',
    '/{',
    '/}',
    '/{}',
    '/{a{b}}',
    '/{a/b}',
    '/a?b',
    '/a#b',
    '/a\nb',
    '/a\\b',
    '/a%2fb',
  ]
  const routes = compileRoutes([...faults, `/${'x'.repeat(2_000)}`, '/a'.repeat(65)])
  assert.equal(routes.size, 0)
})

test('no more templates and characters than a site may have', () => {
  const many = Array.from({ length: ROUTES_MAX + 10 }, (_, index) => `/p${index}`)
  assert.equal(compileRoutes(many).size, ROUTES_MAX)
  const long = Array.from({ length: 1_000 }, (_, index) => `/${'x'.repeat(1_000)}${index}`)
  const kept = compileRoutes(long).size
  assert.ok(kept > 0 && kept <= ROUTES_CHARS_MAX / 1_000)
})

/** How exactly a segment is given: words, then by the characters beside parameters, then parameters. Of equal ones the text decides. */
const exactness = (segment: string): number =>
  segment.includes('{') ? segment.replaceAll(/\{\w+\}/g, '').length : 1_000
const textsOf = (segment: string): string => JSON.stringify(segment.split(/\{\w+\}/))

const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replaceAll(/\{\w+\}|\./g, (part) => (part === '.' ? '\\.' : '[^/]+'))}$`)

function compareExactness(left: string, right: string): number {
  const rights = right.split('/')
  for (const [index, segment] of left.split('/').entries()) {
    const other = rights[index] ?? ''
    if (textsOf(segment) !== textsOf(other))
      return exactness(other) - exactness(segment) || (textsOf(segment) < textsOf(other) ? -1 : 1)
  }
  return 0
}

function naiveMatch(templates: readonly string[], path: string): string | undefined {
  const exactly = (wanted: string): string | undefined =>
    templates.filter((template) => patternOf(template).test(wanted)).sort(compareExactness)[0]
  return exactly(path) ?? exactly(path.endsWith('/') ? path.slice(0, -1) : `${path}/`)
}

test('a plain reading of all templates finds the same', () => {
  const segment = fc.constantFrom('a', 'b', '{x}', '{x}.j', 'ab{x}', '{x}-{y}', 'a-b')
  const template = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`)
  const word = fc.constantFrom('a', 'b', 'c', 'c.j', 'a.j', 'abc', 'a-b', 'x-y', 'ab.j', '-', '')
  const path = fc.array(word, { minLength: 1, maxLength: 5 }).map((parts) => `/${parts.join('/')}`)
  fc.assert(
    fc.property(
      fc.uniqueArray(template, { maxLength: 12 }),
      fc.array(path, { maxLength: 12 }),
      (templates, paths) => {
        const routes = compileRoutes(templates)
        for (const one of paths) assert.equal(routes.match(one), naiveMatch(templates, one), one)
      },
    ),
    { numRuns: 3_000 },
  )
})

test('templates that would send a path everywhere are left out', () => {
  const ways = Array.from({ length: 4_096 }, (_, number) =>
    [...number.toString(2).padStart(12, '0')].map((bit) => (bit === '1' ? '/a' : '/{x}')).join(''),
  )
  const routes = compileRoutes(ways.map((way) => `${way}/end`))
  assert.ok(routes.size > 20 && routes.size < 512)
  const started = process.cpuUsage().user
  for (let count = 0; count < 1_000; count++) routes.match(`${'/a'.repeat(12)}/x`)
  assert.ok((process.cpuUsage().user - started) / 1_000 < 500, 'within half a millisecond each')
})

const HARD = compileRoutes(['/{a}-{b}-{c}-{d}x', '/{a}/{b}/a', '/a/a/{x}', '/{x}.{y}.z', '/a{x}a/{y}'])
isLinear('long paths', (text) => HARD.match(text), {
  hyphens: repeat('-', '/'),
  'hyphens and letters': repeat('a-', '/', 'y'),
  dots: repeat('.', '/'),
  segments: repeat('/a'),
  slashes: repeat('/'),
  letters: repeat('a', '/'),
})
