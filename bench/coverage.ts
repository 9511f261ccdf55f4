/**
 * Measures the coverage of one site: `node bench/coverage.ts MILLIONS [FOLDER]`, 10 million requests by default, of the last 30 days, to 500
 * operations by twelve researchers; a fifth of them have a hit of one of 21 classes in one of four parameters, and one in a hundred goes to a
 * path that no other has. They are made by SQL and go through the same table and views as the collector's. FOLDER is kept.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ATTACK_CLASS_NAMES } from '@sallyport/contract'
import { siteTraffic } from '../packages/control/src/features/analytics/site-traffic.ts'
import { coverageMap } from '../packages/control/src/features/coverage/coverage-map.ts'
import { beginningsOf } from '../packages/control/src/features/coverage/template-beginnings.ts'
import { openTrafficStore } from '../packages/control/src/traffic-store/connection.ts'
import { migrateTrafficStore } from '../packages/control/src/traffic-store/migrate.ts'
import { median } from './support/statistics.ts'

const [millions = '10', given] = process.argv.slice(2)
const DAY_MS = 86_400_000
const SPAN_MS = 30 * DAY_MS
const ROUNDS = 7
const OPERATIONS = 500
const folder = given ?? mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
const store = await openTrafficStore({ dataDir: folder })
await migrateTrafficStore(store)

const CLASSES = `[${ATTACK_CLASS_NAMES.map((name) => `'${name}'`).join(', ')}]`
const ROWS = `SELECT 'org-1' AS org_id, 'site-1' AS site_id,
    fromUnixTimestamp64Milli(toInt64({from:Int64} + intDiv(number * {span:Int64}, 1000000)), 'UTC') AS time,
    generateUUIDv7(number) AS id, 'request' AS kind, concat('researcher-', toString(cityHash64(number, 1) % 12)) AS researcher_id,
    'GET' AS method, if(cityHash64(number, 2) % 100 = 0, concat('/nowhere/', toString(cityHash64(number, {from:Int64}))),
      concat('/v1/thing', toString(cityHash64(number, 3) % ${OPERATIONS}), '/{id}')) AS route,
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

const stored = async (): Promise<number> =>
  (await store.query<{ total: number }>('SELECT count() AS total FROM requests'))[0]?.total ?? 0
const endMs = Date.now()
if ((await stored()) === 0) {
  const count = Number(millions)
  const began = performance.now()
  for (let million = 0; million < count; million++)
    await store.command(
      `INSERT INTO requests (${COLUMNS}) SELECT ${COLUMNS} FROM (${ROWS}) SETTINGS max_partitions_per_insert_block = 0`,
      { from: Math.floor(endMs - SPAN_MS + (million * SPAN_MS) / count), span: Math.floor(SPAN_MS / count) },
    )
  console.log(`${count} million requests made in ${((performance.now() - began) / 1000).toFixed(0)} s`)
}
for (const table of ['requests', 'coverage_hours', 'coverage_days', 'attempts_hours']) {
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
const [edge] = await store.query<{ last: number }>(
  'SELECT toUnixTimestamp64Milli(max(time)) AS last FROM requests',
)
const last = edge?.last ?? endMs

async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  const times: number[] = []
  const processor: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const began = performance.now()
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    if (round > 0) times.push(performance.now() - began)
    if (round > 0) processor.push((user + system) / 1000)
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
  hacker: ['researcher-3'],
})
await measure('map, 30 days until now', async () =>
  coverageMap(operations, await whole.coverage({ known: beginningsOf(operations) })),
)
await measure('the same with who it was', async () =>
  coverageMap(operations, await whole.coverage({ known: beginningsOf(operations), withResearchers: true })),
)
await measure('map, 27 days until some moment', async () =>
  coverageMap(operations, await past.coverage({ known: beginningsOf(operations) })),
)
await measure('map of one researcher', async () =>
  coverageMap(operations, await ofOne.coverage({ known: beginningsOf(operations) })),
)
await measure('map with parameters', async () =>
  coverageMap(operations, await whole.coverage({ known: beginningsOf(operations) }), await whole.attempts()),
)
await measure('attempts of a cell', () => whole.attemptsOf('GET', 'sql_injection'))
await store.close()
if (given === undefined) rmSync(folder, { recursive: true, force: true })
