/**
 * Definitions that were made to cost much: what judging by them costs is bounded, and what is not judged is said. Without its bounds most of
 * these would not end.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  compileDefinition,
  DefinitionNotCompiledError,
  OPERATIONS_MAX,
  TABLE_BYTES_MAX,
} from '../src/index.ts'
import { definitionOf } from './support.ts'

const responses = { 200: { description: '' } }

const withSchema = (schema: unknown, schemas: Readonly<Record<string, unknown>> = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Hostile', version: '1' },
  paths: { '/a': { post: { requestBody: { content: { 'application/json': { schema } } }, responses } } },
  components: { schemas },
})

function judge(document: unknown, body: unknown) {
  const definition = definitionOf(document)
  const judgement = definition.judge(
    { methods: ['POST'], path: '/a', readings: ['/a'], query: '', rawHeaders: [] },
    { judgesUndeclared: false },
  )
  judgement.judgeBody({
    contentTypes: ['application/json'],
    bytes: Buffer.from(body instanceof JsonText ? body.text : JSON.stringify(body)),
  })
  return { isUnchecked: judgement.isUnchecked, names: judgement.violations.map(({ name }) => name) }
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
/** Deeper than `JSON.stringify` goes. */
class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
const nested = (depth: number): JsonText => new JsonText(`${'['.repeat(depth)}1${']'.repeat(depth)}`)

test('alternatives of alternatives are given up, and that is said', () => {
  const levels = Array.from({ length: 30 }, (_, index) => [
    `L${index}`,
    { anyOf: [ref(`L${index + 1}`), ref(`L${index + 1}`), ref(`L${index + 1}`)] },
  ])
  const schemas = { ...Object.fromEntries(levels), L30: { type: 'integer' } }
  assert.deepEqual(judge(withSchema(ref('L0'), schemas), 'x'), { isUnchecked: true, names: [] })
  for (const keyword of ['oneOf', 'allOf', 'not'] as const) {
    const of = (next: unknown) =>
      keyword === 'not' ? { not: { anyOf: [next, next] } } : { [keyword]: [next, next] }
    const own = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`L${index}`, of(ref(`L${index + 1}`))]),
    )
    assert.ok(judge(withSchema(ref('L0'), { ...own, L40: true }), 1).isUnchecked || keyword !== 'allOf')
  }
})

test('a schema that is itself alone, and one that is as deep as its value', () => {
  assert.deepEqual(judge(withSchema(ref('A'), { A: ref('A') }), 1), { isUnchecked: true, names: [] })
  assert.deepEqual(judge(withSchema(ref('A'), { A: { allOf: [ref('B')] }, B: { anyOf: [ref('A')] } }), 1), {
    isUnchecked: true,
    names: [],
  })
  const list = { type: 'array', items: ref('A') }
  assert.deepEqual(judge(withSchema(ref('A'), { A: { anyOf: [list, { type: 'integer' }] } }), nested(20)), {
    isUnchecked: false,
    names: [],
  })
  assert.equal(judge(withSchema(ref('A'), { A: list }), nested(5_000)).isUnchecked, true)
  assert.equal(judge(withSchema({ type: 'array', uniqueItems: true }), nested(5_000)).isUnchecked, true)
})

test('references in a row, as many as there is room for', () => {
  const row = Array.from({ length: 30_000 }, (_, index) => [
    `R${index}`,
    { type: 'object', properties: { next: ref(`R${index + 1}`) } },
  ])
  const document = withSchema(ref('R0'), { ...Object.fromEntries(row), R30000: { type: 'integer' } })
  assert.throws(() => compileDefinition({ ...document, paths: {} }), DefinitionNotCompiledError)
  assert.deepEqual(judge(document, { next: { next: { next: 1 } } }), { isUnchecked: false, names: [] })
  const short = withSchema(ref('R29998'), { ...Object.fromEntries(row), R30000: { type: 'integer' } })
  assert.deepEqual(judge(short, { next: { next: 1 } }), { isUnchecked: false, names: [] })
  assert.deepEqual(judge(short, { next: { next: 'x' } }), { isUnchecked: false, names: ['body_schema'] })
})

