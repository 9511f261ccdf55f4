/** Lines of observations are JSON that says what was summed up, whatever names are in it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BatchObservations, OBSERVATION_COLUMNS } from '../../src/collector/observation-lines.ts'
import { event, hit } from '../support/traffic.ts'

const DAY_MS = 86_400_000
const DAY = Date.UTC(2026, 10, 1)

interface Line extends Readonly<Record<(typeof OBSERVATION_COLUMNS)[number], unknown>> {}

function linesOf(events: readonly ReturnType<typeof event>[]): Line[] {
  const observations = new BatchObservations()
  for (const one of events) observations.add(one, one)
  const text = observations.lines(new Map([['org-1', 90]])).toString()
  assert.equal(observations.lines(new Map()).length, 0)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const cells: unknown[] = JSON.parse(line)
      assert.equal(cells.length, OBSERVATION_COLUMNS.length)
      // Each column is there: there are as many cells.
      return Object.fromEntries(
        OBSERVATION_COLUMNS.map((name, index) => [name, cells[index]]),
      ) as unknown as Line
    })
}

test('sums are lines by organization, site and day', () => {
  const of = (given: Parameters<typeof event>[0]) =>
    event({ kind: 'request', outcome: 'origin', status: 200, method: 'GET', target: '/orders/17', ...given })
  const lines = linesOf([
    of({ orgId: 'org-1', siteId: 'a', researcherId: 'ann', time: DAY, responseBytes: 0 }),
    of({ orgId: 'org-1', siteId: 'a', researcherId: 'ben', time: DAY + 5, responseBytes: 0 }),
    of({ orgId: 'org-1', siteId: 'b', researcherId: 'ann', time: DAY, responseBytes: 0 }),
    of({ orgId: 'org-1', siteId: 'a', researcherId: 'ann', time: DAY + DAY_MS, responseBytes: 0 }),
    of({ orgId: 'org-2', siteId: 'a', researcherId: 'ann', time: DAY, responseBytes: 0, hits: [hit()] }),
  ])
  const shared = { place: 'answer', method: 'GET', shape: '/orders/{integer}', name: '200', type: '' }
  assert.deepEqual(lines, [
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

test('names that would break a line are in it as they are', () => {
  const odd = ['"],[', '\\', '\n', '\u2028', '\u{1f511}', "'", '{}']
  for (const name of odd) {
    const [line] = linesOf([
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
      [line?.org_id, line?.site_id, line?.researchers, line?.type],
      [`org${name}`, `site${name}`, { [`who${name}`]: 1 }, ` //host${name}`],
    )
  }
})
