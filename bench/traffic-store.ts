/**
 * Measures the traffic store: the four operations, the request log and facets, bytes a request and resident memory.
 *
 * - `node bench/traffic-store.ts MILLIONS [FOLDER [NAMES]]`, 1 million by default, asks a store of so many made-up
 *   requests of the last 30 days. They are made by SQL and go through the same table and views as the collector's. With
 *   100 it needs 3 GB of disk and some minutes. FOLDER is kept, so that a second run only asks.
 * - `node bench/traffic-store.ts compare FOLDER [NAMES]` asks the store in FOLDER and one of 1 million requests of the same
 *   days in turns, and prints both and their ratio. Only questions whose name holds the environment's `ONLY` are asked.
 *
 * NAMES is a JSON file with the organization, sites and researchers to make requests of, so that the folder can be put
 * under an installation that has them: `{orgId, sites: [{id, host}], researchers: [id]}`, 20 and 60 of them.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from './support/statistics.ts'
import { QUESTIONS } from './support/traffic-questions.ts'
import type { SideCost, SideOptions, SideReady } from './support/traffic-store-side.ts'

const ROUNDS = 9

interface Side {
  readonly ready: SideReady
  ask(question: string): Promise<SideCost>
  close(): Promise<void>
}

const [first = '1', given, namesFile] = process.argv.slice(2)
const temporary = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
const sides: Side[] = []
try {
  if (first === 'compare') await openBoth(given ?? '')
  else await open({ folder: given ?? temporary, requests: Number(first) * 1_000_000, endMs: undefined })
  for (const { ready } of sides)
    console.log(
      `${ready.requests} requests, ${ready.bytesPerRequest.toFixed(1)} bytes each, with rollups ` +
        `${ready.bytesWithRollups.toFixed(1)}; ${ready.residentMegabytes} MB resident at rest`,
    )
  for (const question of Object.keys(QUESTIONS).filter((name) => name.includes(process.env.ONLY ?? '')))
    await measure(question)
} finally {
  for (const side of sides) await side.close()
  rmSync(temporary, { recursive: true, force: true })
}

async function open(options: Omit<SideOptions, 'namesFile'>): Promise<Side> {
  const script = join(import.meta.dirname, 'support/traffic-store-side.ts')
  const child = fork(script, [JSON.stringify({ ...options, namesFile })])
  const closed = once(child, 'exit')
  const reply = async <Reply>(): Promise<Reply> => {
    const [message] = await Promise.race([
      once(child, 'message'),
      closed.then(() => Promise.reject(new Error('the store went away'))),
    ])
    return message
  }
  const side = {
    ready: await reply<SideReady>(),
    ask: (question: string): Promise<SideCost> => {
      child.send(question)
      return reply()
    },
    close: async (): Promise<void> => {
      child.disconnect()
      await closed
    },
  }
  sides.push(side)
  return side
}

/** The large store as it is, and a small one whose last day ends with the large one's. */
async function openBoth(folder: string): Promise<void> {
  const large = await open({ folder, requests: 0, endMs: undefined })
  const endMs = Math.ceil((large.ready.lastMs + 1) / 3_600_000) * 3_600_000
  await open({ folder: join(temporary, 'small'), requests: 1_000_000, endMs })
  sides.reverse()
}

/** The middle of a few warm rounds, in which the sides take turns. */
async function measure(question: string): Promise<void> {
  const costs: SideCost[][] = sides.map(() => [])
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [index, side] of sides.entries()) {
      const cost = await side.ask(question)
      if (round > 0) costs[index]?.push(cost)
    }
  const middles = costs.map((mine) => ({
    wallMs: median(mine.map((cost) => cost.wallMs)),
    cpuMs: median(mine.map((cost) => cost.cpuMs)),
    slowestMs: Math.max(...mine.map((cost) => cost.wallMs)),
    residentMegabytes: Math.max(...mine.map((cost) => cost.residentMegabytes)),
  }))
  const texts = middles.map(
    ({ wallMs, cpuMs, slowestMs, residentMegabytes }) =>
      `${wallMs.toFixed(0)} ms (slowest ${slowestMs.toFixed(0)}, processor ${cpuMs.toFixed(0)}, ${residentMegabytes} MB)`,
  )
  const [small, large] = middles
  const ratio = small && large ? `, ratio ${(large.wallMs / small.wallMs).toFixed(2)}` : ''
  console.log(`${question}: ${texts.join(' | ')}${ratio}`)
}
