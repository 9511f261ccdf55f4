/** Mutated requests through a whole installation: the same gateway goes on, and each of them is in the record, once. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { DEFAULT_INSPECTION_BUDGET } from '@sallyport/firewall'
import { benignRequests } from '../../packages/firewall/test/support/benign.ts'
import { createMutations } from '../../packages/firewall/test/support/mutations.ts'
import { sendAlone, wireBytes } from '../../packages/firewall/test/support/wire.ts'
import { eventually, startInstallation } from '../support/installation.ts'
import { startOrigin } from '../support/origin.ts'
import { createSite, untilDeployed } from '../support/site.ts'

/** `SALLYPORT_FUZZ_REQUESTS=100000` for the long run. */
const REQUESTS = Number(process.env.SALLYPORT_FUZZ_REQUESTS ?? 400)
/** On a busy machine; on a quiet one it is two seconds. */
const RECORDED_WITHIN_MS = 90_000
const CONNECTIONS = 8
const TEST_TIMEOUT_MS = Math.max(300_000, REQUESTS * 60)
/** By how much an inspection may exceed its time: one run of libddwaf, while tests beside it have the processor. */
const EXCESS_MS = 250
const BENIGN_EVERY_MS = 100
const HOST = 'hostile.gate.localhost'

const origin = await startOrigin()
const installation = await startInstallation()
after(async () => {
  await installation.remove()
  await origin.close()
})

test(`${REQUESTS} mutated requests, enforced, are all recorded`, {
  timeout: TEST_TIMEOUT_MS,
}, async (context) => {
  const site = await createSite(installation, HOST, origin.url)
  const set = await installation.api('PUT', `/api/Sites/${site.id}/firewall`, { mode: 'enforce' })
  assert.equal(set.status, 200)
  await untilDeployed(installation, site.id)
  const { pid } = installation.process('gateway')
  const port = Number(new URL(installation.gatewayUrl).port)
  const own = [`Host: ${HOST}`, `Sallyport-Key: ${installation.firstRun.researcher.key}`]
  const seeds = benignRequests(320, 11)
  const { mutated } = createMutations(11)
  const worker = async (first: number): Promise<void> => {
    for (let index = first; index < REQUESTS; index += CONNECTIONS) {
      const seed = seeds[index % seeds.length]
      if (seed) await sendAlone(port, wireBytes(mutated(seed), own))
    }
  }
  const benign = startBenign()
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => worker(index)))
  const seconds = (performance.now() - startedAt) / 1_000
  const { count: asked, longestMs } = await benign.stop()
  const expected = REQUESTS + asked

  let recorded = 0
  await eventually(async () => {
    recorded = await countOf('')
    return recorded >= expected
  }, RECORDED_WITHIN_MS).catch(() => {})
  assert.equal(recorded, expected)
  const [full, partial, skipped] = await Promise.all(
    ['full', 'partial', 'skipped'].map((extent) => countOf(`&inspection=${extent}`)),
  )
  const overruns = await metric('sallyport_firewall_overruns_total')
  const longestInspectionMs = (await metric('sallyport_firewall_longest_seconds')) * 1_000
  const figures = { full, partial, skipped, seconds, overruns, longestInspectionMs }
  context.diagnostic(JSON.stringify({ ...figures, asked, longestBenignMs: longestMs }))
  assert.equal((full ?? 0) + (partial ?? 0) + (skipped ?? 0), expected)
  assert.ok(full && partial)
  assert.ok(longestInspectionMs <= DEFAULT_INSPECTION_BUDGET.timeMs + EXCESS_MS, `${longestInspectionMs} ms`)
  assert.equal(installation.process('gateway').pid, pid)
})

/** Asks for a page now and then, as someone who means no harm, and fails where it is not given. */
function startBenign(): { stop(): Promise<{ count: number; longestMs: number }> } {
  let stopped = false
  let count = 0
  let longestMs = 0
  const asking = (async () => {
    while (!stopped) {
      const before = performance.now()
      const answer = await installation.gate(HOST, `/benign/${++count}`)
      longestMs = Math.max(longestMs, performance.now() - before)
      assert.equal(answer.status, 200)
      await delay(BENIGN_EVERY_MS)
    }
  })()
  return {
    async stop() {
      stopped = true
      await asking
      return { count, longestMs }
    },
  }
}

/** A figure that the gateway tells of itself. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${installation.gatewayAdminUrl}/metrics`)).text()
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
  assert.ok(value, name)
  return Number(value)
}

/** How many requests of the site are in the record. */
async function countOf(filter: string): Promise<number> {
  const path = `/api/Analytics/facets?field=outcome${filter}`
  return (await installation.api<{ total: number }>('GET', path)).body.total
}
