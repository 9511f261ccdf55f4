/**
 * Loaded before each test file: ends its process, as failed, when its tests are over and something that they left keeps it
 * running. A server or a timer of one test that failed would hold up the whole run otherwise, and the run would not say
 * which test it was. The runner's own --test-force-exit is no way out: it loses results that are still in a pipe.
 */
import { after } from 'node:test'

/** Well over what the hooks of a file take, which run meanwhile. */
const LEFT_MAX_MS = 60_000

after(() => {
  const overdue = setTimeout(() => {
    console.error(`${process.argv[1]} does not end: ${process.getActiveResourcesInfo().join(', ')}`)
    process.exit(1)
  }, LEFT_MAX_MS)
  overdue.unref()
})
