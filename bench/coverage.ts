/**
 * Measures the coverage of one site: `node bench/coverage.ts MILLIONS [FOLDER [MOST [COPIES]]]`, 10 million requests by default, of the last 30 days, to 1,000
 * operations by 2,000 researchers, of whom 60 are at work in an hour, each on 20 operations; a fifth have a hit of one of 21 classes in one of
 * four parameters, and one in a hundred goes to a path that no other has. They are made by SQL and go through the same table and views as the
 * collector's. FOLDER is kept, and of MILLIONS at most MOST are made in one run, so that it can be done in several. With COPIES, only that part of
 * them is made, those of the last days, and what the views made of it is put beside it again for the days before, with other unknown paths: so 100
 * million by five cost as much as 20, and what a map reads is as much as of 100.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ATTACK_CLASS_NAMES } from '@sallyport/contract'
import { siteTraffic } from '../packages/control/src/features/analytics/site-traffic.ts'
import { coverageMap } from '../packages/control/src/features/coverage/coverage-map.ts'
import { csvOf } from '../packages/control/src/features/coverage/export/csv.ts'
import { namedOfCell } from '../packages/control/src/features/coverage/service.ts'
import { beginningsOf } from '../packages/control/src/features/coverage/template-beginnings.ts'
import { openTrafficStore } from '../packages/control/src/traffic-store/connection.ts'
import { migrateTrafficStore } from '../packages/control/src/traffic-store/migrate.ts'
import { median } from './support/statistics.ts'

const [millions = '10', given, most = 'Infinity', copies = '1'] = process.argv.slice(2)
const DAY_MS = 86_400_000
const SPAN_MS = 30 * DAY_MS
const COPIES = Number(copies)
const MADE_SPAN_MS = SPAN_MS / COPIES
const ROUNDS = 7
const OPERATIONS = 1_000
const RESEARCHERS = 2_000
const folder = given ?? mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
const store = await openTrafficStore({ dataDir: folder })
await migrateTrafficStore(store)

const CLASSES = `[${ATTACK_CLASS_NAMES.map((name) => `'${name}'`).join(', ')}]`
/** In each hour some researchers are at work, each on some operations. */
const AT_WORK = 60
const IN_HAND = 20
const ROWS = `SELECT 'org-1' AS org_id, 'site-1' AS site_id,
    fromUnixTimestamp64Milli(toInt64({from:Int64} + intDiv(number * {span:Int64}, 1000000)), 'UTC') AS time, toStartOfHour(time) AS hour,
    generateUUIDv7(number) AS id, 'request' AS kind,
    cityHash64(hour, cityHash64(number, {from:Int64}) % ${AT_WORK}) % ${RESEARCHERS} AS researcher,
    concat('00000000-0000-4000-8000-', leftPad(toString(researcher), 12, '0')) AS researcher_id,
    'GET' AS method, if(cityHash64(number, 2, {from:Int64}) % 100 = 0, concat('/nowhere/', toString(cityHash64(number, {from:Int64}))),
      concat('/v1/thing', toString(cityHash64(hour, researcher, cityHash64(number, 3, {from:Int64}) % ${IN_HAND}) % ${OPERATIONS}), '/{id}')) AS route,
    concat('/v1/thing/', toString(cityHash64(number, 4) % 5000)) AS path,
    ['origin', 'origin', 'origin', 'origin', 'firewall', 'limit'][cityHash64(number, 6) % 6 + 1] AS outcome,
    multiIf(outcome = 'firewall', 403, outcome = 'limit', 429, [200, 200, 200, 404, 403, 500, 429, 302][cityHash64(number, 5) % 8 + 1]) AS status,
    if(outcome = 'firewall', 'crs-942-100', '') AS rule, cityHash64(number, 7) % 5 = 0 AS attacks,
    if(attacks, ['rule'], []) AS hit_rules, if(attacks, [${CLASSES}[cityHash64(number, 8) % 21 + 1]], []) AS hit_classes,
    if(attacks, ['high'], []) AS hit_severities, if(attacks, ['query'], []) AS hit_parts,
    if(attacks, [['q', 'id', 'sort', 'page'][cityHash64(number, 9) % 4 + 1]], []) AS hit_parameters,
    if(attacks, [false], []) AS hit_excluded, 400 AS retention_days
  FROM numbers(1000000)`
