/** Definitions of many MiB: taken, refused with pointer and line, and nobody else waits for them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTestControl, type TestAnswer } from '../../../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const mine = await control.createOrganization('mine')
const other = await control.createOrganization('other')
const siteOf = async (key: string, name: string): Promise<string> =>
  (await control.call('POST', '/api/Sites', { key, body: { originName: `${name}.example.com` } })).json.id
const site = await siteOf(mine.keys.owner, 'large')
const otherSite = await siteOf(other.keys.owner, 'small')

const MIB = 1024 * 1024
const HEAD = 'openapi: 3.1.0\ninfo: {title: T, version: "1"}\npaths: {}\n'
const JSON_HEAD = '{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{}'

const upload = (
  body: string,
  type = 'application/yaml',
  key = mine.keys.owner,
  id = site,
): Promise<TestAnswer> =>
  control.call('PUT', `/api/Sites/${id}/definition`, { key, body, headers: { 'content-type': type } })

/** A definition of ordinary operations, of so many bytes. */
function largeDefinition(bytes: number): string {
  const operation = {
    summary: 'Get the parts of a thing, of which there may be many, in pages of so many as are asked for',
    parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } }],
    responses: {
      200: {
        description: 'ok',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } },
      },
    },
  }
  const one = JSON.stringify(operation).length + 24
  const paths = Object.fromEntries(
    Array.from({ length: Math.floor(bytes / one) }, (_, index) => [`/things/${index}`, { get: operation }]),
  )
  const schemas = { A: { type: 'object' } }
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths,
    components: { schemas },
  })
}

/** How often others were answered while `work` went on, and what it came to. */
async function answersDuring<T>(work: Promise<T>): Promise<{ answers: number; result: T }> {
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  let answers = 0
  for (; !isOver; answers++) {
    const { status } = await control.call('GET', '/api/Account/currentUser', { key: other.keys.owner })
    assert.equal(status, 200)
    // Who asked without a pause would hold up the work with it.
    await sleep(20)
  }
  return { answers, result: await ended }
}

/** As `upload`; where so much else goes on that a text takes longer than it may, once more. */
async function uploadInTime(body: string, type: string): Promise<TestAnswer> {
  let answer = await upload(body, type)
  while (answer.status === 400 && answer.text.includes('takes too long')) answer = await upload(body, type)
  return answer
}

/** As it is handed out; likewise. */
async function definitionInTime(): Promise<TestAnswer> {
  const get = () => control.call('GET', `/api/Sites/getAPIdefinition/${site}`, { key: mine.keys.owner })
  let answer = await get()
  while (answer.status === 503) answer = await get()
  return answer
}

test('15 MiB are taken and handed out while others are answered', async () => {
  const text = largeDefinition(15 * MIB)
  assert.ok(text.length > 14 * MIB && text.length < 16 * MIB)
  const taken = await answersDuring(uploadInTime(text, 'application/json'))
  assert.equal(taken.result.status, 204, taken.result.text)
  // Were it read where requests are answered, one or two would come in between.
  assert.ok(taken.answers > 5, `${taken.answers} answers`)
  const given = await answersDuring(definitionInTime())
  assert.equal(given.result.status, 200)
  assert.ok(JSON.parse(given.result.json).paths['/things/7'])
  assert.ok(given.answers > 5, `${given.answers} answers`)
})

