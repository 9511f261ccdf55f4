/** What is written is what the engine reads: blocks of random columns, read by ClickHouse itself. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { query } from 'chdb'
import fc from 'fast-check'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import {
  ArrayColumn,
  boolColumn,
  enum8Column,
  LowCardinalityColumn,
  MapColumn,
  type NativeColumn,
  nativeBlock,
  numberColumn,
  type Picks,
  range,
  StringColumn,
  UuidColumn,
  uint64Column,
} from '../src/index.ts'

const directory = temporaryFolder({ after })

/** The rows that the engine finds in a block: arrays of its values. */
function readByEngine(block: Buffer): unknown[][] {
  const file = join(directory, 'block')
  writeFileSync(file, block)
  const text = query(
    `SELECT * FROM file('${file}', 'Native') SETTINGS output_format_json_quote_64bit_integers = 0`,
    'JSONCompactEachRow',
  )
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

const WORDS = ['low', 'medium', 'high'] as const
const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom('\0', '\ud800', '\n\t\\N', 'é'.repeat(127), 'x'.repeat(128)),
)
const long = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER))

const mapOf = (key: fc.Arbitrary<string | number>, value: fc.Arbitrary<unknown>) =>
  fc.array(fc.tuple(key, value), { maxLength: 5 }).map((pairs) => new Map(pairs))

/** Each kind of column, with any values of it. */
const kinds: readonly (readonly [make: () => NativeColumn<never, unknown>, value: fc.Arbitrary<unknown>])[] =
  [
    [() => numberColumn('UInt8'), fc.nat(2 ** 8 - 1)],
    [() => numberColumn('UInt16'), fc.nat(2 ** 16 - 1)],
    [() => numberColumn('UInt32'), fc.nat(2 ** 32 - 1)],
    [() => uint64Column('UInt64'), long],
    [() => boolColumn(), fc.boolean()],
    [() => enum8Column(WORDS, 1), fc.constantFrom(...WORDS)],
    [() => new LowCardinalityColumn(), text],
    [() => new StringColumn(), text],
    [() => new UuidColumn(), fc.uuid()],
    [
      () => new ArrayColumn(new LowCardinalityColumn(), (item: string) => item),
      fc.array(text, { maxLength: 5 }),
    ],
    [() => new ArrayColumn(boolColumn(), (item: boolean) => item), fc.array(fc.boolean(), { maxLength: 5 })],
    [() => new MapColumn(new LowCardinalityColumn(), uint64Column('UInt64')), mapOf(text, long)],
    [() => new MapColumn(numberColumn('UInt16'), new StringColumn()), mapOf(fc.nat(2 ** 16 - 1), text)],
  ]

const table = fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 6 }).chain((columns) =>
  fc.record({
    makers: fc.constant(columns.map(([make]) => make)),
    entries: fc.array(fc.tuple(...columns.map(([, value]) => value)), { minLength: 1, maxLength: 40 }),
    picked: fc.array(fc.nat(), { minLength: 1, maxLength: 60 }),
  }),
)

const wellFormed = (rows: unknown): unknown =>
  JSON.parse(
    JSON.stringify(rows, (_key, value) => (value instanceof Map ? objectOf(value) : value)),
    (_key, value) => (typeof value === 'string' ? value.toWellFormed() : value),
  )

/** A map as the engine writes it: of keys that became the same one, the last. */
const objectOf = (map: ReadonlyMap<unknown, unknown>): Record<string, unknown> =>
  Object.fromEntries(Array.from(map, ([key, value]) => [String(key).toWellFormed(), value]))

test('the engine reads the entries that were picked, in their order', () => {
  fc.assert(
    fc.property(table, ({ makers, entries, picked }) => {
      const columns = makers.map((make) => make())
      for (const entry of entries)
        for (const [index, column] of columns.entries()) column.add(entry[index] as never)
      const picks: Picks = Uint32Array.from(picked, (pick) => pick % entries.length)
      const write = (some: Picks): Buffer =>
        nativeBlock(
          columns.map((column, index) => ({ name: `column ${index}`, column, picks: some })),
          some.length,
          64,
        )
      assert.deepEqual(readByEngine(write(picks)), wellFormed(Array.from(picks, (pick) => entries[pick])))
      assert.deepEqual(readByEngine(write(range(0, entries.length))), wellFormed(entries))
      const again = entries.map((_, entry) => columns.map((column) => column.at(entry)))
      assert.deepEqual(wellFormed(again), wellFormed(entries))
    }),
    { numRuns: 150 },
  )
})

test('texts get numbers as wide as their count asks for', () => {
  for (const count of [0x100, 0x101, 0x10000, 0x10001]) {
    const column = new LowCardinalityColumn()
    for (let number = 0; number < count; number += 1) column.add(`text ${number}`)
    const rows = readByEngine(nativeBlock([{ name: 'a', column, picks: range(0, count) }], count, 64))
    assert.equal(rows.length, count)
    assert.ok(rows.every(([value], number) => value === `text ${number}`))
  }
})
