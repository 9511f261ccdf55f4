/** A block of observations says to the engine what was summed up, whatever names are in it. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { query } from 'chdb'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { BatchObservations } from '../../src/collector/batch-observations.ts'
import { OBSERVATION_COLUMNS } from '../../src/collector/observation-rows.ts'
import { event, hit } from '../support/traffic.ts'

const DAY_MS = 86_400_000
const DAY = Date.UTC(2026, 10, 1)

const directory = temporaryFolder({ after })

type Row = Readonly<Record<string, unknown>>

/** The rows of a block as the engine reads them. */
function rowsOf(events: readonly ReturnType<typeof event>[]): Row[] {
  const observations = new BatchObservations()
  for (const one of events) observations.add(one, one)
  const block = observations.block(new Map([['org-1', 90]]))
  assert.equal(observations.block(new Map()).length, 0)
  const file = join(directory, 'block')
  writeFileSync(file, block)
  const text = query(
    `SELECT * REPLACE (toUnixTimestamp64Milli(first_seen) AS first_seen, toUnixTimestamp64Milli(last_seen) AS last_seen)
     FROM file('${file}', 'Native') SETTINGS output_format_json_quote_64bit_integers = 0`,
    'JSONEachRow',
  )
  const rows = text.split('\n').filter((line) => line !== '')
  return rows.map((row) => {
    const read: Row = JSON.parse(row)
    assert.deepEqual(Object.keys(read), OBSERVATION_COLUMNS)
    return read
  })
}

test('sums are rows by organization, site and day', () => {
  const of = (given: Parameters<typeof event>[0]) =>
    event({ kind: 'request', outcome: 'origin', status: 200, method: 'GET', target: '/orders/17', ...given })
  const rows = rowsOf([
    of({ orgId: 'org-1', siteId: 'a', researcherId: 'ann', time: DAY, responseBytes: 0 }),
    of({ orgId: 'org-1', siteId: 'a', researcherId: 'ben', time: DAY + 5, responseBytes: 0 }),
    of({ orgId: 'org-1', siteId: 'b', researcherId: 'ann', time: DAY, responseBytes: 0 }),
    of({ orgId: 'org-1', siteId: 'a', researcherId: 'ann', time: DAY + DAY_MS, responseBytes: 0 }),
    of({ orgId: 'org-2', siteId: 'a', researcherId: 'ann', time: DAY, responseBytes: 0, hits: [hit()] }),
  ])
  const shared = { place: 'answer', method: 'GET', shape: '/orders/{integer}', name: '200', type: '' }
  assert.deepEqual(rows, [
    {
      ...{ org_id: 'org-1', site_id: 'a', time: DAY / 1000, ...shared, requests: 2, covered: 0 },
      ...{ researchers: { ann: 1, ben: 1 }, sizes: { 24: 2 }, first_seen: DAY, last_seen: DAY + 5 },
      retention_days: 90,
    },
    {
      ...{ org_id: 'org-1', site_id: 'b', time: DAY / 1000, ...shared, requests: 1, covered: 0 },
      ...{ researchers: { ann: 1 }, sizes: { 24: 1 }, first_seen: DAY, last_seen: DAY, retention_days: 90 },
    },
    {
      ...{ org_id: 'org-1', site_id: 'a', time: (DAY + DAY_MS) / 1000, ...shared, requests: 1, covered: 0 },
      ...{ researchers: { ann: 1 }, sizes: { 24: 1 }, first_seen: DAY + DAY_MS, last_seen: DAY + DAY_MS },
      retention_days: 90,
    },
    {
      ...{ org_id: 'org-2', site_id: 'a', time: DAY / 1000, ...shared, requests: 0, covered: 1 },
      ...{ researchers: {}, sizes: {}, first_seen: DAY, last_seen: DAY, retention_days: 0 },
    },
  ])
})

test('names are in a row as they are', () => {
  const odd = ['"],[', '\\', '\n', '\u2028', '\u{1f511}', "'", '{}']
  for (const name of odd) {
    const [row] = rowsOf([
      event({
        ...{ orgId: `org${name}`, siteId: `site${name}`, researcherId: `who${name}`, kind: 'request' },
        ...{
          outcome: 'origin',
          status: 302,
          method: 'GET',
          target: '/a',
          leadsTo: [`host${name}`],
          time: DAY,
        },
      }),
    ])
    assert.deepEqual(
      [row?.org_id, row?.site_id, row?.researchers, row?.type],
      [`org${name}`, `site${name}`, { [`who${name}`]: 1 }, ` //host${name}`],
    )
  }
})
