/**
 * Bodies and queries that nobody meant: made from the example of each operation and mutated. Never a 5xx, never a
 * change of another organization. `SALLYPORT_RANDOM_BODIES=2000` runs that many an operation; each says its slowest.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { OPERATIONS } from '@sallyport/contract'
import fc from 'fast-check'
import { startTestControl } from '../support/control.ts'
import { createFixture, exampleRequest } from '../support/fixtures.ts'

const BODIES = Number(process.env.SALLYPORT_RANDOM_BODIES ?? 25)
const SEED = Number(process.env.SALLYPORT_RANDOM_SEED ?? 20_261_121)
const AT_ONCE = 4

const control = await startTestControl()
after(() => control.close())
const fixture = await createFixture(control, 'random')
const bystander = await createFixture(control, 'bystander')

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
/** JSON texts that stand where a value is expected. */
const nastyText = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    'false',
    '0',
    '-1',
    '1e308',
    '-1e400',
    '9007199254740993',
    '""',
    '"\\u0000"',
    '"\\ud800"',
    '{}',
    '[]',
    '"0000-01-01T00:00:00Z"',
    '"0001-01-01T00:00:00+23:59"',
    '"9999-12-31T23:59:59-23:59"',
    '"now-999999999d"',
    '"now/d"',
    '"\\u202e\\ufeff"',
    '"%00../../etc/passwd"',
    '"\' OR 1=1 --"',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":1}}',
    deep(100),
    deep(5_000),
    `[${'0,'.repeat(30_000)}0]`,
    `"${'x'.repeat(300_000)}"`,
    `"${'é'.repeat(20_000)}"`,
    `"[${'{},'.repeat(2_000)}{}]"`,
    '"[[[[[[[[["',
    `{${Array.from({ length: 500 }, (_, index) => `"k${index}":${index}`).join()}}`,
  ),
  fc.string({ unit: 'binary', maxLength: 200 }).map((text) => JSON.stringify(text)),
  fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)),
  fc.bigInt().map(String),
)

type Mutation = (body: Record<string, unknown>) => string
const join = (fields: readonly string[]): string => `{${fields.join()}}`
const fieldsOf = (body: Record<string, unknown>): string[] =>
  Object.entries(body).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)

const replaceField = fc.tuple(fc.nat(), nastyText).map(
  ([at, text]): Mutation =>
    (body) => {
      const names = Object.keys(body)
      const chosen = names[at % Math.max(1, names.length)]
      return join(
        Object.entries(body).map(
          ([name, value]) => `"${name}":${name === chosen ? text : JSON.stringify(value)}`,
        ),
      )
    },
)
const addField = fc
  .tuple(
    fc.constantFrom('__proto__', 'constructor', 'toString', 'id', 'orgId', '', 'project', '\u0000'),
    nastyText,
  )
  .map(
    ([name, text]): Mutation =>
      (body) =>
        join([...fieldsOf(body), `${JSON.stringify(name)}:${text}`]),
  )
const dropField = fc.nat().map(
  (at): Mutation =>
    (body) => {
      const fields = fieldsOf(body)
      return join(fields.toSpliced(at % Math.max(1, fields.length), 1))
    },
)
const doubleField = nastyText.map(
  (text): Mutation =>
    (body) => {
      const [name = 'id'] = Object.keys(body)
      return join([...fieldsOf(body), `${JSON.stringify(name)}:${text}`])
    },
)
const whole = nastyText.map(
  (text): Mutation =>
    () =>
      text,
)
const cut = fc.nat({ max: 60 }).map(
  (length): Mutation =>
    (body) =>
      JSON.stringify(body).slice(0, length),
)
const mutation = fc.oneof(
  { weight: 6, arbitrary: replaceField },
  { weight: 3, arbitrary: addField },
  dropField,
  doubleField,
  whole,
  cut,
)

for (const operation of OPERATIONS.filter(({ body, consumes }) => body !== undefined && consumes !== 'form'))
  test(`${operation.method} ${operation.path}`, async (context) => {
    const { path, options } = exampleRequest(operation, fixture.ids, fixture.keys.owner)
    let slowestMs = 0
    const body = (options.body ?? {}) as Record<string, unknown>
    const send = async (text: string): Promise<void> => {
      const started = performance.now()
      const answer = await control.call(operation.method, path, { ...options, body: text })
      assert.ok(answer.status < 500, `${answer.status} ${answer.text} for ${text.slice(0, 300)}`)
      slowestMs = Math.max(slowestMs, performance.now() - started)
    }
    const texts = fc.sample(mutation, { numRuns: BODIES, seed: SEED }).map((mutate) => mutate(body))
    for (let at = 0; at < texts.length; at += AT_ONCE)
      await Promise.all(texts.slice(at, at + AT_ONCE).map(send))
    context.diagnostic(`${BODIES} bodies, the slowest in ${slowestMs.toFixed(0)} ms`)
  })

test('values of query parameters that nobody meant', async () => {
  for (const operation of OPERATIONS) {
    const names = Object.keys(operation.query?.shape ?? {})
    if (names.length === 0 || operation.format === 'stream') continue
    const pairs = fc.sample(fc.tuple(fc.constantFrom(...names), nastyText), {
      numRuns: Math.min(BODIES, 200),
      seed: SEED,
    })
    for (const [name, text] of pairs) {
      const query = `${name}=${encodeURIComponent(text.toWellFormed().slice(0, 1_000))}`
      const path = exampleRequest(operation, fixture.ids).path.split('?', 1)[0]
      const answer = await control.call(operation.method, `${path}?${query}`, { key: fixture.keys.owner })
      assert.ok(answer.status < 500, `${operation.id}?${query.slice(0, 300)} answered ${answer.text}`)
    }
  }
})

test('the bystander has all that it had', async () => {
  const key = bystander.keys.owner
  for (const [path, version] of [
    // The fixture has uploaded two versions of a document.
    [`/api/Sites/${bystander.ids.siteId}`, '"3"'],
    [`/api/Hackers/${bystander.ids.hackerId}`, '"1"'],
    [`/api/Projects/items/${bystander.ids.itemId}`, '"1"'],
  ] as const)
    assert.equal((await control.call('GET', path, { key })).headers.get('etag'), version)
  assert.equal((await control.call('GET', '/api/sites', { key })).json.length, 1)
})
