/** What some work costs on the processor, for tests that its cost grows with its input and no faster. */

/** Processor time of this thread, microseconds: the least of some runs, so that what else the machine does counts little. */
export function leastProcessorTime(run: () => void, runs: number): number {
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
