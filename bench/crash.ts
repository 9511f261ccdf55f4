/**
 * Ten `kill -9` of the gateway under load, then five of everything at once: how long until traffic flows again, and
 * what the origin saw against what is in the record. The short form of it runs with the tests.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { compareWithRecord, startGateLoad } from '../test/support/gate-load.ts'
import { startInstallation } from '../test/support/installation.ts'
import { startOrigin } from '../test/support/origin.ts'
import { createSite } from '../test/support/site.ts'
import { quantile } from './support/statistics.ts'

const GATED_NAME = 'crash.gate.localhost'
const GATEWAY_KILLS = 10
const WHOLE_KILLS = 5

const origin = await startOrigin()
const installation = await startInstallation()
try {
  await createSite(installation, GATED_NAME, origin.url)
  const gatewayLoad = startGateLoad(installation, GATED_NAME, '/gateway/', 16)
  const outages: number[] = []
  for (let round = 0; round < GATEWAY_KILLS; round += 1) {
    await gatewayLoad.untilFlowing()
    await delay(500)
    process.kill(installation.process('gateway').pid, 'SIGKILL')
    outages.push(await gatewayLoad.untilFlowing())
  }
  await gatewayLoad.stop()
  await print('kill -9 of the gateway', '/gateway/', outages)

  const starts: number[] = []
  for (let round = 0; round < WHOLE_KILLS; round += 1) {
    const load = startGateLoad(installation, GATED_NAME, `/all/${round}/`, 16)
    await delay(700)
    await installation.kill()
    await load.stop()
    const start = performance.now()
    await installation.start()
    starts.push(performance.now() - start)
  }
  await print('kill -9 of everything', '/all/', starts)
} finally {
  await installation.remove()
  await origin.close()
}

async function print(name: string, prefix: string, times: readonly number[]): Promise<void> {
  // A request is in the record within two seconds.
  await delay(3_000)
  const { seen, missing, repeated } = await compareWithRecord(installation, origin, prefix)
  console.log(`  ${name}, ${times.length} times`)
  console.log(
    `    until it serves again       p50 ${quantile(times, 0.5).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms`,
  )
  console.log(
    `    requests the origin saw     ${seen}; missing in the record ${missing.length}, repeated ${repeated.length}`,
  )
}
