/**
 * Loaded before a gateway to say what held its event loop up. The first SIGUSR2 begins the watch, the next one ends it
 * and prints `{loopMs, collectionMs}`: the longest delay of a timer, and the longest halt for the garbage collector.
 */
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'

const delays = monitorEventLoopDelay({ resolution: 1 })
let collectionMs = 0
const collections = new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) collectionMs = Math.max(collectionMs, duration)
})
let watching = false

process.on('SIGUSR2', () => {
  watching = !watching
  if (watching) {
    collectionMs = 0
    collections.observe({ entryTypes: ['gc'] })
    delays.reset()
    delays.enable()
    return
  }
  delays.disable()
  collections.disconnect()
  process.stdout.write(`${JSON.stringify({ loopMs: delays.max / 1e6, collectionMs })}\n`)
})
