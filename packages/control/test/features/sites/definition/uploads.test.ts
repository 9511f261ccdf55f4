/** API definitions that callers upload: what is taken, what is refused, and that no text holds up anybody else. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { startTestControl, type TestAnswer } from '../../../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const { keys } = await control.createOrganization('shop')
const owner = { key: keys.owner }
const site = (
  await control.call('POST', '/api/Sites', { ...owner, body: { originName: 'definitions.example.com' } })
).json.id

const upload = (body: string, type = 'application/yaml'): Promise<TestAnswer> =>
  control.call('PUT', `/api/Sites/${site}/definition`, { ...owner, body, headers: { 'content-type': type } })

const HEAD = 'openapi: 3.1.0\ninfo: {title: T, version: "1"}\n'

/** A definition whose many keys the YAML library compares each with each other, unless it is told not to. */
const manyKeys = (bytes: number): string => {
  const lines = [`${HEAD}paths: {}\n`]
  for (let index = 0, length = 0; length < bytes; index++) length += lines.push(`x-k${index}: 1\n`) && 8
  return lines.join('')
}

test('the API answers others while 114 KiB of YAML are read', async () => {
  const begun = performance.now()
  let isOver = false
  const uploaded = upload(manyKeys(114 * 1024)).finally(() => {
    isOver = true
  })
  let last = begun
  let longestMs = 0
  while (!isOver) {
    assert.equal((await control.call('GET', '/healthz')).status, 200)
    const now = performance.now()
    longestMs = Math.max(longestMs, now - last)
    last = now
  }
  assert.equal((await uploaded).status, 204)
  const share = longestMs / (last - begun)
  assert.ok(share < 0.5, `for ${share} of the time that the upload took, nobody else was answered`)
})

describe('the version decides what a definition is', () => {
  const cases: readonly (readonly [head: string, path: string | null])[] = [
    ['openapi: 3.1.0', null],
    ['openapi: 3.0.4', null],
    ['openapi: 3.2.0', null],
    ['openapi: "3.2"', '/openapi'],
    ['openapi: 3.9.0', '/openapi'],
    ['swagger: "2.0"', null],
    ['openapi: banana', '/openapi'],
    ['openapi: 3.1', '/openapi'],
    ['openapi: 2.0.0', '/openapi'],
    ['openapi: {}', '/openapi'],
    ['openapi: null', '/openapi'],
    ['swagger: 2.0', '/swagger'],
    ['swagger: "3.0"', '/swagger'],
    ['openapi: 3.1.0\nswagger: "2.0"', '/swagger'],
    ['asyncapi: 3.0.0', '/openapi'],
  ]
  for (const [head, path] of cases)
    test(head.replace('\n', ', '), async () => {
      const answer = await upload(`${head}\ninfo: {title: T, version: "1"}\npaths: {}\n`)
      assert.equal(answer.status, path === null ? 204 : 400, answer.text)
      if (path !== null) assert.equal(answer.json.errors[0].path, path)
    })
})

describe('what is no document within bounds is a 400', () => {
  const cases: Readonly<Record<string, readonly [text: string, type?: string]>> = {
    'a key twice': [`${HEAD}paths: {}\npaths: {}\n`],
    'a key twice, deep down': [`${HEAD}x-a: [{a: 1, "a": 2}]\n`],
    'many aliases': [`${HEAD}x-a: &a 1\nx-b:\n${'  - *a\n'.repeat(200)}`],
    'aliases of aliases': [
      `${HEAD}x-a: &a [1,1,1,1,1,1,1,1,1,1]\nx-b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nx-c: &c [*b,*b,*b,*b,*b,*b,*b]\nx-d: [*c,*c,*c]\n`,
    ],
    'an alias of a long text': [
      `${HEAD}x-a: &a ${'x'.repeat(500_000)}\nx-b: [${Array.from({ length: 90 }, () => '*a').join(',')}]\n`,
    ],
    'an alias of itself': [`${HEAD}x-a: &a [*a]\n`],
    'too deep YAML': ['['.repeat(50_000)],
    'too deep JSON': ['['.repeat(500_000) + ']'.repeat(500_000), 'application/json'],
    'more values than any has': [`${HEAD}x-a: [${'1,'.repeat(320_000)}]\n`],
    'maps that are keys of maps': [`${HEAD}x-a:\n  ${'? '.repeat(300)}a\n`],
    'no object': ['- 1\n'],
    'nothing at all': [' '],
  }
  for (const [name, [text, type]] of Object.entries(cases))
    test(name, async () => {
      const answer = await upload(text, type)
      assert.equal(answer.status, 400, `${answer.status} ${answer.text}`)
      assert.ok(!answer.text.includes('xxxx'), 'nothing of the text is quoted')
    })

  test('and a good one is taken after all of them', async () => {
    assert.equal((await upload(`${HEAD}paths: {}\n`)).status, 204)
  })
})

