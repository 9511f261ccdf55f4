import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import {
  HIT_FIELDS,
  OPERATIONS,
  requestFilters,
  summaryTrafficTable,
  TRAFFIC_FIELDS,
  totalRequest,
  trafficRequestFields,
  trafficSenderFields,
  trafficTimeline,
  wafRulesTimeline,
} from '@sallyport/contract'

const read = (name: string): string => readFileSync(resolve(import.meta.dirname, '../../docs', name), 'utf8')

/** First cells of the rows of a table, as the names in backticks that they hold. */
const namesIn = (table: string): string[] =>
  table
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) =>
      [...(line.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''),
    )

/** The rows of a table whose first cell is a name, as the name and the other cell. */
const rowsIn = (table: string): (string | undefined)[][] =>
  [...table.matchAll(/^\| `(\w+)` +\| (.*?) *\|$/gm)].map(([, name, meaning]) => [name, meaning])

test('record.md documents every field of an event and of a hit as the table of fields says it, and nothing else', () => {
  const [events = '', hits = ''] = read('record.md').split('A hit:')
  assert.deepEqual(
    rowsIn(events),
    [...trafficRequestFields, ...trafficSenderFields].map((name) => [name, TRAFFIC_FIELDS[name].meaning]),
  )
  assert.deepEqual(
    rowsIn(hits.split('## ')[0] ?? ''),
    Object.entries(HIT_FIELDS).map(([name, { meaning }]) => [name, meaning]),
  )
})

test('analytics.md documents every filter and every operation', () => {
  const text = read('analytics.md')
  const filters = namesIn(text.slice(text.search(/^\| filter /m), text.indexOf('## More')))
  const known = Object.keys(requestFilters).filter((name) => name !== 'gte' && name !== 'lte')
  assert.deepEqual(filters.sort(), known.sort())
  for (const { path } of OPERATIONS.filter(({ path }) => path.startsWith('/api/Analytics/')))
    assert.ok(text.includes(path), path)
})

test('the examples of analytics.md have the shapes that the operations answer', () => {
  const schemas = { totalRequest, trafficTimeline, wafRulesTimeline, summaryTrafficTable }
  const examples = [...read('analytics.md').matchAll(/```json example:(\w+)\n(.*?)```/gs)]
  assert.deepEqual(
    examples.map(([, name]) => name),
    Object.keys(schemas),
  )
  for (const [, name, example] of examples) {
    const schema = schemas[name as keyof typeof schemas]
    const value: unknown = JSON.parse(example ?? '')
    assert.deepEqual(schema.parse(value), value, name)
  }
})
