/** A thread that counts in a limiter as fast as it can, until it is told to stop or ended. */
import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { ThreadLimiter } from '../../../../src/stages/limit/thread-limiter.ts'
import { BOARD, type CountingThread } from './counting-board.ts'

const ATTEMPTS_A_TURN = 200

const { memory, settings, sharer, sharers, now, board } = workerData as CountingThread
const limiter = new ThreadLimiter(memory, settings, sharer, sharers)
const words = new Int32Array(board)

function running(): number {
  let sum = 0
  for (let thread = 0; thread < sharers; thread += 1) sum += Atomics.load(words, BOARD.running + thread)
  return sum
}

function attempt(): void {
  // Half of them by way of a reservation, as a researcher's share is counted.
  const isReserved = Math.random() < 0.5
  const { allowed } = isReserved ? limiter.reserve(now) : limiter.acquire(now)
  if (!allowed) return
  const isCounted = !isReserved || Math.random() < 0.5
  if (isReserved) limiter.settle(now, isCounted)
  if (!isCounted) return
  Atomics.add(words, BOARD.allowed + sharer, 1)
  if (settings.kind !== 'concurrency') return
  Atomics.add(words, BOARD.running + sharer, 1)
  if (running() > settings.limit) Atomics.add(words, BOARD.above, 1)
  Atomics.sub(words, BOARD.running + sharer, 1)
  limiter.release()
}

parentPort?.postMessage('started')
while (Atomics.load(words, BOARD.stop) === 0) {
  for (let attempts = 0; attempts < ATTEMPTS_A_TURN; attempts += 1) attempt()
  await setImmediate()
}