test('patterns that others take exponential time for, and patterns that RE2 does not have', () => {
  const value = `${'a'.repeat(5_000)}!`
  for (const pattern of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(?:a*)*b', '^(?:(?:a{1,20}){1,20})$'])
    assert.deepEqual(judge(withSchema({ type: 'string', pattern }), value).names.length <= 1, true, pattern)
  for (const pattern of ['(?=a)', '(a)\\1', '(?<!a)b', '[', 'a{2000}', '\\A'.repeat(600)]) {
    const { leftOut } = compileDefinition(withSchema({ type: 'string', pattern }))
    assert.deepEqual(leftOut, ['patterns (1)'], pattern)
    assert.deepEqual(judge(withSchema({ type: 'string', pattern }), value), { isUnchecked: false, names: [] })
  }
})

test('many items, unique or of many values', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => index)
  judge(withSchema({ type: 'array', uniqueItems: true }), many)
  judge(withSchema({ type: 'array', items: { enum: many } }), many)
  judge(withSchema({ type: 'array', contains: { not: { enum: many } } }), many)
  const members = Object.fromEntries(many.map((index) => [`m${index}`, index]))
  judge(
    withSchema({
      patternProperties: Object.fromEntries(
        many.slice(0, 500).map((index) => [`m.*${index}$`, { type: 'string' }]),
      ),
    }),
    members,
  )
})

test('names that objects inherit are names as any other', () => {
  const schema = {
    type: 'object',
    required: ['constructor', '__proto__'],
    properties: { toString: { type: 'integer' } },
    additionalProperties: false,
  }
  const own = JSON.parse('{"__proto__": 1, "constructor": 2, "toString": "x"}')
  assert.deepEqual(judge(withSchema(schema), own).names, ['body_schema'])
  assert.deepEqual(judge(withSchema(schema), {}).names, ['body_schema'])
  const allowed = { type: 'object', properties: { a: { type: 'string' } } }
  assert.deepEqual(judge(withSchema(allowed), JSON.parse('{"__proto__": {"a": 1}}')).names, [])
})

test('a document that is too much is cut down, and says so, or is refused', () => {
  const big = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, index) => [
      `member${index}`,
      { type: 'string', description: 'x'.repeat(50), maxLength: index },
    ]),
  )
  const bodies = Array.from({ length: 20 }, (_, index) => [
    `/p${index}`,
    {
      post: {
        requestBody: {
          content: { 'application/json': { schema: { properties: { ...big, [`own${index}`]: {} } } } },
        },
        responses,
      },
    },
  ])
  const { table, leftOut, operations } = compileDefinition({
    openapi: '3.0.0',
    info: {},
    paths: Object.fromEntries(bodies),
  })
  assert.equal(operations, 20)
  assert.ok(Buffer.byteLength(table) <= TABLE_BYTES_MAX)
  assert.match(leftOut.join(), /schemas of bodies/)
  const paths = (count: number, name = '') =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`/${name}${index}`, { get: { responses } }]),
    )
  assert.throws(
    () => compileDefinition({ openapi: '3.1.0', info: {}, paths: paths(OPERATIONS_MAX + 1) }),
    DefinitionNotCompiledError,
  )
  assert.throws(
    () => compileDefinition({ openapi: '3.1.0', info: {}, paths: paths(OPERATIONS_MAX, 'x'.repeat(300)) }),
    DefinitionNotCompiledError,
  )
  for (const document of [
    null,
    1,
    [],
    {},
    { openapi: '4.0.0' },
    { swagger: '1.2' },
    { openapi: '3.1.0', paths: {} },
    { openapi: '3.1.0', paths: { '/a': { $ref: '#/paths/~1a' } } },
  ])
    assert.throws(() => compileDefinition(document), DefinitionNotCompiledError)
})
