/**
 * Long work in small steps, so that its time is bounded and other work goes on meanwhile. Who does the work yields
 * wherever it may be interrupted; here it is run for a slice of time, then what else waits, then the next slice.
 *
 * In each turn of the event loop one slice is run, however much long work there is: with one of each in every turn, a few hundred
 * would make a turn of seconds, and a request that needs nothing of this takes several turns. The slices go to those whose
 * work it is one after another, so that the many requests of one hold up the few of another by a slice each.
 */
import { FairQueue } from '@sallyport/toolbox'
import type { TimeBudget } from './time-budget.ts'

/** Work that may be interrupted, or left for good, wherever it yields. */
export type Steps<Result = void> = Generator<undefined, Result, undefined>

/** Longest time without letting other work go on, but for the step that is under way. */
const SLICE_MS = 2

/**
 * Runs steps to their end or until the time is used up. Null where that took no more than one slice; otherwise a promise
 * that resolves when it has come to that. `whose` is anything that tells those apart who take turns: where something of theirs
 * waits already, this comes after it.
 */
export function runInSlices(steps: Steps, budget: TimeBudget, whose: string): Promise<void> | null {
  // Of many that come together, the first slices are as much work as any.
  const mayBegin = waiting.lengthOf(whose) === 0
  return mayBegin && runSlice(steps, budget) ? null : runRest(steps, budget, whose)
}

async function runRest(steps: Steps, budget: TimeBudget, whose: string): Promise<void> {
  do await turnOf(whose)
  while (!runSlice(steps, budget))
}

/** What waits for its next slice, by whose it is. */
const waiting = new FairQueue<() => void>()
let isTurnDue = false

function turnOf(whose: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.push(whose, resolve)
  askForTurn()
  return promise
}

function askForTurn(): void {
  if (isTurnDue || waiting.length === 0) return
  isTurnDue = true
  setImmediate(giveTurn)
}

function giveTurn(): void {
  isTurnDue = false
  const next = waiting.shift()
  askForTurn()
  next?.()
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
