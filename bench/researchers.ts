/**
 * Measures the story of researchers: `node bench/researchers.ts MILLIONS [FOLDER]`, 6 million requests by default, of the last 30 days, by
 * twelve researchers, the first of whom sent half of all: four hours in every twelve, to 500 routes of three sites, runs of 20 to one route; a
 * fifth of them are attacks of 21 classes. They are made by SQL and go through the same table and views as the collector's. FOLDER is kept.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ATTACK_CLASS_NAMES } from '@sallyport/contract'
import { createResearcherStoryService } from '../packages/control/src/features/analytics/researchers/service.ts'
import { openTrafficStore } from '../packages/control/src/traffic-store/connection.ts'
import { migrateTrafficStore } from '../packages/control/src/traffic-store/migrate.ts'
import { median } from './support/statistics.ts'

const [millions = '6', given] = process.argv.slice(2)
const DAY_MS = 86_400_000
const SPAN_MS = 30 * DAY_MS
const ROUNDS = 5
const folder = given ?? mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
const store = await openTrafficStore({ dataDir: folder })
await migrateTrafficStore(store)

const CLASSES = `[${ATTACK_CLASS_NAMES.map((name) => `'${name}'`).join(', ')}]`
const ROWS = `SELECT 'org-1' AS org_id, concat('site-', toString(cityHash64(number, 6) % 3)) AS site_id,
    toInt64({from:Int64} + intDiv(number * {span:Int64}, 1000000)) AS made,
    fromUnixTimestamp64Milli(intDiv(made, 43200000) * 43200000 + intDiv(made % 43200000, 3), 'UTC') AS time,
    generateUUIDv7(number) AS id, 'request' AS kind,
    if(number % 2 = 0, 'researcher-0', concat('researcher-', toString(cityHash64(number, 1) % 11 + 1))) AS researcher_id,
    concat('192.0.2.', toString(cityHash64(number, 10) % 20)) AS client_address, ['', 'curl', 'sqlmap', 'nuclei'][cityHash64(number, 11) % 4 + 1] AS tool,
    'GET' AS method, concat('/v1/thing', toString(cityHash64(intDiv(number, 20), 3) % 500), '/{id}') AS route,
    concat('/v1/thing/', toString(cityHash64(number, 4) % 5000)) AS path, concat(path, '?q=', toString(number)) AS target,
    ['origin', 'origin', 'origin', 'origin', 'firewall', 'limit'][cityHash64(number, 7) % 6 + 1] AS outcome,
    multiIf(outcome = 'firewall', 403, outcome = 'limit', 429, [200, 200, 200, 404, 403, 500, 429, 302][cityHash64(number, 5) % 8 + 1]) AS status,
    cityHash64(number, 8) % 5 = 0 AS attacks, if(attacks, ['rule'], []) AS hit_rules,
    if(attacks, [${CLASSES}[cityHash64(number, 9) % 21 + 1]], []) AS hit_classes, if(attacks, ['high'], []) AS hit_severities,
    if(attacks, ['query'], []) AS hit_parts, if(attacks, ['q'], []) AS hit_parameters,
    if(attacks, [toString(number % 97)], []) AS hit_excerpts, if(attacks, [false], []) AS hit_excluded, 400 AS retention_days
  FROM numbers(1000000)`
const COLUMNS =
  'org_id, site_id, time, id, kind, researcher_id, client_address, tool, method, route, path, target, status, outcome, hit_rules, hit_classes, hit_severities, hit_parts, hit_parameters, hit_excerpts, hit_excluded, retention_days'

const stored = async (): Promise<number> =>
  (await store.query<{ total: number }>('SELECT count() AS total FROM requests'))[0]?.total ?? 0
const endMs = Date.now()
if ((await stored()) === 0) {
  const count = Number(millions)
  for (let million = 0; million < count; million++)
    await store.command(
      `INSERT INTO requests (${COLUMNS}) SELECT ${COLUMNS} FROM (${ROWS}) SETTINGS max_partitions_per_insert_block = 0`,
      { from: Math.floor(endMs - SPAN_MS + (million * SPAN_MS) / count), span: Math.floor(SPAN_MS / count) },
    )
}
console.log(`${await stored()} requests`)

async function measure<Answer>(name: string, work: () => Promise<Answer>): Promise<Answer> {
  const times: number[] = []
  const processor: number[] = []
  let answer = await work()
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now()
    const before = process.cpuUsage()
    answer = await work()
    const { user, system } = process.cpuUsage(before)
    times.push(performance.now() - began)
    processor.push((user + system) / 1000)
  }
  // The engine is in this process. What other work leaves of the machine changes the first number, and hardly the last.
  console.log(
    `${name}: ${median(times).toFixed(0)} ms (slowest ${Math.max(...times).toFixed(0)}), on the processor ${median(processor).toFixed(0)} ms`,
  )
  return answer
}

const story = createResearcherStoryService({ store, sitesOf: async () => [] })
const four = ['researcher-0', 'researcher-1', 'researcher-2', 'researcher-3']
const window = { gte: 'now-31d' }
const { visits } = await measure('visits of one who sent half of all, 31 days', () =>
  story.visits('org-1', { ...window, hacker: ['researcher-0'] }),
)
await measure('visits of four, 31 days', () => story.visits('org-1', { ...window, hacker: four }))
const first = visits[1] ?? visits[0]
console.log(`${visits.length} visits; the one below has ${first?.requests} requests`)
await measure('steps of one visit', () =>
  story.steps('org-1', { gte: first?.start, lte: first?.end, hacker: 'researcher-0', limit: 500 }),
)
await measure('the first steps of 31 days', () =>
  story.steps('org-1', { ...window, hacker: 'researcher-0', limit: 500 }),
)
await measure('profiles of four, 31 days', () => story.profiles('org-1', { ...window, hacker: four }))
await store.close()
if (given === undefined) rmSync(folder, { recursive: true, force: true })
