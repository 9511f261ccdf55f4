/**
 * Measures the traffic store: `node bench/traffic-store.ts <millions of requests> [folder]`, 1 by default.
 *
 * Fills a store with made-up requests of the last 30 days (by SQL, through the same table and views as the collector),
 * then measures the four operations and the request log, bytes a row and resident memory. With 100 it needs some
 * 5 GB of disk and some minutes. The folder is kept if it is given, so that a second run measures without filling.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTrafficStore, type TrafficStore } from '../packages/control/src/analytics/connection.ts'
import { createLiveTail } from '../packages/control/src/analytics/live-tail.ts'
import { migrateTrafficStore } from '../packages/control/src/analytics/migrate.ts'
import {
  type AnalyticsService,
  createAnalyticsService,
} from '../packages/control/src/features/analytics/service.ts'

const DAYS = 30
const ROUNDS = 7

const millions = Number(process.argv[2] ?? 1)
const given = process.argv[3]
const folder = given ?? mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
const store = await openTrafficStore({ dataDir: folder })
try {
  await migrateTrafficStore(store)
  await fill(store, millions * 1_000_000)
  await report(store)
} finally {
  await store.close()
  if (!given) rmSync(folder, { recursive: true, force: true })
}

/** A day at a time, the newest first, so that parts stay few and a run that was stopped goes on where it was. */
async function fill(target: TrafficStore, requests: number): Promise<void> {
  const [{ present = 0 } = {}] = await target.query<{ present: number }>(
    'SELECT count() AS present FROM requests',
  )
  if (present >= requests) return
  const perDay = Math.ceil(requests / DAYS)
  const piece = 1_000_000
  const startedAt = performance.now()
  for (let day = DAYS - 1; day >= 0; day -= 1)
    for (let first = 0; first < perDay; first += piece)
      await target.command(insertOf(day, first, Math.min(piece, perDay - first), perDay))
  const seconds = (performance.now() - startedAt) / 1000
  console.log(`filled ${requests} requests in ${seconds.toFixed(0)} s`)
}

/**
 * 20 sites and 60 researchers, busy in a few sites each; mostly typed routes, and a tenth of scanners' paths; one request
 * in fifty hits a firewall rule. Times of a day rise with the number of the request, as they do in life.
 */
function insertOf(day: number, first: number, count: number, perDay: number): string {
  const dayMs = 86_400_000
  return `INSERT INTO requests
    (org_id, site_id, time, id, kind, gateway_id, researcher_id, credential, credential_id, client_address, http_version, tls,
     method, scheme, host, target, path, route, query_names, status, outcome, request_bytes, response_bytes, duration_us,
     first_byte_us, user_agent, tool, inspection, rule, reason, hit_rules, hit_classes, hit_severities, hit_parts,
     hit_parameters, hit_excerpts, hit_excluded, retention_days)
  WITH sipHash64(number, ${day}) AS h, h % 20 AS s, intDiv(h, 20) % 8 AS r,
    concat('0193a000-0000-7000-8000-0000000000', leftPad(toString(s), 2, '0')) AS site,
    number / ${perDay} * ${dayMs} AS ms,
    (h % 1000) AS k, intDiv(h, 1000) % 100000 AS n, (h % 10) = 7 AS scan, (h % 50) = 3 AS attack,
    multiIf(scan, concat('/', lower(hex(n % 4000)), '/admin.php'), k % 5 = 0, concat('/api/orders/', toString(n)),
      k % 5 = 1, concat('/products/', toString(n % 2000), '/reviews'), k % 5 = 2, '/search', k % 5 = 3, concat('/static/app.', toString(n % 40), '.js'), '/login') AS p,
    ['q','page','id'] AS names
  SELECT '0193a000-0000-7000-8000-000000000abc', site,
    fromUnixTimestamp64Milli(toInt64(toUnixTimestamp(today()) * 1000 - ${(DAYS - 1 - day) * dayMs} - ${dayMs} + ms), 'UTC') AS at,
    generateUUIDv7(number), 'request', 'gateway-1',
    concat('0193b000-0000-7000-8000-0000000000', leftPad(toString((s * 3 + r * r) % 60), 2, '0')), 'key',
    substring(hex(MD5(toString((s * 3 + r * r) % 60))), 1, 12), concat('198.51.100.', toString((s * 3 + r * r) % 60)), '1.1', 'TLSv1.3',
    if(k % 7 = 0, 'POST', 'GET'), 'https', concat('site', toString(s), '.gate.example'),
    if(p = '/search', concat(p, '?q=term', toString(n % 5000), '&page=', toString(n % 9)), p), p,
    multiIf(scan, p, k % 5 = 0, '/api/orders/{id}', k % 5 = 1, '/products/{id}/reviews', k % 5 = 3, '/static/app.{id}.js', p),
    if(p = '/search', arraySlice(names, 1, 2), []),
    multiIf(scan, 404, attack, 403, k % 97 = 0, 500, k % 13 = 0, 302, 200),
    multiIf(k % 200 = 1, 'block', k % 150 = 2, 'limit', 'origin'),
    250 + n % 400, if(scan, 512, 800 + n % 20000), toUInt64(2000 * exp((n % 1000) / 250)), toUInt64(1500 * exp((n % 1000) / 250)),
    multiIf(scan, 'Mozilla/5.00 (Nikto/2.5.0)', k % 3 = 0, 'curl/8.5.0', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36'),
    multiIf(scan, 'nikto', k % 3 = 0, 'curl', ''), 'full', multiIf(k % 200 = 1, 'rule-1', k % 150 = 2, 'fixed', ''),
    multiIf(k % 200 = 1, 'block_rule', k % 150 = 2, 'rate_limit', ''),
    if(attack, [concat('crs-942-', toString(100 + n % 30 * 10))], []), if(attack, ['sql_injection'], []), if(attack, ['high'], []), if(attack, ['query'], []),
    if(attack, ['q'], []), if(attack, [concat('1 union select ', toString(n))], []), if(attack, [false], []), 400
  FROM numbers(${first}, ${count})
  SETTINGS max_insert_threads = 1, max_threads = 2, max_insert_block_size = 1000000, min_insert_block_size_rows = 1000000, min_insert_block_size_bytes = 0, insert_deduplicate = 0, max_partitions_per_insert_block = 0`
}

