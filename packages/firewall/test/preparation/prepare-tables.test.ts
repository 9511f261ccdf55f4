/** Tables are compiled in a process of their own, or come from where they were kept; an engine of either judges as one that compiled its own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  createEngine,
  type Engine,
  maintainedRules,
  ownRules,
  prepareEngine,
  type Rule,
} from '../../src/index.ts'
import { createCandidates } from '../../src/prefilter/candidates.ts'
import type { PrefilterTables } from '../../src/prefilter/prefilter.ts'
import { compilingSource } from '../../src/prefilter/prefilter-source.ts'
import { prepareTables, type TableStore } from '../../src/preparation/prepare-tables.ts'
import { decodeTables, encodeTables } from '../../src/preparation/table-bytes.ts'
import { compileRules } from '../../src/rules/compiled-rules.ts'
import { inspect } from '../support/corpus.ts'
import { get, places } from '../support/requests.ts'

/** In memory. What it reads is a copy, because tables belong to whoever asked. */
class TestStore implements TableStore {
  kept: Uint8Array<ArrayBuffer> | undefined
  writes = 0
  read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return Promise.resolve(this.kept?.slice())
  }
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.kept = bytes.slice()
    this.writes++
    return Promise.resolve()
  }
}

const expressionRule = (id: string, regex: string): Rule => ({
  id,
  name: id,
  tags: { type: 'xss', category: 'attack_attempt' },
  conditions: [
    {
      operator: 'match_regex',
      parameters: { inputs: [{ address: 'server.request.query' }], regex, options: { case_sensitive: true } },
    },
  ],
})

const RULES = [expressionRule('one', 'needle[0-9]+'), expressionRule('two', '(?:hay|straw)stack')]

/** The tables as this process compiles them. */
function compiledHere(rules: readonly Rule[]): ReadonlyMap<string, PrefilterTables> {
  const tables = new Map<string, PrefilterTables>()
  createCandidates(compileRules(rules), compilingSource(tables))
  return tables
}

test('the tables of the process are those that this one compiles, and are kept for the same rules alone', async () => {
  const store = new TestStore()
  assert.deepEqual(await prepareTables(RULES, store), compiledHere(RULES))
  assert.deepEqual(await prepareTables(RULES, store), compiledHere(RULES))
  assert.equal(store.writes, 1)
  const others = RULES.toReversed()
  assert.deepEqual(await prepareTables(others, store), compiledHere(others))
  assert.equal(store.writes, 2)
})

test('what was kept and is damaged is compiled anew', async () => {
  const store = new TestStore()
  await prepareTables(RULES, store)
  const whole = store.kept ?? new Uint8Array()
  for (const damaged of [
    whole.slice(0, -1),
    new Uint8Array(),
    whole.map((byte, at) => (at === 9 ? 0 : byte)),
  ]) {
    store.kept = damaged
    assert.deepEqual(await prepareTables(RULES, store), compiledHere(RULES))
    assert.deepEqual(store.kept, whole)
  }
})

test('tables are in bytes what they were, and no damage is overlooked', () => {
  const tables = compiledHere(RULES)
  const bytes = encodeTables('key', tables)
  assert.deepEqual(decodeTables('key', bytes.slice()), tables)
  assert.equal(decodeTables('another', bytes.slice()), undefined)
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const damaged = bytes.slice()
      damaged[at] = (damaged[at] ?? 0) ^ change
      assert.equal(decodeTables('key', damaged), undefined)
      assert.equal(decodeTables('key', bytes.slice(0, at)), undefined)
    }),
  )
})

test('a process that fails or takes too long is an error, and nothing is kept', async () => {
  const store = new TestStore()
  const late = { name: 'TablesNotCompiledError', message: 'the process did not answer within 0 ms' }
  await assert.rejects(prepareTables(RULES, store, 0), late)
  const unreadable = { ...expressionRule('broken', 'x'), conditions: [{ operator: 'match_regex' }] }
  const failed = { name: 'TablesNotCompiledError', message: /^TypeError: / }
  await assert.rejects(prepareTables([unreadable as unknown as Rule], store), failed)
  assert.equal(store.writes, 0)
})

test('an engine of prepared tables judges as one that compiled its own, and names what libddwaf refuses', async () => {
  const ruleSets = [
    maintainedRules(),
    ownRules(),
    { version: '2.2', rules: [expressionRule('bad', '(?=x)')] },
  ]
  const store = new TestStore()
  const engines = [
    createEngine(ruleSets),
    await prepareEngine(ruleSets, store),
    await prepareEngine(ruleSets, store),
  ]
  assert.equal(store.writes, 1)
  const found = (engine: Engine) =>
    Promise.all(
      [
        '/items?id=1%27%20union%20select%20password%20from%20users--',
        '/?a=%3Cscript%3Ealert(1)%3C/script%3E&b=cat%20/etc/passwd',
        '/ordinary/path?page=2&sort=name',
      ].map(async (target) => places(await inspect(engine, get(target)))),
    )
  const [first, ...others] = await Promise.all(engines.map(found))
  assert.ok(first?.[0]?.includes('query id'))
  for (const other of others) assert.deepEqual(other, first)
  for (const { refused } of engines) assert.deepEqual([...refused.keys()], ['bad'])
})
