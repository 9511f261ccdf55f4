/**
 * A process that opens the store in a folder and takes one batch after the other, from the given number on, telling its
 * parent each number once it is acknowledged. It goes on until it is killed.
 */

import { createIngest } from '../../src/collector/ingest.ts'
import { createLiveTail } from '../../src/live-tail/live-tail.ts'
import { openTrafficStore } from '../../src/traffic-store/connection.ts'
import { migrateTrafficStore } from '../../src/traffic-store/migrate.ts'
import { numberedBatch, storeBatch } from './traffic.ts'

const [dataDir = '', first = '1'] = process.argv.slice(2)
const store = await openTrafficStore({ dataDir })
await migrateTrafficStore(store)
const ingest = createIngest({ store, retentionDaysOf: () => 90, tail: createLiveTail() })
for (let name = Number(first); ; name += 1) {
  await storeBatch(ingest, numberedBatch(name))
  process.send?.(name)
}
