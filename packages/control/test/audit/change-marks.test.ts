/** Charts ask for the changes of their window every few seconds: that costs what the window holds, however long the log is. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { listChangeMarks } from '../../src/audit/store.ts'
import type { Transaction } from '../../src/database/database.ts'
import { openTestDatabase } from '../support/database.ts'

const ENTRIES = 20_000
const MARKS_MAX = 500
const NEWEST = Date.parse('2027-01-01T00:00:00Z')
const { database, owner } = await openTestDatabase()

/** Two organizations, with an entry a minute each. */
const orgIds = [randomUUID(), randomUUID()] as const
for (const orgId of orgIds)
  await owner.query(
    `INSERT INTO audit_log (org_id, sequence, entry, hash, time, actor, action, target)
     SELECT $1, n, '{"actor":{"kind":"user"},"target":{"kind":"site"}}', '', $2::timestamptz - ($3 - n) * interval '1 minute',
       'user', 'site.update', 'site'
     FROM generate_series(1, $3) n`,
    [orgId, new Date(NEWEST), ENTRIES],
  )
await owner.query('ANALYZE audit_log')

const minutesAgo = (minutes: number): string => new Date(NEWEST - minutes * 60_000).toISOString()
const [orgId] = orgIds

/** The rows that were looked at, those included that were thrown away. */
async function rowsReadFor(window: { readonly gte: string; readonly lte: string }): Promise<number> {
  const plan = await database.read(orgId, async (tx) => {
    const explained: Transaction = {
      query: (text, values) => tx.query(`EXPLAIN (ANALYZE, FORMAT TEXT) ${text}`, values),
    }
    return (await listChangeMarks(explained, orgId, window, MARKS_MAX)) as unknown as readonly object[]
  })
  const text = plan.flatMap(Object.values).join('\n')
  const counts = text.matchAll(/(?:\brows=|Rows Removed by \w+: )([\d.]+)(?= loops|$)/gm)
  return Math.max(...[...counts].map(([, count]) => Number(count)))
}

test('newest first, of the window alone', async () => {
  const window = { gte: minutesAgo(12), lte: minutesAgo(10) }
  const marks = await database.read(orgId, (tx) => listChangeMarks(tx, orgId, window, MARKS_MAX))
  assert.deepEqual(
    marks.map(({ sequence }) => sequence),
    [ENTRIES - 10, ENTRIES - 11, ENTRIES - 12],
  )
  assert.deepEqual([marks[0]?.time, marks[0]?.target], [minutesAgo(10), { kind: 'site' }])
})

for (const [what, window] of [
  ['of an hour with few changes', { gte: minutesAgo(60), lte: minutesAgo(0) }],
  ['of long ago', { gte: minutesAgo(ENTRIES - 10), lte: minutesAgo(ENTRIES - 60) }],
  ['with more changes than are named', { gte: minutesAgo(ENTRIES), lte: minutesAgo(0) }],
  ['after the last change', { gte: minutesAgo(-10), lte: minutesAgo(-20) }],
] as const)
  test(`a window ${what} reads no more of the log than it answers`, async () => {
    const rows = await rowsReadFor(window)
    assert.ok(rows <= MARKS_MAX + 1, `${rows} rows were read`)
  })
