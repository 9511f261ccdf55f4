/**
 * The processor time that judging one request may take. Time spent waiting is not counted: neither between `stop` and
 * `start`, nor where the system let this thread wait for others.
 *
 * Asking for processor time costs ten times what the clock costs. The clock never shows less, so it alone is asked until
 * a request has taken longer than ordinary ones do, and processor time is asked for only where the clock says that
 * the budget is used up.
 */
export interface TimeBudget {
  /** Begins or resumes counting. */
  start(): void
  /** Stops counting. */
  stop(): void
  /** Microseconds left, at least 0. */
  leftUs(): number
  usedUs(): number
  /** Says that the time is used up, whatever the clock says. */
  exhaust(): void
  isExhausted(): boolean
}

/** By the clock; ordinary requests take less. */
const ORDINARY_MS = 2

const processorMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** @param timeMs the whole of the time */
export function createTimeBudget(timeMs: number): TimeBudget {
  /** Counted up to the last `start` or `measure`. */
  let countedMs = 0
  let running = false
  let clockAt = 0
  /** Processor time at `clockAt`; undefined as long as the clock will do. */
  let processorAt: number | undefined
  let exhausted = false

  const byClock = (): number => countedMs + (running ? performance.now() - clockAt : 0)
  const used = (): number =>
    running && processorAt !== undefined ? countedMs + processorMs() - processorAt : byClock()
  const measure = (): void => {
    countedMs = byClock()
    clockAt = performance.now()
    processorAt = processorMs()
  }
  return {
    start() {
      clockAt = performance.now()
      if (processorAt !== undefined) processorAt = processorMs()
      running = true
    },
    stop() {
      countedMs = used()
      running = false
    },
    leftUs() {
      if (processorAt === undefined && running && byClock() > ORDINARY_MS) measure()
      return Math.max(0, (timeMs - used()) * 1000)
    },
    usedUs: () => Math.round(used() * 1000),
    exhaust() {
      exhausted = true
    },
    isExhausted() {
      exhausted ||= byClock() >= timeMs && used() >= timeMs
      return exhausted
    },
  }
}