async function report(target: TrafficStore): Promise<void> {
  const orgId = '0193a000-0000-7000-8000-000000000abc'
  const service = createAnalyticsService({ store: target, sitesOf: async () => [], tail: createLiveTail() })
  const [size] = await target.query<{ rows: number; bytes: number; all: number }>(
    `SELECT sumIf(rows, table = 'requests') AS rows, sumIf(bytes_on_disk, table = 'requests') AS bytes, sum(bytes_on_disk) AS all
     FROM system.parts WHERE active AND database = currentDatabase()`,
  )
  const rows = size?.rows ?? 0
  console.log(`requests stored: ${rows}`)
  console.log(
    `bytes a request: ${((size?.bytes ?? 0) / rows).toFixed(1)}, with rollups ${((size?.all ?? 0) / rows).toFixed(1)}`,
  )
  console.log(`resident at rest: ${residentMegabytes()} MB`)
  for (const gte of ['now-24h', 'now-7d', 'now-30d']) {
    await measure(`getTotalRequest ${gte}`, () => service.totals(orgId, { gte }))
    await measure(`getTrafficTimeline ${gte}`, () => service.timeline(orgId, { gte }))
    await measure(`getWAFSummaryRulesTimeline ${gte}`, () => service.rulesTimeline(orgId, { gte }))
    await measure(`getSummaryTrafficTable ${gte}`, () => service.summary(orgId, { gte }))
  }
  await measureLog(service, orgId)
  console.log(`resident after the queries: ${residentMegabytes()} MB`)
}

async function measureLog(service: AnalyticsService, orgId: string): Promise<void> {
  const log = (query: object) => service.requests(orgId, { gte: 'now-30d', limit: 50, ...query })
  await measure('newest 50', () => log({}))
  await measure('newest 50 of a researcher', () => log({ hacker: ['0193b000-0000-7000-8000-000000000007'] }))
  await measure('newest 50 under a path', () => log({ path: ['/api/orders/9999'] }))
  await measure('newest 50 under a path that is rare', () => log({ path: ['/products/1999/reviews'] }))
  await measure('newest 50 under a path that nobody asked for', () => log({ path: ['/nothing/here'] }))
  await measure('newest 50 of a rule', () => log({ firewallRule: ['crs-942-250'] }))
  await measure('newest 50 of a rule that never hit', () => log({ firewallRule: ['crs-000'] }))
  await measure('facets of 24 hours', () => service.facets(orgId, { values: 10 }))
}

/** The middle and the slowest of a few warm runs. */
async function measure(name: string, act: () => Promise<unknown>): Promise<void> {
  await act()
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now()
    await act()
    times.push(performance.now() - startedAt)
  }
  times.sort((left, right) => left - right)
  console.log(`${name}: ${times[ROUNDS >> 1]?.toFixed(0)} ms (slowest ${times.at(-1)?.toFixed(0)} ms)`)
}

function residentMegabytes(): number {
  return Math.round(process.memoryUsage().rss / 1024 / 1024)
}
