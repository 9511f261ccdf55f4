import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ObservedRequest } from '../src/index.ts'
import { condense, EXPECTED, honestRequests, learn, learnedOf, RESEARCHERS, request } from './support.ts'

/** Segments as fuzzers make them. */
const segments = fc.oneof(
  fc.constantFrom(
    '..',
    '.git',
    'admin.php',
    '{id}',
    '{{7*7}}',
    '%00',
    "1'--",
    '%3Cx%3E',
    'a?b',
    'index.bak',
    '*',
    '%7Bx%7D',
  ),
  fc.stringMatching(/^[a-z0-9]{1,12}$/),
  fc.string({ minLength: 1, maxLength: 12 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom('api', 'v1', 'users', 'repos', 'orders', 'rpc'),
)
const paths = fc.array(segments, { minLength: 1, maxLength: 6 }).map((parts) => `/${parts.join('/')}`)

test('operations are learned of traffic, and names beside parameters kept', () => {
  assert.deepEqual(learnedOf(honestRequests()), EXPECTED)
})

test('types, parameters, media types and statuses are learned, and no value is kept', () => {
  const requests = honestRequests(['GET /api/v1/items/{integer}']).map((one, index) => ({
    ...one,
    target: `${one.target}?page=${index}&secret=hunter${index}x&flag=true`,
    status: index % 10 === 0 ? 403 : 200,
  }))
  const observations = condense([...requests, request({ target: '/api/v1/items/7', hasHit: true })])
  assert.doesNotMatch(JSON.stringify(observations), /hunter/)
  const [operation, ...others] = learn(observations)
  assert.deepEqual(others, [])
  assert.equal(operation?.template, '/api/v1/items/{itemId}')
  assert.deepEqual(
    operation?.parameters.map(({ name, place, type }) => `${place} ${name} ${type}`),
    ['path itemId integer', 'query flag boolean', 'query page integer', 'query secret string'],
  )
  assert.deepEqual(operation?.mediaTypes, ['application/json'])
  assert.deepEqual(operation?.statuses, [200])
  assert.equal(operation?.evidence.covered, 1)
  assert.equal(operation?.evidence.requests, 20)
  assert.equal(operation?.evidence.researchers, 5)
})

test('whatever one researcher asks alone, nothing more and nothing less is learned', () => {
  const honest = honestRequests()
  fc.assert(
    fc.property(
      fc.array(fc.tuple(paths, fc.constantFrom('GET', 'POST', 'DELETE'), fc.constantFrom(200, 201, 302)), {
        maxLength: 400,
      }),
      (asked) => {
        const hostile = asked.map(([target, method, status], index) =>
          request({ target, method, status, responseBytes: 40 * (index % 50), researcherId: 'mallory' }),
        )
        assert.deepEqual(learnedOf([...honest, ...hostile]), EXPECTED)
      },
    ),
    { numRuns: 40 },
  )
})

test('one researcher who floods the values of a place does not swallow the names beside it', () => {
  const hostile = ['users', 'repos', 'orders'].flatMap((word) =>
    Array.from({ length: 3_000 }, (_, index) =>
      request({
        target: `/api/v1/${word}/zq${index.toString(36)}`,
        researcherId: 'mallory',
        responseBytes: index % 900,
      }),
    ),
  )
  assert.deepEqual(learnedOf([...honestRequests(), ...hostile]), EXPECTED)
})

test('a lone researcher leaves candidates, marked as such', () => {
  const lone = honestRequests().map((one) => ({ ...one, researcherId: 'ann' }))
  const operations = learn(condense(lone))
  assert.ok(operations.length > 0)
  assert.ok(operations.every(({ state, evidence }) => state === 'candidate' && evidence.researchers === 1))
})

const MISSES: Readonly<Record<string, Partial<ObservedRequest>>> = {
  'a page': { status: 200, mediaType: 'text/html', responseBytes: 4_000 },
  'an error with 200': { status: 200, mediaType: 'application/json', responseBytes: 17 },
  'a redirect': { status: 302, mediaType: 'text/html', redirect: '/login', responseBytes: 90 },
}

for (const [what, miss] of Object.entries(MISSES))
  test(`${what} for everything teaches nothing`, () => {
    const words = 'admin login test backup old www dashboard config phpinfo console'.split(' ')
    const scans = RESEARCHERS.flatMap((researcherId) =>
      ['', '/api', '/api/v1', '/api/v1/users', '/static'].flatMap((directory) =>
        [...words, '.env', '.git/HEAD', 'dump.sql', "x'--", '%3Cs%3E'].map((word) =>
          request({
            ...miss,
            target: `${directory}/${word}`,
            researcherId,
            responseBytes: (miss.responseBytes ?? 0) + word.length,
          }),
        ),
      ),
    )
    assert.deepEqual(learnedOf([...honestRequests(), ...scans]), EXPECTED)
  })

test('templates that are alike never stand beside each other, whatever is asked by whom', () => {
  const asked = fc.array(fc.tuple(paths, fc.constantFrom(...RESEARCHERS)), { maxLength: 600 })
  fc.assert(
    fc.property(asked, (given) => {
      const requests = given.map(([target, researcherId], index) =>
        request({ target, researcherId, responseBytes: index * 13 }),
      )
      const templates = learn(condense(requests)).map(
        ({ method, template }) => `${method} ${template.replaceAll(/\{[^}]*\}/g, '{}')}`,
      )
      assert.equal(new Set(templates).size, templates.length)
      for (const { template } of learn(condense(requests)))
        assert.match(template, /^(?:\/|(?:\/(?:\{[a-z]\w*\}|[\w.~:@$+,!-]*))+)$/i, template)
    }),
    { numRuns: 60 },
  )
})

test('observations can be split and merged in any order', () => {
  const requests = honestRequests()
  const whole = learn(condense(requests))
  fc.assert(
    fc.property(fc.array(fc.nat(3), { minLength: requests.length, maxLength: requests.length }), (parts) => {
      const collectors = [0, 1, 2, 3].map((part) =>
        condense(requests.filter((_, index) => parts[index] === part)),
      )
      assert.deepEqual(learn(collectors.flat()), whole)
    }),
    { numRuns: 20 },
  )
})

test('names that somebody makes up do not fill a batch', () => {
  const flood = Array.from({ length: 20_000 }, (_, index) =>
    request({ target: `/a?${Array.from({ length: 24 }, (_, name) => `n${index}x${name}=1`).join('&')}` }),
  )
  assert.ok(condense(flood).length <= 300)
})

test('the tree is bounded, and what is known to many outlives a flood', () => {
  const flood = Array.from({ length: 30_000 }, (_, index) =>
    request({
      target: `/${(index * 7_919).toString(36)}w/${index.toString(36)}q`,
      researcherId: RESEARCHERS[index % 2] ?? '',
      responseBytes: index,
    }),
  )
  const learned = learnedOf([...honestRequests(), ...flood], { nodesMax: 2_000 })
  assert.deepEqual(
    EXPECTED.filter((operation) => !learned.includes(operation)),
    [],
  )
})

test('names that scanners send to paths that are not there are no parameters of what is', () => {
  // A page for everything: hidden files show it, and words below a parameter get it as well.
  const answered = { mediaType: 'text/html', responseBytes: 4_000 }
  const scanned = ['ann', 'ben', 'cat'].flatMap((researcherId) =>
    ['/.env', '/.git/x', '/a/.env', '/api/.env', '/api/v1/orders/.git/x', '/api/v1/orders/.env']
      .map((target) => request({ ...answered, target, researcherId }))
      .concat(
        ['backup', 'console', 'debug'].map((word) =>
          request({ ...answered, target: `/api/v1/orders/${word}?cmd=1`, researcherId }),
        ),
      ),
  )
  const asked = honestRequests().map((one) =>
    one.target.startsWith('/api/v1/orders') ? { ...one, target: `${one.target}?page=1` } : one,
  )
  const orders = learn(condense([...asked, ...scanned])).find(
    ({ template }) => template === '/api/v1/orders/{orderId}',
  )
  assert.deepEqual(
    orders?.parameters.map(({ name }) => name),
    ['orderId', 'page'],
  )
})

test('a name with the ending of an identifier is one where several ask for it, and a value of its place where few do', () => {
  const named = honestRequests([
    'GET /files/{integer}/labels/securityClassification-6VMVochwUWo',
    'PUT /files/{integer}/labels/securityClassification-6VMVochwUWo',
    'GET /files/{integer}/labels/{name}',
  ])
  const rare = ['ann', 'ben'].map((researcherId) =>
    request({ target: '/files/7/labels/projectLabel-8aGq2LmZ01', researcherId }),
  )
  const alone = request({ target: '/resets/passwordReset-8aGq2LmZ01' })
  const learned = learn(condense([...named, ...rare, alone]))
  assert.deepEqual(
    learned.map(({ method, template, state }) => `${state} ${method} ${template}`),
    [
      'learned GET /files/{fileId}/labels/securityClassification-6VMVochwUWo',
      'learned PUT /files/{fileId}/labels/securityClassification-6VMVochwUWo',
      'learned GET /files/{fileId}/labels/{labelId}',
      'candidate GET /resets/{resetId}',
    ],
  )
})
