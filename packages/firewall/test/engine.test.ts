import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createEngine,
  type InspectionResult,
  maintainedRules,
  ownRules,
  parseRuleSet,
  type Rule,
} from '../src/index.ts'
import { inspect } from './support/corpus.ts'
import { engineOf, get, places, post } from './support/requests.ts'

const condition = (regex: string, operator = 'match_regex') => ({
  operator,
  parameters: { inputs: [{ address: 'server.request.query' }], regex, options: { case_sensitive: true } },
})
const rule = (id: string, type: string, conditions: Rule['conditions'], more: Partial<Rule> = {}): Rule => ({
  id,
  name: id,
  tags: { type, category: 'attack_attempt' },
  conditions,
  ...more,
})

test('blames every rule and every parameter that matched', async () => {
  const engine = engineOf({ needle: 'needle', eedle: 'eedle' })
  const result = await inspect(engine, get('/a/needle?x=needle&y=clean&z=needle'))
  assert.deepEqual(places(result), ['path', 'path', 'query x', 'query x', 'query z', 'query z'])
  assert.equal(result.inspection, 'full')
  assert.equal(result.overrun, false)
})

test('gives the same verdict from memory', async () => {
  const engine = engineOf({ needle: 'needle' })
  const request = get('/list?x=needle&y=1', { 'User-Agent': 'needle', Accept: '*/*' })
  const first = await inspect(engine, request)
  const second = await inspect(engine, request)
  const byPart = ({ hits }: InspectionResult) =>
    hits.toSorted((one, other) => one.part.localeCompare(other.part))
  assert.deepEqual(byPart(second), byPart(first))
  assert.deepEqual(places(second), ['header user-agent', 'query x'])
})

test('finds in headers that repeat what it found in them before', async () => {
  const engine = engineOf({ needle: 'needle' })
  const { rawHeaders } = get('/', { Accept: '*/*', Cookie: 'a=1' }).head
  const placesAt = async (target: string, headers: readonly string[]): Promise<string[]> =>
    places(
      await inspect(engine, { head: { method: 'GET', target, rawHeaders: headers }, body: Buffer.alloc(0) }),
    )
  for (const target of ['/', '/?a=needle', '/']) {
    assert.deepEqual(await placesAt(target, rawHeaders), target === '/' ? [] : ['query a'])
    assert.deepEqual(
      await placesAt(target, [...rawHeaders, 'Cookie', 'b=needle']).then((all) => all[0]),
      'cookie b',
    )
  }
  const hostile = ['Host', 'shop.example', 'Accept', 'needle', 'Cookie', 'needle=1; b=needle']
  for (let time = 0; time < 3; time++)
    assert.deepEqual(await placesAt('/', hostile), ['cookie b', 'header accept'])
})

test('names that objects inherit are names like any other', async () => {
  for (const name of ['constructor', '__proto__']) {
    const engine = engineOf({ needle: 'needle' })
    const headers = ['Host', 'shop.example', name, 'a needle', 'Cookie', `${name}=needle`]
    const head = { method: 'POST', target: `/?${name}=needle`, rawHeaders: [...headers, name, '2nd needle'] }
    const bodies: Readonly<Record<string, string>> = {
      'application/x-www-form-urlencoded': `${name}=needle`,
      'application/json': `{"${name}":"needle"}`,
      'multipart/form-data; boundary=b0': `--b0\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nneedle\r\n--b0--`,
    }
    for (const [type, body] of Object.entries(bodies)) {
      const request = { head: { ...head, rawHeaders: [...head.rawHeaders, 'Content-Type', type] } }
      const result = await inspect(engine, { ...request, body: Buffer.from(body) })
      const expected = ['body', 'cookie', 'header', 'query'].map((part) => `${part} ${name}`)
      assert.deepEqual(places(result), expected, type)
    }
  }
})

test('a header that repeats, each time in several decoded variants, is judged to its last value', async () => {
  const engine = engineOf({ needle: 'needle' })
  const rawHeaders = Array.from({ length: 150 }, (_, index) => ['X-Any', `%41${index}`]).flat()
  const head = { method: 'GET', target: '/', rawHeaders: [...rawHeaders, 'X-Any', 'needle'] }
  assert.deepEqual(places(await inspect(engine, { head, body: Buffer.alloc(0) })), ['header x-any'])
})

