/**
 * From an admin's change to the gateway: 100 times, the site's block list is changed through the API, and the gateway
 * is asked until it does as the change says. The clock starts when the request leaves and includes its answer.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type Installation, startInstallation } from '../test/support/installation.ts'
import { startOrigin } from '../test/support/origin.ts'
import { createSite } from '../test/support/site.ts'
import { quantile } from './support/statistics.ts'

const CHANGES = 100
const GATED_NAME = 'delay.gate.localhost'

const origin = await startOrigin()
const installation = await startInstallation()
try {
  const site = await createSite(installation, GATED_NAME, origin.url)
  const answered: number[] = []
  const inForce: number[] = []
  for (let number = 0; number < CHANGES; number += 1) {
    const start = performance.now()
    const pathPrefix = `/blocked-${number}`
    const blockList = JSON.stringify([{ pathPrefix }])
    const { status } = await installation.api('POST', '/api/Sites/setBlockList', { id: site.id, blockList })
    if (status !== 200) throw new Error(`the change was answered with ${status}`)
    answered.push(performance.now() - start)
    await untilBlocked(installation, pathPrefix)
    inForce.push(performance.now() - start)
    await delay(20)
  }
  for (const [name, values] of Object.entries({
    'answered by the API': answered,
    'in force at the gateway': inForce,
  }))
    console.log(
      `  ${name.padEnd(26)} p50 ${quantile(values, 0.5).toFixed(1)} ms, p99 ${quantile(values, 0.99).toFixed(1)} ms, longest ${Math.max(...values).toFixed(1)} ms`,
    )
} finally {
  await installation.remove()
  await origin.close()
}

async function untilBlocked(gate: Installation, target: string): Promise<void> {
  while ((await gate.gate(GATED_NAME, target)).status === 200) await delay(1)
}
