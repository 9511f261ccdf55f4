/**
 * What a gateway takes that has nothing to do: memory, with ten sites, and the time until it serves again from its disk.
 * Started as the units of systemd start one. Memory is what the system counts as resident, whose part that is shared with others
 * is the program's own text; after a moment of rest, and at its highest.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { residentMiB, startBenchGateway } from './support/bench-gateway.ts'
import { median } from './support/statistics.ts'

const ROUNDS = 7
const REST_MS = 5_000
const FEW = { originPort: 9, sites: 10, researchers: 10 }

const gateway = await startBenchGateway(FEW, 'command')
const now: number[] = []
const most: number[] = []
const startsMs: number[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  startsMs.push(await gateway.restartAlone())
  await delay(REST_MS)
  const resident = residentMiB(gateway.pid)
  now.push(resident.now)
  most.push(resident.most)
}
await gateway.stop()
const print = (what: string, values: readonly number[], unit: string): void => {
  const [least, greatest] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(0))
  console.log(`  ${what.padEnd(28)}${median(values).toFixed(0)} ${unit} (${least} to ${greatest})`)
}
print('memory at rest', now, 'MiB')
print('memory at most', most, 'MiB')
print('until it serves from its disk', startsMs, 'ms')
