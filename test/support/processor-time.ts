/** What some work costs on the processor, for tests that its cost grows with its input and no faster. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** Runs of each work in an attempt. */
const RUNS = 5
/** A machine may be busy for a while; what costs too much does so however often it is measured. */
const ATTEMPTS = 15
const PAUSE_MS = 50
/** Less than this is not told from nothing by the system's clock of processor time. */
const COST_MIN_US = 1_000

/**
 * Fails where `more` costs `ratioMax` times as much as `less`, or more. What is compared is the least of several runs, since
 * other work on the machine only ever adds to it, in the best of several attempts, since it may do so all the while.
 */
export async function assertCostRatio(less: () => void, more: () => void, ratioMax: number): Promise<void> {
  const found: string[] = []
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const costOfLess = leastProcessorTime(less, RUNS)
    const costOfMore = leastProcessorTime(more, RUNS)
    if (costOfMore / Math.max(costOfLess, COST_MIN_US) < ratioMax) return
    found.push(`${costOfLess} µs became ${costOfMore} µs`)
    await sleep(attempt * PAUSE_MS)
  }
  assert.fail(found.join(', '))
}

/** Processor time of this thread, microseconds: the least of some runs, so that what else the machine does counts little. */
function leastProcessorTime(run: () => void, runs: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < runs; round += 1) {
    const start = process.threadCpuUsage()
    run()
    const { user, system } = process.threadCpuUsage(start)
    least = Math.min(least, user + system)
  }
  return least
}

/** A text of a length, of a unit over and over. */
export const filled = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