const COLUMNS =
  'org_id, site_id, time, id, kind, researcher_id, method, route, path, status, outcome, rule, hit_rules, hit_classes, hit_severities, hit_parts, hit_parameters, hit_excluded, retention_days'

/** Views of what is not measured here, which would take most of the time in which requests are made. */
const OTHER_VIEWS = [
  'traffic_minutes_view',
  'activity_hours_view',
  'rules_minutes_view',
  'urls_ten_minutes_view',
]
const UNUSED_INDEXES = ['id_index', 'researcher_index', 'rule_index', 'path_index']
const count = Number(millions) / COPIES
/** Made requests, without those that were put beside them. */
const MADE = "path NOT LIKE '/copied%'"
const [there = { total: 0, first: 0 }] = await store.query<{ total: number; first: number }>(
  `SELECT count() AS total, toUnixTimestamp64Milli(min(time)) AS first FROM requests WHERE ${MADE}`,
)
const made = Math.floor(there.total / 1e6)
const startMs = made > 0 ? there.first : Date.now() - MADE_SPAN_MS
const until = Math.min(count, made + Number(most))
const began = performance.now()
if (made === 0) {
  for (const view of OTHER_VIEWS) await store.command(`DROP VIEW IF EXISTS ${view}`)
  for (const index of UNUSED_INDEXES)
    await store.command(`ALTER TABLE requests DROP INDEX IF EXISTS ${index}`)
}
for (let million = made; million < until; million++)
  await store.command(
    `INSERT INTO requests (${COLUMNS}) SELECT ${COLUMNS} FROM (${ROWS}) SETTINGS max_partitions_per_insert_block = 0`,
    {
      from: Math.floor(startMs + (million * MADE_SPAN_MS) / count),
      span: Math.floor(MADE_SPAN_MS / count),
    },
  )
console.log(`${until - made} million requests made in ${((performance.now() - began) / 1000).toFixed(0)} s`)
if (until < count) {
  await store.close()
  process.exit()
}
const [edge] = await store.query<{ last: number }>(
  'SELECT toUnixTimestamp64Milli(max(time)) AS last FROM requests',
)
const last = edge?.last ?? startMs + SPAN_MS
const [copied] = await store.query<{ total: number }>(
  `SELECT count() AS total FROM requests WHERE NOT (${MADE})`,
)
if (COPIES > 1 && copied?.total === 0) await copy()

for (const table of ['requests', 'coverage_hours', 'coverage_days', 'attempts_hours', 'attempts_days']) {
  const [found] = await store.query<{ rows: number; bytes: number }>(
    `SELECT sum(rows) AS rows, sum(bytes_on_disk) AS bytes FROM system.parts
     WHERE active AND database = currentDatabase() AND table = {table:String}`,
    { table },
  )
  console.log(`${table}: ${found?.rows} rows, ${((found?.bytes ?? 0) / 1e6).toFixed(0)} MB`)
}

const operations = Array.from({ length: OPERATIONS }, (_, index) => ({
  method: 'GET',
  template: `/v1/thing${index}/{thingId}`,
  source: 'given' as const,
  parameters: [{ place: 'query' as const, name: 'q' }],
}))

