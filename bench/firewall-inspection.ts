/**
 * What inspection costs by itself, kind of traffic by kind, in a process that does nothing else: processor time of the thread that
 * inspects, per request. Given the folder of another checkout, its inspection has its turn in the same process, request by request,
 * and what is printed is the ratio as well: on a busy machine that alone can be compared. The first side has an advantage of some
 * percent, so a comparison is made twice, from either checkout.
 *
 *     node bench/firewall-inspection.ts [FOLDER [KIND …]]
 */
import { join } from 'node:path'
import { benignRequests } from '../packages/firewall/test/support/benign.ts'
import type { TestRequest } from '../packages/firewall/test/support/corpus.ts'
import { freshRequests } from './support/fresh-requests.ts'
import { median } from './support/statistics.ts'

const ROUNDS = 11
const BODY_BYTES_MAX = 20 * 1024
/** Requests of a round, of those that are fresh and of each kind of ordinary ones, and rounds before those that are measured. */
const FRESH = 200
const ORDINARY = 10
const WARM_UP_ROUNDS = 12
const FRESH_KIND = 'fresh values'
const ALL_ORDINARY = 'ordinary traffic'

/** Inspects one request. */
type Inspect = (request: TestRequest) => Promise<unknown>

/** A request, and what it took on each side. */
interface Measured {
  readonly round: number
  readonly kind: string
  readonly costsUs: readonly number[]
}

const [folder, ...only] = process.argv.slice(2)
const folders = [join(import.meta.dirname, '..'), ...(folder === undefined ? [] : [folder])]
const sides = await Promise.all(folders.map(inspectionOf))
const measured: Measured[] = []
for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++)
  for (const [index, { kind, request }] of requestsOf(round).entries()) {
    const costsUs = await costsOf(request, (round + index) % 2 === 0)
    if (round >= WARM_UP_ROUNDS) measured.push({ round, kind, costsUs })
  }
console.log(`µs of processor time per request, medians of ${ROUNDS} rounds`)
for (const [kind, all] of Map.groupBy(measured, ({ kind }) => kind)) print(kind, all)
const ordinary = measured.filter(({ kind }) => kind !== FRESH_KIND)
print(ALL_ORDINARY, Array.from(Map.groupBy(ordinary, ({ round }) => round).values(), together))
process.exit(0)

/** The inspection of a checkout, by the default rules. */
async function inspectionOf(checkout: string): Promise<Inspect> {
  const source: typeof import('../packages/firewall/src/index.ts') = await import(
    join(checkout, 'packages/firewall/src/index.ts')
  )
  const support: typeof import('../packages/firewall/test/support/corpus.ts') = await import(
    join(checkout, 'packages/firewall/test/support/corpus.ts')
  )
  const engine = source.createEngine([source.maintainedRules(), source.ownRules()])
  return (request) => support.inspect(engine, request)
}

/** Requests that no round before had; their headers are those of clients that come once. */
function requestsOf(round: number): readonly { kind: string; request: TestRequest }[] {
  const fresh = freshRequests(FRESH, 11 + round).map((request) => ({ kind: FRESH_KIND, request }))
  const others = benignRequests(ORDINARY * 16, 11 + round)
    .filter(({ head, body }) => body.length <= BODY_BYTES_MAX && !head.target.includes('#'))
    .map(({ kind, ...request }) => ({ kind, request }))
  return [...fresh, ...others]
    .filter(({ kind }) => only.length === 0 || only.includes(kind))
    .map(({ kind, request: { head, body } }) => ({
      kind,
      request: { head: { ...head, hasNewHeaders: true }, body },
    }))
}

/** Has the sides inspect a request one after the other. */
async function costsOf(request: TestRequest, isForward: boolean): Promise<number[]> {
  const costs = sides.map(() => Number.NaN)
  for (const side of isForward ? sides.keys() : [...sides.keys()].reverse()) {
    const before = processorUs()
    await sides[side]?.(request)
    costs[side] = processorUs() - before
  }
  return costs
}

/** Of this thread. Asking for the time of all threads brings that of the one that asks up to date, which Linux otherwise does every 4 ms. */
function processorUs(): number {
  process.cpuUsage()
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** What the requests of a round took, on average. */
function together(all: readonly Measured[]): Pick<Measured, 'costsUs'> {
  const sum = (side: number): number => all.reduce((total, { costsUs }) => total + (costsUs[side] ?? 0), 0)
  return { costsUs: sides.map((_, side) => sum(side) / all.length) }
}

function print(kind: string, all: readonly Pick<Measured, 'costsUs'>[]): void {
  const times = sides.map((_, side) => median(all.map(({ costsUs }) => costsUs[side] ?? Number.NaN)))
  const ratio = median(all.map(({ costsUs: [own = Number.NaN, other = Number.NaN] }) => own / other))
  const columns = times.map((time) => time.toFixed(1).padStart(8)).join(' ')
  console.log(`  ${kind.padEnd(20)} ${columns}${sides.length > 1 ? `   ${ratio.toFixed(3)}` : ''}`)
}
