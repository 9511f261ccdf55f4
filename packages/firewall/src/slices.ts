/**
 * Long work in small steps, so that its time is bounded and other work goes on meanwhile. Who does the work yields
 * wherever it may be interrupted; here it is run for a slice of time, then what else waits, then the next slice.
 */
import { setImmediate } from 'node:timers/promises'
import type { TimeBudget } from './time-budget.ts'

/** Work that may be interrupted, or left for good, wherever it yields. */
export type Steps<Result = void> = Generator<undefined, Result, undefined>

/** Longest time without letting other work go on, but for the step that is under way. */
const SLICE_MS = 2

/**
 * Runs steps to their end or until the time is used up. Null where that took no more than one slice; otherwise a promise
 * that resolves when it has come to that.
 */
export function runInSlices(steps: Steps, budget: TimeBudget): Promise<void> | null {
  return runSlice(steps, budget) ? null : runRest(steps, budget)
}

async function runRest(steps: Steps, budget: TimeBudget): Promise<void> {
  do await setImmediate()
  while (!runSlice(steps, budget))
}

/** True where there is nothing more to do, or no time to do it in. */
function runSlice(steps: Steps, budget: TimeBudget): boolean {
  budget.start()
  const endsAt = performance.now() + SLICE_MS
  try {
    for (;;) {
      if (steps.next().done === true || budget.isExhausted()) return true
      if (performance.now() >= endsAt) return false
    }
  } finally {
    budget.stop()
  }
}
