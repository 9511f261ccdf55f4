/** What a backup takes of a traffic store that is written to meanwhile. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readTrafficColumns, readTrafficPieces } from '../../src/backup/traffic-pieces-store.ts'
import { openTemporaryStore } from '../support/traffic.ts'

const { store, remove } = await openTemporaryStore()
after(remove)

/** More than is read at once. */
const SHAPES = 45_000

/** Adds a request to each of the shapes of a day. */
const observe = (): Promise<void> =>
  store.command(
    `INSERT INTO api_observations (org_id, site_id, time, place, method, shape, name, type, requests, covered, researchers, sizes, first_seen, last_seen, retention_days)
     SELECT 'org-a', 'site-a', toStartOfDay(now()), 'answer', 'GET', toString(number), '', '', 1, 1, map(), map(), now(), now(), 90 FROM numbers(${SHAPES})`,
  )

test('each observation is in a backup once, though more of its kind come while it is made', async () => {
  await observe()
  const columns = await readTrafficColumns(store)
  const at = columns.api_observations?.indexOf('shape') ?? -1
  const shapes: unknown[] = []
  for await (const { table, data } of readTrafficPieces(store, columns)) {
    if (table !== 'api_observations') continue
    if (shapes.length === 0) await observe()
    for (const line of data.toString('utf8').trimEnd().split('\n')) shapes.push(JSON.parse(line)[at])
  }
  assert.equal(new Set(shapes).size, SHAPES)
  assert.equal(shapes.length, SHAPES)
})
