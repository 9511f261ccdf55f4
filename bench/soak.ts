/**
 * A long run at 70 % of what the gateway bears: `node bench/soak.ts [minutes]`, 2 by default, 30 for the full measure.
 * Prints every minute what was answered and what it cost, and judges at the end: memory flat, no descriptor left behind,
 * no answer of 500 and above. Ends with status 1 where it does not hold.
 */
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { residentMiB, startBenchGateway, startScript } from './support/bench-gateway.ts'
import type { LoadReport } from './support/gateway/mixed-load.ts'
import { median } from './support/statistics.ts'

const MINUTES = Number(process.argv[2] ?? 2)
const SHARE = 0.7
const WARM_UP_S = 10
const SAMPLE_MS = 5_000
/** Memory may differ by so much between the second quarter of the run and the last, in shorter runs by anything. */
const GROWTH_MAX = 0.05
const JUDGED_MINUTES_MIN = 5
/** Idle connections to the origin are given up within this. */
const SETTLE_MS = 8_000

const scripts = `${import.meta.dirname}/support/gateway`
const origin = await startScript(`${scripts}/mixed-origin.ts`, {})
const gateway = await startBenchGateway({ originPort: origin.port, sites: 100, researchers: 1_000 })
const load = await startScript(`${scripts}/mixed-load.ts`, { port: Number(new URL(gateway.url).port) })
const samples: { readonly rss: number; readonly heap: number }[] = []
const failures = new Map<string, number>()
try {
  await soak()
} finally {
  load.child.kill()
  await gateway.stop()
  origin.child.kill()
}

async function soak(): Promise<void> {
  const before = descriptors()
  await run(0, WARM_UP_S)
  const saturation = (await run(0, WARM_UP_S)).answered / WARM_UP_S
  const rate = SHARE * saturation
  console.log(`  saturated at ${saturation.toFixed(0)} requests/s; ${MINUTES} minutes at ${rate.toFixed(0)}`)
  const sampling = setInterval(() => void sample(), SAMPLE_MS)
  for (let minute = 1; minute <= MINUTES; minute++) {
    const report = await run(rate, 60)
    for (const [what, count] of Object.entries(report.answers))
      if (what >= '5' || what.startsWith('c')) failures.set(what, (failures.get(what) ?? 0) + count)
    await printMinute(minute, report)
  }
  clearInterval(sampling)
  await delay(SETTLE_MS)
  judge(before)
}

async function run(rate: number, seconds: number): Promise<LoadReport> {
  load.child.send({ rate, seconds })
  const [report] = await once(load.child, 'message')
  return report
}

function descriptors(): number {
  return readdirSync(`/proc/${gateway.pid}/fd`).length
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? Number.NaN)
}

async function sample(): Promise<void> {
  const heap = (await metric('nodejs_heap_size_used_bytes')) / 2 ** 20
  samples.push({ rss: residentMiB(gateway.pid).now, heap })
}

async function printMinute(minute: number, report: LoadReport): Promise<void> {
  const { answered, brokenOff, answers, p50Ms, p99Ms, longestMs } = report
  const { rss = 0, heap = 0 } = samples.at(-1) ?? {}
  const lag = await metric('sallyport_journal_oldest_unsent_seconds')
  console.log(
    `  ${String(minute).padStart(3)}  ${(answered / 60).toFixed(0)}/s, ${brokenOff} broken off; ` +
      `p50 ${p50Ms.toFixed(2)} p99 ${p99Ms.toFixed(1)} longest ${longestMs.toFixed(0)} ms; rss ${rss.toFixed(0)} ` +
      `heap ${heap.toFixed(0)} MiB; ${descriptors()} descriptors; journal lag ${lag.toFixed(1)} s; ${JSON.stringify(answers)}`,
  )
}

function judge(descriptorsBefore: number): void {
  const quarter = Math.floor(samples.length / 4)
  const levels = (values: readonly number[]): [number, number] => [
    median(values.slice(quarter, 2 * quarter)),
    median(values.slice(-quarter)),
  ]
  const [early, late] = levels(samples.map(({ rss }) => rss))
  const growth = late / early - 1
  const left = descriptors() - descriptorsBefore
  const verdicts = [
    {
      holds: MINUTES < JUDGED_MINUTES_MIN || growth <= GROWTH_MAX,
      what: `memory ${early.toFixed(0)} MiB in the second quarter, ${late.toFixed(0)} in the last (${(growth * 100).toFixed(1)} %)`,
    },
    { holds: left <= 0, what: `${left} descriptors more than before the load` },
    { holds: failures.size === 0, what: `failures: ${JSON.stringify(Object.fromEntries(failures))}` },
  ]
  for (const { holds, what } of verdicts) console.log(`  ${holds ? 'holds' : 'FAILS'}  ${what}`)
  if (verdicts.some(({ holds }) => !holds)) process.exitCode = 1
}
