import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { movedColumn, readColumnChoice } from '../../../../src/pages/traffic/columns/column-choice.ts'

const COLUMNS = [
  { id: 'time', isShown: true },
  { id: 'target', isShown: true },
  { id: 'route', isShown: false },
]

test('what was chosen is kept, and what is new comes last', () => {
  const stored = {
    order: ['target', 'gone', 'time'],
    shown: { time: false, route: 'x' },
    widths: { target: 300.4 },
  }
  assert.deepEqual(readColumnChoice(stored, COLUMNS), {
    order: ['target', 'time', 'route'],
    shown: { time: false, target: true, route: false },
    widths: { target: 300 },
  })
})

test('whatever is stored, every column is there once, with sane widths', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.anything(),
        fc.record({ order: fc.anything(), shown: fc.anything(), widths: fc.anything() }),
        fc.record({
          order: fc.array(fc.constantFrom('time', 'route', 'time')),
          widths: fc.dictionary(fc.constantFrom('time', 'route'), fc.double()),
        }),
      ),
      (stored) => {
        const { order, shown, widths } = readColumnChoice(stored, COLUMNS)
        assert.deepEqual([...order].sort(), ['route', 'target', 'time'])
        assert.deepEqual(Object.keys(shown), ['time', 'target', 'route'])
        for (const width of Object.values(widths)) assert.ok(width >= 40 && width <= 1_200)
      },
    ),
  )
})

test('a column moves by one, and not over the ends', () => {
  assert.deepEqual(movedColumn(['a', 'b', 'c'], 'b', 1), ['a', 'c', 'b'])
  assert.deepEqual(movedColumn(['a', 'b', 'c'], 'a', -1), ['a', 'b', 'c'])
  assert.deepEqual(movedColumn(['a', 'b', 'c'], 'c', 1), ['a', 'b', 'c'])
})
