/**
 * Measures the traffic store: `node bench/traffic-store.ts <millions of requests> [folder [names]]`, 1 by default.
 *
 * Fills a store with made-up requests of the last 30 days (by SQL, through the same table and views as the collector),
 * then measures the four operations and the request log, bytes a row and resident memory. With 100 it needs some
 * 5 GB of disk and some minutes. The folder is kept if it is given, so that a second run measures without filling.
 * `names` is a JSON file with the organization, sites and researchers to make requests of, so that the folder can be
 * put under an installation that has them: `{orgId, sites: [{id, host}], researchers: [id]}`, 20 and 60 of them.
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
import { insertOf, madeUpNames, readNames } from './support/made-up-requests.ts'

/** Requests are made up of the days before this hour. */
const DAYS = 30
const END_MS = Math.floor(Date.now() / 3_600_000) * 3_600_000
const DAY_MS = 86_400_000
const ROUNDS = 7

const millions = Number(process.argv[2] ?? 1)
const given = process.argv[3]
const names = process.argv[4] ? readNames(process.argv[4]) : madeUpNames()
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
      await target.command(
        insertOf(names, END_MS - (DAYS - day) * DAY_MS, first, Math.min(piece, perDay - first), perDay),
      )
  const seconds = (performance.now() - startedAt) / 1000
  console.log(`filled ${requests} requests in ${seconds.toFixed(0)} s`)
}

async function report(target: TrafficStore): Promise<void> {
  const { orgId } = names
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
  await measure('newest 50 of a researcher', () => log({ hacker: [names.researchers[7]] }))
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