describe('a definition is as its specification says', () => {
  const PATH = 'paths:\n  /a/{id}:\n    get:\n'
  const cases: Readonly<Record<string, readonly [text: string, path: string, line: number]>> = {
    'a parameter nowhere': [
      `${HEAD}${PATH}      parameters:\n        - name: id\n          in: body\n      responses: {}\n`,
      '/paths/~1a~1{id}/get/parameters/0',
      7,
    ],
    'a member that nobody knows': [`${HEAD}${PATH}      reponses: {}\n`, '/paths/~1a~1{id}/get', 6],
    'a reference to another host': [
      `${HEAD}${PATH}      responses:\n        "200": {$ref: "https://elsewhere.example/a.yaml#/x"}\n`,
      '/paths/~1a~1{id}/get/responses/200/$ref',
      7,
    ],
    'a reference to nothing': [
      `${HEAD}${PATH}      responses:\n        "200": {$ref: "#/components/responses/None"}\n`,
      '/paths/~1a~1{id}/get/responses/200/$ref',
      7,
    ],
  }
  for (const [name, [text, path, line]] of Object.entries(cases))
    test(name, async () => {
      const answer = await upload(text)
      assert.equal(answer.status, 400, answer.text)
      const found = answer.json.errors.find((error: { path: string }) => error.path === path)
      assert.ok(found, answer.text)
      assert.match(found.message, new RegExp(`\\(line ${line}, column \\d+\\)$`))
      assert.ok(!answer.text.includes('elsewhere'))
    })

  test('and one of each version is taken', async () => {
    const info = { title: 'T', version: '1' }
    const paths = { '/a': { get: { responses: { 200: { description: 'ok' } } } } }
    for (const version of [
      { swagger: '2.0' },
      { openapi: '3.0.3' },
      { openapi: '3.1.0' },
      { openapi: '3.2.0' },
    ])
      assert.equal(
        (await upload(JSON.stringify({ ...version, info, paths }), 'application/json')).status,
        204,
      )
  })
})

test('what is served has no extensions, no servers of its own and no secrets, but its names', async () => {
  const response = {
    description: 'ok',
    headers: { 'x-total': { schema: { type: 'integer' }, 'x-owner': 'bob' } },
  }
  const operation = {
    'x-internal': { url: 'http://10.0.0.7' },
    servers: [{ url: 'https://internal.example' }],
    description: 'Send ghp_0123456789abcdefghij or postgres://root:hunter2@db/x.',
    responses: { 200: response },
  }
  const document = {
    openapi: '3.1.0',
    info: { title: 'T', version: '1', 'x-logo': 'logo' },
    servers: [{ url: 'https://internal.example/v2' }],
    paths: { '/a': { get: operation } },
    components: {
      schemas: { A: { properties: { 'x-name': { type: 'string' } }, example: { 'x-name': 'kept' } } },
    },
  }
  assert.equal((await upload(JSON.stringify(document), 'application/json')).status, 204)
  const bare = { ...owner, headers: { accept: 'text/plain' } }
  const { text, json } = await control.call('GET', `/api/Sites/getAPIdefinition/${site}`, bare)
  assert.doesNotMatch(text, /internal|10\.0\.0\.7|ghp_|hunter2|x-logo|x-owner/)
  assert.equal(json.servers.length, 1)
  assert.match(json.servers[0].url, /\/v2$/)
  assert.deepEqual(Object.keys(json.paths['/a'].get.responses[200].headers), ['x-total'])
  assert.deepEqual(json.components.schemas.A, document.components.schemas.A)
})

test('what the audit log keeps of a definition is short', async () => {
  const description = 'x'.repeat(100_000)
  const info = { title: 'T', version: '1', description }
  assert.equal(
    (await upload(JSON.stringify({ openapi: '3.1.0', info, paths: {} }), 'application/json')).status,
    204,
  )
  const bare = { ...owner, headers: { accept: 'text/plain' } }
  const kept = await control.call('GET', `/api/Sites/getAPIdefinition/${site}`, bare)
  assert.equal(kept.json.info.description, description)
  const log = await control.call('GET', '/api/AuditLog?action=site.setDefinition&limit=1', owner)
  assert.equal(log.json.items[0].after.info.title, 'T')
  assert.ok(log.text.length < 5_000, `${log.text.length} characters`)
})
