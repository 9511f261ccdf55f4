/**
 * One store of a comparison, in a process of its own because the engine holds one folder a process. Opens the store,
 * fills it up with made-up requests, and then answers each question that it is sent by name with what it cost.
 */

import { createAnalyticsService } from '../../packages/control/src/features/analytics/service.ts'
import { createLiveTail } from '../../packages/control/src/live-tail/live-tail.ts'
import { openTrafficStore, type TrafficStore } from '../../packages/control/src/traffic-store/connection.ts'
import { migrateTrafficStore } from '../../packages/control/src/traffic-store/migrate.ts'
import { insertOf, madeUpNames, type Names, readNames } from './made-up-requests.ts'
import { QUESTIONS } from './traffic-questions.ts'

/** What a side is told to open: no requests are added to a store that has as many. `endMs` ends its last day. */
export interface SideOptions {
  readonly folder: string
  readonly requests: number
  readonly namesFile: string | undefined
  readonly endMs: number | undefined
}

/** What a side says once it is ready. `lastMs` is the instant of its newest request. */
export interface SideReady {
  readonly lastMs: number
  readonly requests: number
  readonly bytesPerRequest: number
  readonly bytesWithRollups: number
  readonly residentMegabytes: number
}

/** What an answer took: milliseconds of time, and of the processor. */
export interface SideCost {
  readonly wallMs: number
  readonly cpuMs: number
  readonly residentMegabytes: number
}

const DAYS = 30
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const PIECE = 1_000_000

const { folder, requests, namesFile, endMs }: SideOptions = JSON.parse(process.argv[2] ?? '{}')
const names = namesFile === undefined ? madeUpNames() : readNames(namesFile)
const store = await openTrafficStore({ dataDir: folder })
await migrateTrafficStore(store)
await fill(names, requests, endMs ?? Math.floor(Date.now() / HOUR_MS) * HOUR_MS)
const ready = await describe(store)
// As in life, nothing is later than now.
const now = ready.lastMs + 1
const service = createAnalyticsService({
  store,
  sitesOf: async () => [],
  gateDomain: 'gate.example',
  tail: createLiveTail(),
  keptFrom: () => 0,
  now: () => now,
})
process.on('message', async (question: string) => process.send?.(await ask(question)))
process.on('disconnect', () => store.close())
process.send?.(ready)

/** A day at a time, so that parts stay few and a run that was stopped goes on where it was. */
async function fill(madeUp: Names, wanted: number, end: number): Promise<void> {
  const [{ present = 0 } = {}] = await store.query<{ present: number }>(
    'SELECT count() AS present FROM requests',
  )
  if (present >= wanted) return
  const perDay = Math.ceil(wanted / DAYS)
  const startedAt = performance.now()
  for (let day = Math.floor(present / perDay); day < DAYS; day += 1)
    for (let first = 0; first < perDay; first += PIECE)
      await store.command(
        insertOf(madeUp, end - (DAYS - day) * DAY_MS, first, Math.min(PIECE, perDay - first), perDay),
      )
  const seconds = (performance.now() - startedAt) / 1000
  console.log(`filled up to ${wanted} requests in ${seconds.toFixed(0)} s`)
}

async function describe(target: TrafficStore): Promise<SideReady> {
  const [size = { rows: 0, bytes: 0, all: 0, last: 0 }] = await target.query<{
    rows: number
    bytes: number
    all: number
    last: number
  }>(
    `SELECT sumIf(rows, table = 'requests') AS rows, sumIf(bytes_on_disk, table = 'requests') AS bytes,
       sum(bytes_on_disk) AS all, (SELECT toUnixTimestamp64Milli(max(time)) FROM requests) AS last
     FROM system.parts WHERE active AND database = currentDatabase()`,
  )
  return {
    lastMs: size.last,
    requests: size.rows,
    bytesPerRequest: size.bytes / size.rows,
    bytesWithRollups: size.all / size.rows,
    residentMegabytes: residentMegabytes(),
  }
}

async function ask(question: string): Promise<SideCost> {
  const act = QUESTIONS[question]
  if (!act) throw new Error(`there is no question ${question}`)
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await act(service, names, { store, now })
  const wallMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  return { wallMs, cpuMs: (user + system) / 1000, residentMegabytes: residentMegabytes() }
}

function residentMegabytes(): number {
  return Math.round(process.memoryUsage.rss() / 1024 / 1024)
}
