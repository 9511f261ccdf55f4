/** The time that judging one request may take. Time spent waiting is not counted. */
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

/** @param timeMs the whole of the time */
export function createTimeBudget(timeMs: number): TimeBudget {
  let usedMs = 0
  let startedAt = 0
  let running = false
  let exhausted = false
  const used = (): number => usedMs + (running ? performance.now() - startedAt : 0)
  return {
    start() {
      startedAt = performance.now()
      running = true
    },
    stop() {
      usedMs = used()
      running = false
    },
    leftUs: () => Math.max(0, (timeMs - used()) * 1000),
    usedUs: () => Math.round(used() * 1000),
    exhaust() {
      exhausted = true
    },
    isExhausted() {
      exhausted ||= used() >= timeMs
      return exhausted
    },
  }
}
