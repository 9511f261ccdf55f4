import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTrafficStore, type TrafficStore } from '../../src/traffic-store/connection.ts'
import { type Migration, migrateTrafficStore, readMigrations } from '../../src/traffic-store/migrate.ts'

/** Each fills its rollups from what is stored. */
const FILLING = readMigrations().filter(({ name }) => name.startsWith('urls'))
const TABLES = ['urls_ten_minutes', 'urls_three_hours', 'urls_days']
const STORED = `INSERT INTO requests (org_id, site_id, time, id, kind, researcher_id, host, route, status, outcome,
    request_bytes, response_bytes, duration_us, hit_rules, hit_classes, hit_severities,
    hit_excluded, retention_days)
  SELECT concat('org-', toString(number % 2)), concat('site-', toString(number % 3)),
    fromUnixTimestamp64Milli(toInt64(1800000000000 + number * 97001), 'UTC'), generateUUIDv7(number),
    multiIf(number % 31 = 0, 'websocket_close', number % 31 = 1, 'websocket_open', 'request'),
    if(number % 5 = 0, '', concat('researcher-', toString(number % 7))), 'shop.gate.example',
    concat('/route/', toString(number % 11)), [200, 302, 404, 0][number % 4 + 1], ['origin', 'block', 'gate'][number % 3 + 1],
    number % 400, number % 9000, number * number % 1000000,
    arrayResize(['a', 'b'], number % 3), arrayResize(['x', 'x'], number % 3), arrayResize(['low', 'high'], number % 3),
    arrayResize([false, true], number % 3), 5000
  FROM numbers(4000) SETTINGS max_partitions_per_insert_block = 0`

/** All that a rollup holds, whatever parts it lies in. */
const contentOf = (store: TrafficStore, table: string): Promise<unknown[]> =>
  store.query(
    `SELECT org_id, site_id, toString(time) AS start, host, route, outcome, status_class, sum(requests), sum(hits),
       sum(request_bytes), sum(response_bytes), toString(max(last_seen)), arraySort(groupUniqArrayArray(researchers)),
       toString(sumMap(durations)), max(retention_days)
     FROM ${table} GROUP BY org_id, site_id, time, host, route, outcome, status_class ORDER BY ALL`,
  )

test('what was stored before there was the rollup by URL is in it, also if the migration was cut short', async () => {
  assert.equal(FILLING.length, 2)
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-urls-'))
  const all = readMigrations()
  const before = (number: number): Migration[] => all.filter((migration) => migration.number < number)
  try {
    const fresh = await openTrafficStore({ dataDir: join(folder, 'fresh') })
    await migrateTrafficStore(fresh)
    await fresh.command(STORED)
    const expected = await Promise.all(TABLES.map((table) => contentOf(fresh, table)))
    await fresh.close()
    assert.ok(expected.every((rows) => rows.length > 300))

    const migrated = await openTrafficStore({ dataDir: join(folder, 'migrated') })
    await migrateTrafficStore(migrated, before(FILLING[0]?.number ?? 0))
    await migrated.command(STORED)
    for (const migration of FILLING)
      for (let length = 1; length < migration.statements.length; length += 1) {
        const statements = migration.statements.slice(0, length)
        const cut: Migration = { ...migration, statements: [...statements, 'SELECT broken'] }
        await assert.rejects(migrateTrafficStore(migrated, [...before(migration.number), cut]))
        const [, table] = /^INSERT INTO (\w+)/.exec(statements.at(-1) ?? '') ?? []
        // As if it had been cut short between two days.
        if (table)
          await migrated.command(
            `ALTER TABLE ${table} DELETE WHERE toYYYYMMDD(time) = 20270117 SETTINGS mutations_sync = 1`,
          )
      }
    await migrateTrafficStore(migrated, all)
    for (const [index, table] of TABLES.entries())
      assert.deepEqual(await contentOf(migrated, table), expected[index], table)
    await migrated.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