/** Puts the sums beside them for the days before, and of the requests those that the edges of the windows are read from. */
async function copy(): Promise<void> {
  const views = await store.query<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine = 'MaterializedView'",
  )
  for (const { name } of views) await store.command(`DROP VIEW ${name}`)
  const shifted = (table: string, condition: string, columns: string): Promise<void>[] =>
    Array.from({ length: COPIES - 1 }, (_, index) =>
      store.command(
        `INSERT INTO ${table} SELECT * REPLACE (${columns}) FROM (SELECT * FROM ${table} WHERE ${condition}) SETTINGS max_partitions_per_insert_block = 0`,
        { shift: ((index + 1) * MADE_SPAN_MS) / 1000, copy: index + 1, from: startMs },
      ),
    )
  // Conditions on times keep what was copied from being copied.
  const isMade = 'last_seen >= fromUnixTimestamp64Milli({from:Int64})'
  const moved =
    "time - toIntervalSecond({shift:UInt32}) AS time, first_seen - toIntervalSecond({shift:UInt32}) AS first_seen, last_seen - toIntervalSecond({shift:UInt32}) AS last_seen, if(startsWith(route, '/nowhere'), concat(route, toString({copy:UInt8})), toString(route)) AS route"
  for (const table of ['coverage_hours', 'coverage_days', 'attempts_hours', 'attempts_days'])
    for (const done of shifted(table, isMade, moved)) await done
  for (const done of shifted(
    'coverage_totals_hours',
    'time >= toStartOfHour(fromUnixTimestamp64Milli({from:Int64}))',
    'time - toIntervalSecond({shift:UInt32}) AS time',
  ))
    await done
  for (const done of shifted(
    'requests',
    `${MADE} AND time < fromUnixTimestamp64Milli({from:Int64} + 3600000)`,
    "time - toIntervalSecond({shift:UInt32}) AS time, generateUUIDv7(1) AS id, concat('/copied', path) AS path",
  ))
    await done
}

async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    console.log(`${name}: not answered: ${error instanceof Error ? error.message : error}`)
    return
  }
  const times: number[] = []
  const processor: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now()
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    times.push(performance.now() - began)
    processor.push((user + system) / 1000)
  }
  // The engine is in this process. What other work leaves of the machine changes the first number, and hardly the last.
  console.log(
    `${name}: ${median(times).toFixed(0)} ms (slowest ${Math.max(...times).toFixed(0)}), on the processor ${median(processor).toFixed(0)} ms`,
  )
}

const site = { orgId: 'org-1', siteId: 'site-1' }
const whole = siteTraffic(store, { ...site, from: last - SPAN_MS, to: Number.POSITIVE_INFINITY })
const past = siteTraffic(store, { ...site, from: last - SPAN_MS, to: last - 3.3 * DAY_MS })
const ofOne = siteTraffic(store, {
  ...site,
  from: last - SPAN_MS,
  to: Number.POSITIVE_INFINITY,
  hacker: ['00000000-0000-4000-8000-000000000003'],
})
const byDays = siteTraffic(store, {
  ...site,
  from: Math.floor((last - SPAN_MS) / DAY_MS) * DAY_MS,
  to: Number.POSITIVE_INFINITY,
})
await measure('map, 30 days until now', async () =>
  coverageMap(operations, await byDays.coverage({ known: beginningsOf(operations) })),
)
await measure('the same from a moment within an hour', async () =>
  coverageMap(operations, await whole.coverage({ known: beginningsOf(operations) })),
)
await measure('the same with who it was', async () =>
  coverageMap(
    operations,
    await byDays.coverage({
      known: beginningsOf(operations),
      withResearchers: true,
      researchersMax: namedOfCell(OPERATIONS),
    }),
  ),
)
await measure('map, 27 days until some moment', async () =>
  coverageMap(operations, await past.coverage({ known: beginningsOf(operations) })),
)
await measure('map of one researcher', async () =>
  coverageMap(operations, await ofOne.coverage({ known: beginningsOf(operations) })),
)
await measure('attempts of a cell', () => whole.attemptsOf('GET', 'sql_injection'))
const known = beginningsOf(operations)
await measure('map with parameters', async () =>
  coverageMap(operations, await byDays.coverage({ known }), await byDays.attempts({ known })),
)
const named = {
  ...{ known, withResearchers: true, countResearchers: true },
  researchersMax: namedOfCell(OPERATIONS),
}
await measure('the same with how many tried each cell, as CSV', async () => {
  const [rows, attempts] = await Promise.all([byDays.coverage(named), byDays.attempts({ known })])
  const map = coverageMap(operations, rows, attempts)
  const window = { gte: '', lte: '', bounds: { passed: true, exceeded: [] } }
  let chars = 0
  for (const piece of csvOf({ ...map, ...window })) chars += piece.length
  return chars
})
await store.close()
if (given === undefined) rmSync(folder, { recursive: true, force: true })
