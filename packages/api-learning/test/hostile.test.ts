/** What researchers can do to the learner: neither its work nor what others have shown is theirs to decide. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Learner, type Observation } from '../src/index.ts'
import { condense, EXPECTED, honestRequests, learnedOf, RESEARCHERS, request } from './support.ts'

const served = (shape: string, researchers: Observation['researchers']): Observation => ({
  ...{ place: 'answer', method: 'GET', shape, name: '200', type: '', researchers },
  ...{ requests: 15, covered: 0, sizes: { 40: 15 }, firstSeen: 1, lastSeen: 2 },
})

const word = (index: number): string => `${(index * 7_919).toString(36)}w`
const bits = (index: number): string[] => [...index.toString(2).padStart(16, '0')]

/** Paths that make trees which are dear to go through. */
const DEAR: Record<string, (index: number) => string> = {
  'words beside values that have thousands of operations': (index) =>
    index % 2 === 0 ? `/{integer}/${word(index)}` : `/${word(index)}/${word(2 * (index % 3_000))}`,
  'every mixture of a word and values': (index) =>
    bits(index)
      .map((bit) => (bit === '1' ? '/{integer}' : '/a'))
      .join(''),
  'deep paths': (index) =>
    bits(index)
      .map((bit, depth) => `/${bit === '1' ? '{integer}' : word((index * 31 + depth) % 50)}`)
      .join(''),
}

for (const [what, shapeOf] of Object.entries(DEAR))
  test(`three who collude do not make learning long: ${what}`, () => {
    const started = process.cpuUsage().user
    const learner = new Learner()
    for (let index = 0; index < 60_000; index++)
      learner.add(served(shapeOf(index), { ann: 5, ben: 5, cat: 5 }))
    learner.finish()
    assert.ok((process.cpuUsage().user - started) / 1_000 < 10_000)
  })

test('what one researcher brings folds nothing that several agreed on, however it is spread', () => {
  const agreed = Array.from(
    { length: 100 },
    (_, index) => `/catalog/${'abcdefghij'[index % 10]}${'klmnopqrst'[Math.floor(index / 10)]}part`,
  )
  const honest = agreed.flatMap((path) =>
    RESEARCHERS.map((researcherId) => request({ target: path, researcherId })),
  )
  const flood = Array.from({ length: 20_000 }, (_, index) =>
    request({
      target: `/d${word(index % 200)}/${word(index)}`,
      researcherId: 'mallory',
      responseBytes: index,
    }),
  )
  for (const requests of [
    [...honest, ...flood],
    [...flood, ...honest],
  ]) {
    const learned = learnedOf(requests, { nodesMax: 2_000 })
    assert.deepEqual(learned, agreed.map((path) => `GET ${path}`).sort())
  }
})

test('a redirect of which nobody knows where to is compared by its size', () => {
  const toSignIn = RESEARCHERS.flatMap((researcherId) =>
    ['', '/api', '/api/v1'].flatMap((directory) =>
      ['/.env', '/.git/x', '/dump.sql', '/%3Cs%3E'].map((odd) =>
        request({
          target: `${directory}${odd}`,
          status: 302,
          mediaType: '',
          responseBytes: 200,
          researcherId,
        }),
      ),
    ),
  )
  const created = RESEARCHERS.flatMap((researcherId) => [
    request({
      method: 'POST',
      target: '/api/v1/carts',
      status: 302,
      mediaType: '',
      responseBytes: 900,
      researcherId,
    }),
    request({
      method: 'POST',
      target: '/api/v1/signin',
      status: 302,
      mediaType: '',
      responseBytes: 205,
      researcherId,
    }),
  ])
  const learned = learnedOf([...honestRequests(), ...toSignIn, ...created])
  assert.deepEqual(learned, [...EXPECTED, 'POST /api/v1/carts'].sort())
})

test('of what is known nothing is learned: it is counted, with its types, whoever is answered what', () => {
  const known = {
    templateOf: (shape: string) => (/^\/people\/[^/]+$/.test(shape) ? '/people/{who}' : undefined),
    has: (method: string, template: string) => `${method} ${template}` === 'GET /people/{who}',
  }
  const learner = new Learner({ known })
  const requests = ['ann', 'ben'].flatMap((researcherId) => [
    request({ target: '/people/17?full=true', researcherId }),
    request({ target: '/people/alice', researcherId, status: 403 }),
    request({ target: '/people/alice', researcherId, method: 'DELETE', status: 204 }),
    request({ target: '/people/alice', researcherId, method: 'PUT', status: 403 }),
  ])
  const observations = condense(requests)
  for (const place of ['answer', 'query'])
    for (const one of observations.filter((observation) => observation.place === place)) learner.add(one)
  const operations = learner.finish()
  assert.deepEqual(
    operations.map(({ method, template, state }) => `${state} ${method} ${template}`),
    ['candidate DELETE /people/{who}', 'candidate GET /people/{who}'],
  )
  const [, read] = operations
  assert.deepEqual(read?.statuses, [200, 403])
  assert.deepEqual([read?.evidence.requests, read?.evidence.researchers], [4, 2])
  assert.deepEqual(read?.parameters, [
    { name: 'who', place: 'path', type: 'integer' },
    { name: 'full', place: 'query', type: 'boolean' },
  ])
})
