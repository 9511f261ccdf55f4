/**
 * What learning an API costs each request, beside what nginx takes as a plain proxy, in rounds that take turns: at a gateway, which puts one of
 * 1,000 templates into the record, and in a collector, which sums up what a batch teaches and stores the sums in the embedded engine. Requests
 * go to the 1,000 routes, or to random paths, and are answered 200, which is the worst that a site can do, or, to random paths, 404.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { emptyEvent, type TrafficEvent } from '@sallyport/contract'
import { BatchObservations } from '../packages/control/src/collector/batch-observations.ts'
import { OBSERVATION_COLUMNS } from '../packages/control/src/collector/observation-rows.ts'
import { openTrafficStore } from '../packages/control/src/traffic-store/connection.ts'
import { migrateTrafficStore } from '../packages/control/src/traffic-store/migrate.ts'
import { describeTarget } from '../packages/gateway/src/record/describe.ts'
import { compileSiteRoutes } from '../packages/gateway/src/snapshot/sites/site-routes.ts'
import { Random } from './support/api-learning/random.ts'
import { researcherName } from './support/api-learning/traffic.ts'
import { measureLoad } from './support/cpu-time.ts'
import { startPlainProxy } from './support/plain-proxy.ts'
import { requirePrograms } from './support/programs.ts'
import { median } from './support/statistics.ts'

const ROUTES = 1_000
const BATCH = 5_000
const BATCHES = 20
const ROUNDS = 7
const LOAD = { connections: 32, seconds: 1 }
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const DAY_MS = 86_400_000

requirePrograms('nginx', 'wrk')
const random = new Random(3)
const templates = Array.from(
  { length: ROUTES },
  (_, index) =>
    `/api/v1/${random.text(LETTERS, 7)}${index % 10 === 0 ? '' : '/{id}'}/${random.text(LETTERS, 6)}`,
)
const known = (): string =>
  `${random.pick(templates).replace('{id}', String(random.below(10 ** 6)))}${random.chance(0.3) ? `?page=${random.below(50)}` : ''}`
const unknown = (): string => `/${random.text(LETTERS, 9)}/${random.text(LETTERS, 9)}`

const makeEvent = (target: string, status: number): TrafficEvent => ({
  ...emptyEvent(),
  ...{ orgId: 'org-1', siteId: 'site-1', kind: 'request', outcome: 'origin', method: 'GET', status },
  target,
  researcherId: researcherName(random.below(8)),
  responseBytes: 100 + random.below(9_000),
  time: Date.UTC(2026, 10, 1) + random.below(DAY_MS),
})

/** Processor time of all threads of this process while `work` is done, microseconds for each of so many requests. */
async function costOf(requests: number, work: () => Promise<void> | void): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / requests
}

const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
const store = await openTrafficStore({ dataDir: folder })
await migrateTrafficStore(store)
const templateOf = compileSiteRoutes(templates)
while (templateOf(templates[0] ?? '') === undefined) await nextTurn()
const nginx = await startPlainProxy()
/** Where requests go, and what they are answered. */
interface Kind {
  readonly target: () => string
  readonly status: number
}
interface Round {
  readonly nginx: number
  readonly template: number
  readonly summed: number
  readonly stored: number
}

let batches = 0
/** What 100,000 requests cost that go where `target` says, and are answered so. */
async function measure({ target, status }: Kind): Promise<Omit<Round, 'nginx'>> {
  const made = Array.from({ length: BATCHES }, () =>
    Array.from({ length: BATCH }, () => makeEvent(target(), status)),
  )
  const targets = made.flat().map((event) => event.target)
  let chars = 0
  const described = await costOf(targets.length, () => {
    for (const each of targets) chars += describeTarget(each).route.length
  })
  const matched = await costOf(targets.length, () => {
    for (const each of targets) {
      const { path, route } = describeTarget(each)
      chars += (templateOf(path) ?? route).length
    }
  })
  if (chars === 0) throw new Error('nothing was described')
  const blocks: Buffer[] = []
  const summed = await costOf(targets.length, () => {
    for (const batch of made) {
      const observations = new BatchObservations()
      for (const event of batch) observations.add(event, event)
      blocks.push(observations.block(new Map([['org-1', 90]])))
    }
  })
  const stored = await costOf(targets.length, async () => {
    for (const rows of blocks.filter(({ length }) => length > 0))
      await store.insert({
        table: 'api_observations',
        columns: OBSERVATION_COLUMNS,
        format: 'Native',
        rows,
        name: `batch ${batches++}`,
        isMerged: true,
      })
  })
  return { template: matched - described, summed, stored }
}

const KINDS: Readonly<Record<string, Kind>> = {
  'the 1,000 routes': { target: known, status: 200 },
  'random paths': { target: unknown, status: 200 },
  'random paths that are missed': { target: unknown, status: 404 },
}
const rounds = new Map(Object.keys(KINDS).map((kind) => [kind, [] as Round[]]))
for (let round = 0; round <= ROUNDS; round++)
  for (const [kind, asked] of Object.entries(KINDS)) {
    const plain = await measureLoad(nginx.pid, `${nginx.url}/`, {}, LOAD)
    const costs = await measure(asked)
    // Of the first round, V8 is not warm.
    if (round > 0) rounds.get(kind)?.push({ nginx: plain.cpuUs, ...costs })
  }
await nginx.stop()
await store.close()
rmSync(folder, { recursive: true, force: true })

for (const [kind, all] of rounds) {
  const line = (name: string, of: (round: Round) => number, unit = 'µs'): void => {
    const values = all.map(of).sort((left, right) => left - right)
    console.log(
      `  ${name.padEnd(44)} ${median(values).toFixed(3)} (${values[0]?.toFixed(3)} to ${values.at(-1)?.toFixed(3)}) ${unit}`,
    )
  }
  console.log(`requests to ${kind}`)
  line('nginx as a plain proxy', (round) => round.nginx)
  line('a gateway: the template', (round) => round.template)
  line('… beside nginx', (round) => round.template / round.nginx, 'times')
  line('a collector: summing up', (round) => round.summed)
  line('… beside nginx', (round) => round.summed / round.nginx, 'times')
  line('a collector: storing the sums', (round) => round.stored)
  line('… both beside nginx', (round) => (round.summed + round.stored) / round.nginx, 'times')
}
