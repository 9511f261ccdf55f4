import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { VERDICT_WORDS } from '@sallyport/contract'
import { openTrafficStore, type TrafficStore } from '../../src/traffic-store/connection.ts'
import { type Migration, migrateTrafficStore, readMigrations } from '../../src/traffic-store/migrate.ts'

const STORED = `INSERT INTO requests (org_id, site_id, time, id, kind, researcher_id, method, route, status, outcome, reason, inspection, rule,
    hit_rules, hit_classes, hit_severities, hit_parts, hit_parameters, hit_excluded, request_count, retention_days)
  SELECT concat('org-', toString(number % 2)), concat('site-', toString(number % 3)),
    fromUnixTimestamp64Milli(toInt64(1800000000000 + number * 97001), 'UTC'), generateUUIDv7(number),
    multiIf(number % 31 = 0, 'websocket_close', number % 31 = 1, 'websocket_open', 'request'),
    if(number % 5 = 0, '', concat('researcher-', toString(number % 7))), ['GET', 'POST'][number % 2 + 1],
    concat('/route/', toString(number % 11)), [200, 302, 404, 0][number % 4 + 1],
    ['origin', 'block', 'gate', 'firewall'][number % 4 + 1], ['', 'definition', 'firewall'][number % 3 + 1],
    ['skipped', 'full'][number % 2 + 1], '',
    arrayResize(['a', 'b', 'c'], number % 4), arrayResize(['x', 'x', 'definition'], number % 4),
    arrayResize(['low', 'high', 'low'], number % 4), arrayResize(['query', 'query', 'body'], number % 4),
    arrayResize(['p', if(number % 2 = 0, 'p', 'q'), ''], number % 4), arrayResize([false, number % 9 = 0, true], number % 4),
    number % 3 + 1, 5000
  FROM numbers(4000) SETTINGS max_partitions_per_insert_block = 0`
const SUMS = [...VERDICT_WORDS, 'uninspected'].map((word) => `sum(${word})`).join(', ')
const COVERED = 'level, route, method, class'
const SEEN = 'toString(min(first_seen)), toString(max(last_seen)), '
const TABLES = {
  coverage_hours: [`${COVERED}, researcher_id`, `${SEEN}${SUMS}`],
  coverage_days: [COVERED, `${SEEN}${SUMS}, arraySort(groupUniqArrayArray(researchers))`],
  coverage_totals_hours: ['level', 'sum(c.requests)'],
  attempts_hours: [
    'class, route, method, part, parameter, researcher_id, outcome, status, reason, rule',
    `${SEEN}sum(c.attempts)`,
  ],
  attempts_days: [
    'route, method, class, part, parameter',
    `${SEEN}${VERDICT_WORDS.map((word) => `sum(${word})`).join(', ')}, arraySort(groupUniqArrayArray(researchers))`,
  ],
} as const
type Table = keyof typeof TABLES
// The table has no other keys than its own.
const TABLE_NAMES = Object.keys(TABLES) as Table[]

/** All that a rollup holds, whatever parts it lies in. */
const contentOf = (store: TrafficStore, table: Table): Promise<unknown[]> =>
  store.query(
    `SELECT org_id, site_id, toString(c.time) AS start, ${TABLES[table][0]}, ${TABLES[table][1]},
       max(retention_days)
     FROM ${table} AS c GROUP BY org_id, site_id, c.time, ${TABLES[table][0]} ORDER BY ALL`,
  )

/** Runs a migration cut short after each of its statements, as if each fill had also been cut short between two days. */
async function migrateInPieces(
  migrated: TrafficStore,
  all: readonly Migration[],
  filling: Migration,
): Promise<void> {
  const before = all.slice(0, filling.number - 1)
  await migrateTrafficStore(migrated, before)
  for (let length = 1; length < filling.statements.length; length += 1) {
    const statements = filling.statements.slice(0, length)
    const cut: Migration = { ...filling, statements: [...statements, 'SELECT broken'] }
    await assert.rejects(migrateTrafficStore(migrated, [...before, cut]))
    const [, table] = /^INSERT INTO (\w+)/.exec(statements.at(-1) ?? '') ?? []
    if (table)
      await migrated.command(
        `ALTER TABLE ${table} DELETE WHERE toYYYYMMDD(time) = 20270117 SETTINGS mutations_sync = 1`,
      )
  }
}

test('what was stored before there was coverage is in it, also if the migration was cut short', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-coverage-'))
  const all = readMigrations()
  const fillings = all.filter(({ name }) => name === 'coverage' || name === 'coverage-of-sites')
  assert.equal(fillings.length, 2)
  const [first] = fillings
  assert.ok(first)
  try {
    const fresh = await openTrafficStore({ dataDir: join(folder, 'fresh') })
    await migrateTrafficStore(fresh)
    await fresh.command(STORED)
    const expected = await Promise.all(TABLE_NAMES.map((table) => contentOf(fresh, table)))
    const counts = await fresh.query(
      `SELECT level, sum(${VERDICT_WORDS.join(' + ')}) AS total FROM coverage_days GROUP BY level ORDER BY level`,
    )
    const counted = await fresh.query(
      `SELECT sumIf(request_count, kind != 'websocket_close') AS total FROM requests`,
    )
    assert.deepEqual(counts[0], { level: 'request', ...(counted[0] as object) })
    await fresh.close()
    assert.ok(expected.every((rows) => rows.length > 200))

    const migrated = await openTrafficStore({ dataDir: join(folder, 'migrated') })
    await migrateTrafficStore(migrated, all.slice(0, first.number - 1))
    await migrated.command(STORED)
    for (const filling of fillings) await migrateInPieces(migrated, all, filling)
    await migrateTrafficStore(migrated, all)
    for (const [index, table] of TABLE_NAMES.entries())
      assert.deepEqual(await contentOf(migrated, table), expected[index], table)
    await migrated.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a day that is kept no longer goes from sums of days and from the totals beside them alike', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-coverage-'))
  const store = await openTrafficStore({ dataDir: folder })
  try {
    await migrateTrafficStore(store)
    // The last hour of the day at the beginning of which thirty days ago lies, and one that is kept whole.
    await store.command(
      `INSERT INTO requests (org_id, site_id, time, id, kind, method, route, status, outcome, request_count, retention_days)
       SELECT 'org', 'site', toDateTime64(toStartOfDay(now('UTC')), 3, 'UTC') - INTERVAL 30 DAY + INTERVAL number DAY + INTERVAL 1439 MINUTE,
         generateUUIDv7(number), 'request', 'GET', '/orders', 200, 'origin', 1, 30
       FROM numbers(2) SETTINGS max_partitions_per_insert_block = 0`,
    )
    const counted = async (table: string, count: string): Promise<number> => {
      await store.command(`OPTIMIZE TABLE ${table} FINAL`)
      const [row] = await store.query<{ count: number }>(
        `SELECT toUInt32(sum(${count})) AS count FROM ${table}`,
      )
      return row?.count ?? 0
    }
    assert.equal(await counted('coverage_days', 'reached'), 1)
    assert.equal(await counted('coverage_totals_hours', 'requests'), 1)
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
})
