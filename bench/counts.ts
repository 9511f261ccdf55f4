/**
 * The origin's own count against the record, over a run with clean restarts, `kill -9` of the gateway, of the control
 * plane and of everything, batches sent twice at once and again later, and the traffic store killed and away for a
 * minute. The short form of it runs with the tests.
 */
import { runThroughFaults } from '../test/support/fault-run.ts'

const startedAt = performance.now()
const counted = await runThroughFaults(
  { rounds: 3, calmMs: 3_000, storeAwayMs: 60_000, connections: 16, restMs: 20 },
  (fault) => console.log(`  ${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${fault}`),
)
const { operations, ...rest } = counted
const rows: readonly (readonly [string, number])[] = [
  ['requests that the origin saw', rest.origin],
  ['requests in the record that went to it', rest.recorded],
  ['  of these interrupted by a death', rest.interrupted],
  ['  of these that never arrived', rest.neverArrived],
  ['missing in the record, by request id', rest.missing],
  ['more than once in the record', rest.repeated],
  ['firewall hits in the record', rest.hits],
  ...Object.entries(operations),
  ['batches of the gateway', rest.batches],
  ['batches posted again', rest.replayed],
]
for (const [what, number] of rows) console.log(`    ${what.padEnd(40)} ${number}`)
