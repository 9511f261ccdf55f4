/**
 * The processor time that judging one request may take. Time spent waiting is not counted: neither between `stop` and
 * `start`, nor where the system let this thread wait for others.
 *
 * Asking for processor time costs ten times what the clock costs. The clock never shows less, so it alone is asked until
 * a request has taken longer than ordinary ones do. Where the count begins must be known before, because the system may let
 * the thread wait right after it; ordinary requests that begin soon after each other share what was asked once.
 */
export interface TimeBudget {
  /** Begins or resumes counting. */
  start(): void
  /** Stops counting. */
  stop(): void
  /** Microseconds left, at least 0. */
  leftUs(): number
  usedUs(): number
  /** Adds to the whole of the time; what is used up stays so. */
  grant(ms: number): void
  /** Says that the time is used up, whatever the clock says. */
  exhaust(): void
  isExhausted(): boolean
}

/** By the clock; ordinary requests take less. Processor time of no more than this may count for one that did not use it. */
const ORDINARY_MS = 2

/** Linux brings a running thread's processor time up to date 250 times a second, so this much of it may not show yet. */
const TICK_MS = 4

const processorMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

let askedAt = Number.NEGATIVE_INFINITY
let answered = 0

/** Processor time at a moment by the clock, now, or somewhat less: as it was a moment before. */
function recentProcessorMs(now: number): number {
  if (now - askedAt > ORDINARY_MS) {
    askedAt = now
    answered = processorMs()
  }
  return answered
}

/** @param initialMs the whole of the time, as long as no more is granted */
export function createTimeBudget(initialMs: number): TimeBudget {
  let timeMs = initialMs
  /** Counted up to the last `stop`, by either measure. */
  let clockMs = 0
  let processedMs = 0
  let running = false
  let clockAt = 0
  let processorAt = 0
  let exhausted = false

  const byClock = (): number => clockMs + (running ? performance.now() - clockAt : 0)
  const byProcessor = (): number => processedMs + (running ? processorMs() - processorAt : 0)
  const used = (): number => {
    const clock = byClock()
    return clock <= ORDINARY_MS ? clock : Math.min(clock, byProcessor() + TICK_MS)
  }
  return {
    start() {
      clockAt = performance.now()
      processorAt = clockMs > ORDINARY_MS ? processorMs() : recentProcessorMs(clockAt)
      running = true
    },
    stop() {
      const clock = byClock()
      processedMs = clock <= ORDINARY_MS ? clock : byProcessor()
      clockMs = clock
      running = false
    },
    leftUs: () => Math.max(0, (timeMs - used()) * 1000),
    usedUs: () => Math.round(used() * 1000),
    grant(ms) {
      timeMs += ms
    },
    exhaust() {
      exhausted = true
    },
    isExhausted() {
      exhausted ||= byClock() >= timeMs && used() >= timeMs
      return exhausted
    },
  }
}
