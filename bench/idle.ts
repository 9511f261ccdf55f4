/**
 * What parts take that have nothing to do: the memory of a gateway with ten sites and of a control plane with databases by URL, and
 * the time until a gateway serves again from its disk. Started as the units of systemd start them. Memory is what the system counts as
 * resident, whose part that is shared with others is the program's own text; V8 gives back what a start took after some twenty seconds of rest.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { startFleet } from '../test/support/fleet/fleet.ts'
import { type BenchGateway, residentMiB, startBenchGateway } from './support/bench-gateway.ts'
import { median } from './support/statistics.ts'

const ROUNDS = 7
const REST_MS = 45_000
const FEW = { originPort: 9, sites: 10, researchers: 10 }

const fleet = await startFleet({
  controls: 1,
  gateways: 1,
  controlEnvironment: { NODE_OPTIONS: '--max-semi-space-size=16' },
})
const gateways: BenchGateway[] = []
try {
  const startsMs: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const gateway = await startBenchGateway(FEW, 'unwatched command')
    gateways.push(gateway)
    startsMs.push(await gateway.restartAlone())
  }
  await delay(REST_MS)
  const resident = gateways.map(({ pid }) => residentMiB(pid))
  print(
    'gateway, at rest',
    resident.map(({ now }) => now),
    'MiB',
  )
  print(
    'gateway, at most',
    resident.map(({ most }) => most),
    'MiB',
  )
  print('gateway, until it serves from its disk', startsMs, 'ms')
  const control = residentMiB(fleet.controls[0]?.pid() ?? 0)
  print('control plane, at rest', [control.now], 'MiB')
  print('control plane, at most', [control.most], 'MiB')
} finally {
  for (const gateway of gateways) await gateway.stop()
  await fleet.close()
}

function print(what: string, values: readonly number[], unit: string): void {
  const [least, greatest] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(0))
  console.log(`  ${what.padEnd(40)}${median(values).toFixed(0)} ${unit} (${least} to ${greatest})`)
}