describe('what is hostile is a 400 with its place', () => {
  const keys = (count: number): string =>
    Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')
  const cases: Readonly<Record<string, readonly [text: string, type: 'json' | 'yaml', place: RegExp]>> = {
    'more keys than any has': [
      `${JSON_HEAD},"x-a":{${keys(1_000_100)}}}`,
      'json',
      /"\/x-a\/k\d+".*line 1, column \d{7}/,
    ],
    'one key of many twice': [
      `${JSON_HEAD},"x-a":{${keys(300_000)},"k5":2}}`,
      'json',
      /"\/x-a\/k5".*line 1, column/,
    ],
    'a key twice in YAML': [`${HEAD}x-a:\n  b: 1\n  b: 2\n`, 'yaml', /"\/x-a\/b".*line 6, column 3/],
    'a number beyond all': [`${JSON_HEAD},\n"x-a":[1,1e999]}`, 'json', /"\/x-a\/1".*line 2, column/],
    'a number of a million digits': [`${JSON_HEAD},"x-a":${'9'.repeat(MIB)}}`, 'json', /"\/x-a"/],
    'no number at all': [`${HEAD}x-a: .nan\n`, 'yaml', /"\/x-a".*line 4/],
    'deep JSON': ['['.repeat(7 * MIB) + ']'.repeat(7 * MIB), 'json', /line 1, column 1\d\d/],
    'deep YAML': ['- '.repeat(7 * MIB), 'yaml', /line 1, column/],
    'aliases of aliases': [
      `${HEAD}x-a: &a [${'1,'.repeat(99)}1]\nx-b: &b [${'*a,'.repeat(49)}*a]\nx-c: &c [${'*b,'.repeat(30)}*b]\nx-d: [${'*c,'.repeat(15)}*c]\n`,
      'yaml',
      /"\/x-[cd].*line [67]/,
    ],
    'an alias of itself': [`${HEAD}x-a: &a [*a]\n`, 'yaml', /"\/x-a\/0.*line 4/],
    'a circle of references': [
      `${JSON_HEAD},\n"components":{"schemas":{"A":{"$ref":"#/components/schemas/A"}}}}`,
      'json',
      /"\/components\/schemas\/A\/\$ref".*line 2/,
    ],
    'a long list whose items must differ': [
      JSON.stringify({
        openapi: '3.0.0',
        info: { title: 'T', version: '1' },
        paths: {
          '/a': {
            parameters: Array.from({ length: 50_000 }, (_, name) => ({ name: `${name}`, in: 'query' })),
          },
        },
      }),
      'json',
      /"\/paths\/~1a\/parameters".*line 1/,
    ],
  }
  for (const [name, [text, type, place]] of Object.entries(cases))
    test(name, async () => {
      const { result } = await answersDuring(uploadInTime(text, `application/${type}`))
      assert.equal(result.status, 400, result.text)
      assert.match(result.text, place)
    })
})

test('large bodies that never end take no place of another organization', async () => {
  const unfinished = [1, 2, 3].map(() => {
    const sent = request(`${control.url}/api/Sites/${site}/definition`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${mine.keys.owner}`,
        'content-type': 'application/json',
        'content-length': 2 * MIB,
      },
    })
    sent.on('error', () => undefined)
    sent.write('{')
    return sent
  })
  const large = `${JSON_HEAD},"x-a":"${'x'.repeat(MIB)}"}`
  // One of the three has no place, so the others have theirs.
  await Promise.race(unfinished.map((one) => once(one, 'response')))
  let answer = await upload(large, 'application/json')
  assert.equal(answer.status, 503)
  assert.equal(answer.headers.get('retry-after'), '10')
  assert.equal((await upload(HEAD)).status, 204, 'what is small still comes in')
  assert.equal((await upload(large, 'application/json', other.keys.owner, otherSite)).status, 204)
  for (const one of unfinished) one.destroy()
  for (let attempts = 0; answer.status === 503 && attempts < 50; attempts++)
    answer = await upload(large, 'application/json')
  assert.equal(answer.status, 204)
})

test('one hostile organization delays another by one document', async () => {
  // Less than a MiB of anchors takes longer than other texts of its size.
  const hostile = `${HEAD}${Array.from({ length: 40_000 }, (_, index) => `x-${index}: &a${index} 1\n`).join('')}`
  const many = Array.from({ length: 8 }, () => upload(hostile))
  const order: string[] = []
  for (const one of many)
    void one.then(
      () => order.push('hostile'),
      () => undefined,
    )
  await upload(HEAD, 'application/yaml', other.keys.owner, otherSite)
  order.push('other')
  await Promise.all(many)
  assert.ok(order.indexOf('other') <= 2, order.join())
})