test('a verdict that is remembered owes nothing to the values judged with it', async () => {
  const engine = engineOf({ needle: 'needle' })
  await inspect(engine, get('/?a=needle1&b=needle2&c=clean'))
  assert.deepEqual(places(await inspect(engine, get('/?a=needle2'))), ['query a'])
  assert.deepEqual(places(await inspect(engine, get('/?a=clean'))), [])
})

test('puts rules of several conditions together across values, in any order', async () => {
  const engine = engineOf({}, [
    rule('both', 'xss', [condition('left'), condition('right')]),
    rule('but-not', 'xss', [condition('left'), condition('right', '!match_regex')]),
    rule('together', 'xss', [condition('left'), condition('right')], { same_value: true }),
  ])
  const rules = async (target: string) =>
    (await inspect(engine, get(target))).hits.map((hit) => hit.rule).sort()
  assert.deepEqual(await rules('/?a=left'), ['but-not'])
  assert.deepEqual(await rules('/?a=right&b=left'), ['both', 'but-not'])
  assert.deepEqual(await rules('/?a=right-left'), ['both', 'together'])
  assert.deepEqual(await rules('/?a=neither'), [])
})

const maintained = createEngine([maintainedRules()])

test('names tools without counting them as attacks', async () => {
  const result = await inspect(
    maintained,
    get('/', { 'User-Agent': 'sqlmap/1.8#stable (https://sqlmap.org)' }),
  )
  assert.deepEqual(result.hits, [])
  assert.ok(
    result.tools.some((tool) => tool.includes('sqlmap')),
    String(result.tools),
  )
})

test('finds the classics with the maintained rules, where they are', async () => {
  const result = await inspect(maintained, get('/items?id=1%27%20union%20select%20password%20from%20users--'))
  assert.ok(result.hits.some((hit) => hit.class === 'sql_injection' && hit.severity === 'critical'))
  assert.deepEqual([...new Set(places(result))], ['query id'])
  const xss = await inspect(
    maintained,
    post('application/json', '{"user":{"bio":["ok","<script>alert(1)</script>"]}}'),
  )
  assert.deepEqual([...new Set(places(xss))], ['body user.bio[1]'])
})

test('a rule that libddwaf refuses is told, and its other conditions do not run alone', async () => {
  const engine = engineOf({ fine: 'needle' }, [
    rule('broken', 'xss', [condition('needle'), condition('(?=lookahead)')]),
  ])
  assert.deepEqual([...engine.refused.keys()], ['broken'])
  assert.deepEqual(
    engine.rules.map((info) => info.id),
    ['fine'],
  )
  assert.deepEqual(
    (await inspect(engine, get('/?a=needle'))).hits.map((hit) => hit.rule),
    ['fine'],
  )
})

test('says that inspection was partial when time runs out, and still says what it found', async () => {
  const engine = engineOf({ needle: 'needle' })
  const inspection = engine.inspect(get('/?a=needle').head, { timeMs: 0.001, bodyBytesMax: 1000 })
  const result = inspection.result()
  assert.equal(result.overrun, true)
  assert.equal(result.inspection, 'partial')
})

test('a rule set with the wrong shape is refused with the reason', () => {
  assert.throws(() => parseRuleSet('{'), /not valid JSON/)
  assert.throws(() => parseRuleSet('{}'), /list `rules`/)
  assert.throws(() => parseRuleSet('{"rules":[{"id":"a"}]}'), /tags\.type/)
  assert.throws(
    () => parseRuleSet('{"rules":[{"id":"a","tags":{"type":"xss"},"conditions":[]}]}'),
    /conditions/,
  )
})

test('lines of values that are judged together are no line breaks of one', async () => {
  const engine = createEngine([ownRules()])
  const values = Array.from({ length: 300 }, (_, index) => (index % 2 === 0 ? 'snippet' : 'data'))
  assert.deepEqual((await inspect(engine, post('application/json', JSON.stringify(values)))).hits, [])
  const own = await inspect(engine, post('application/json', JSON.stringify(['snippet\r\ndata\r\n'])))
  assert.deepEqual(
    own.hits.map(({ rule }) => rule),
    ['sp-rce-mail-protocol'],
  )
  engine.dispose()
})
