/** Tables against the plainest thing that could do the same: a list of maps, one for each version. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type RecordKind, RecordTable, type RecordTableEdit } from '../../src/snapshot/record-table.ts'
import { putIn } from '../support/test-data-plane.ts'

interface Thing {
  readonly id: string
  readonly names: readonly string[]
  readonly text: string
}

const KIND: RecordKind<Thing, Thing> = {
  kind: 'site',
  namesOf: ({ names }) => names,
  compile: (thing) => thing,
  configOf: (thing) => thing,
  compiledMax: 20,
}
const lineOf = (value: Thing): string =>
  JSON.stringify({ type: 'put', kind: 'site', id: value.id, names: value.names, value })
const thingOf = (number: number): Thing => ({ id: `id-${number}`, names: [`name-${number}`], text: '' })

const put = (edit: RecordTableEdit<Thing, Thing>, thing: Thing): void => edit.put(putIn(`${lineOf(thing)}\n`))

type Act = { readonly put: Thing } | { readonly remove: string }
type Version = ReadonlyMap<string, Thing>

const id = fc.integer({ min: 0, max: 150 }).map((number) => `id-${number}`)
const act: fc.Arbitrary<Act> = fc
  .oneof(
    {
      weight: 4,
      arbitrary: fc.record({ put: fc.record({ id, text: fc.string({ unit: 'grapheme', maxLength: 8 }) }) }),
    },
    { weight: 1, arbitrary: fc.record({ remove: id }) },
  )
  .map((drawn) =>
    // Names move from thing to thing between versions, as gated names do.
    'put' in drawn ? { put: { ...drawn.put, names: [`${drawn.put.text} of ${drawn.put.id}`] } } : drawn,
  )
const transactions = fc.array(fc.record({ full: fc.boolean(), acts: fc.array(act, { maxLength: 200 }) }), {
  maxLength: 6,
})

function assertSame(table: RecordTable<Thing, Thing>, expected: Version): void {
  for (let number = 0; number <= 150; number += 1)
    assert.deepEqual(table.get(`id-${number}`), expected.get(`id-${number}`))
  for (const thing of expected.values())
    for (const name of thing.names) assert.deepEqual(table.find(name), thing)
  const lines = Buffer.concat([...table.lines()])
    .toString()
    .split('\n')
    .slice(0, -1)
  assert.deepEqual(lines.sort(), [...expected.values()].map(lineOf).sort())
}

test('every version of a table holds what was put into it, whatever later ones do', () => {
  fc.assert(
    fc.property(transactions, (all) => {
      let table = RecordTable.empty(KIND)
      let expected: Version = new Map()
      const versions = [{ table, expected }]
      for (const { full, acts } of all) {
        const edit = table.edit(full)
        const next = new Map(full ? [] : expected)
        for (const one of acts)
          if ('put' in one) {
            put(edit, one.put)
            next.set(one.put.id, one.put)
          } else {
            edit.remove(one.remove)
            next.delete(one.remove)
          }
        table = edit.finish()
        expected = next
        versions.push({ table, expected })
      }
      for (const version of versions) assertSame(version.table, version.expected)
    }),
    { numRuns: 100 },
  )
})

test('a name may pass from one thing to another within a transaction, in either order', () => {
  const first: Thing = { id: 'a', names: ['left'], text: '' }
  const second: Thing = { id: 'b', names: ['right'], text: '' }
  const start = RecordTable.empty(KIND).edit(true)
  for (const thing of [first, second]) put(start, thing)
  const before = start.finish()
  const edit = before.edit(false)
  for (const thing of [
    { ...first, names: ['right'] },
    { ...second, names: ['left'] },
  ])
    put(edit, thing)
  const after = edit.finish()
  assert.equal(after.find('left')?.id, 'b')
  assert.equal(after.find('right')?.id, 'a')
  assert.equal(before.find('left')?.id, 'a')
})

test('all of it received again, in another order, leaves what has not changed where it was', () => {
  const table = RecordTable.empty({ ...KIND, compiledMax: 2_000 })
  const things = Array.from({ length: 1_000 }, (_, number) => ({ id: `id-${number}`, names: [], text: 'x' }))
  const first = table.edit(true)
  for (const thing of things) put(first, thing)
  const before = first.finish()
  const compiled = things.map(({ id }) => before.get(id))
  const again = before.edit(true)
  for (const thing of things.toReversed())
    if (thing.id !== 'id-0') put(again, thing.id === 'id-999' ? { ...thing, text: 'y' } : thing)
  const after = again.finish()
  assert.equal(after.get('id-0'), undefined)
  assert.equal(after.get('id-999')?.text, 'y')
  const kept = things.filter(({ id }, number) => after.get(id) === compiled[number])
  assert.ok(kept.length > 800, `${kept.length} are as they were`)
})

test('what a full edit does not say is removed step by step, and what it says anew stays', () => {
  const first = RecordTable.empty(KIND).edit(true)
  for (let number = 0; number < 500; number += 1) put(first, thingOf(number))
  const before = first.finish()
  const edit = before.edit(true)
  put(edit, { ...thingOf(7), names: ['name-8'] })
  put(edit, { id: 'new', names: [], text: '' })
  const steps = [...edit.prepareFinish()]
  assert.ok(steps.length >= 499)
  const after = edit.finish()
  assert.equal(after.find('name-8')?.id, 'id-7')
  assert.equal(after.get('new')?.id, 'new')
  for (const gone of ['id-6', 'id-8', 'id-499']) assert.equal(after.get(gone), undefined)
  assert.equal(before.find('name-8')?.id, 'id-8')
  assert.equal([...after.lines()].join('').split('\n').length, 2 + 1)
})

test('rows move step by step out of blocks of which little is in use, and no version notices', () => {
  const many = 2_000
  const text = 'x'.repeat(1_000)
  const first = RecordTable.empty(KIND).edit(true)
  for (let number = 0; number < many; number += 1) put(first, { ...thingOf(number), text })
  const before = first.finish()
  const edit = before.edit(false)
  for (let number = 0; number < many; number += 1) if (number % 4 > 0) edit.remove(`id-${number}`)
  const steps = [...edit.prepareFinish()]
  assert.ok(steps.length >= many / 2, `${steps.length} steps`)
  const after = edit.finish()
  for (let number = 0; number < many; number += 1) {
    const thing = { ...thingOf(number), text }
    assert.deepEqual(after.get(thing.id), number % 4 > 0 ? undefined : thing)
    assert.deepEqual(after.find(`name-${number}`), number % 4 > 0 ? undefined : thing)
    assert.deepEqual(before.find(`name-${number}`), thing)
  }
})

test('what is no JSON is not there, and can be put again', () => {
  const first = RecordTable.empty(KIND).edit(true)
  first.put(putIn(`${lineOf(thingOf(1)).replace('"text":""', '"text"')}\n`))
  put(first, thingOf(2))
  const table = first.finish()
  assert.equal(table.get('id-1'), undefined)
  assert.deepEqual(table.find('name-2'), thingOf(2))
  assert.equal([...table.lines()].join(''), `${lineOf(thingOf(2))}\n`)
  for (const full of [false, true]) {
    const again = table.edit(full)
    put(again, thingOf(1))
    assert.deepEqual(again.finish().find('name-1'), thingOf(1))
  }
})
