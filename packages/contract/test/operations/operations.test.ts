import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { ERRORS, OPERATIONS, operations, PERMISSIONS } from '../../src/index.ts'

/** The table of the specification: number, method, path. */
const SPECIFIED = [
  ['PUT', '/api/Projects/updateProjectItem'],
  ['POST', '/api/Sites/allowedHackerType'],
  ['POST', '/api/Billing'],
  ['POST', '/api/Analytics/getSummaryTrafficTable'],
  ['GET', '/api/Sites/validateHacker'],
  ['GET', '/api/Sites/disable/{id}'],
  ['GET', '/api/Account/getProfileDetails'],
  ['GET', '/api/Account/currentUser'],
  ['GET', '/api/Organization'],
  ['GET', '/api/Sites/getAPIdefinition/{id}'],
  ['GET', '/api/Analytics/getWAFSummaryRulesTimeline'],
  ['GET', '/api/Analytics/getTrafficTimeline'],
  ['GET', '/api/Analytics/getTotalRequest'],
  ['POST', '/api/sites/setRateLimiting'],
  ['GET', '/api/sites'],
]

test('the fifteen operations of the specification are there, and only they are not extensions', () => {
  const own = OPERATIONS.filter((operation) => !operation.extension)
  assert.deepEqual(
    own.map((operation) => `${operation.method} ${operation.path}`).sort(),
    SPECIFIED.map((row) => row.join(' ')).sort(),
  )
})

test('each operation is filed under its id, and no two answer the same method and path', () => {
  for (const [id, operation] of Object.entries(operations)) assert.equal(operation.id, id)
  const keys = OPERATIONS.map(
    ({ method, path }) => `${method} ${path.toLowerCase().replaceAll(/\{\w+\}/g, '{}')}`,
  )
  assert.equal(new Set(keys).size, keys.length)
})

for (const operation of OPERATIONS) {
  test(`${operation.id}: examples, parameters and permission fit`, () => {
    assert.ok(PERMISSIONS.includes(operation.permission))
    const { params, query, body, response, examples } = operation
    const named = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    assert.deepEqual(Object.keys(params?.shape ?? {}), named)
    if (query && examples.query) query.parse(examples.query)
    if (body && examples.body !== undefined) body.parse(examples.body)
    if (operation.status === 204) assert.equal(response, undefined)
    else if (operation.format !== 'stream')
      assert.deepEqual(response?.parse(examples.response), examples.response)
    for (const schema of [query, body]) if (schema) z.toJSONSchema(schema, { io: 'input' })
    if (response) z.toJSONSchema(response)
  })
}

test('every string and list that a caller may send is bounded', () => {
  const unbounded: string[] = []
  const visit = (schema: unknown, path: string): void => {
    if (typeof schema !== 'object' || schema === null) return
    const node = schema as Record<string, unknown>
    const isClosed = 'enum' in node || 'const' in node || 'pattern' in node
    if (node.type === 'string' && !isClosed && node.maxLength === undefined) unbounded.push(path)
    if (node.type === 'array' && node.maxItems === undefined) unbounded.push(path)
    for (const [key, child] of Object.entries(node)) visit(child, `${path}/${key}`)
  }
  for (const operation of OPERATIONS)
    for (const part of ['params', 'query', 'body'] as const) {
      const schema = operation[part]
      if (schema) visit(z.toJSONSchema(schema, { io: 'input' }), `${operation.id}/${part}`)
    }
  assert.deepEqual(unbounded, [])
})

test('each error has a status of its own kind and a sentence', () => {
  for (const { status, sentence } of Object.values(ERRORS)) {
    assert.ok(status >= 400 && status < 600)
    assert.match(sentence, /^[A-Z].*\.$/)
  }
})

/** Changes that have no version to name, with the reason. */
const UNVERSIONED: Readonly<Record<string, string>> = {
  hackersRevokeKey: 'a key of a researcher never changes',
  sitesDeleteOriginProof: 'a proof of an origin never changes',
}

test('what is created can be created once, and what is changed can be changed from a known version only', () => {
  for (const { id, method, path, status, idempotent, versioned } of OPERATIONS) {
    if (status === 201) assert.ok(idempotent, `${id} honours Idempotency-Key`)
    if (method === 'GET' || method === 'POST' || !path.includes('{') || id in UNVERSIONED) continue
    assert.ok(versioned, `${id} honours If-Match`)
    const beside = OPERATIONS.filter((other) => other.method === 'GET' && other.versioned)
    const root = /^(.*?\{id\})/.exec(path)?.[1] ?? path
    assert.ok(
      beside.some((other) => other.path.startsWith(root)),
      `${id} changes what has an ETag to read`,
    )
  }
})
