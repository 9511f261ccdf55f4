/** Mutated requests through a whole installation: the same gateway goes on, and each of them is in the record, once. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { benignRequests } from '../../packages/firewall/test/support/benign.ts'
import { createMutations } from '../../packages/firewall/test/support/mutations.ts'
import { sendAlone, wireBytes } from '../../packages/firewall/test/support/wire.ts'
import { eventually, startInstallation } from '../support/installation.ts'
import { startOrigin } from '../support/origin.ts'
import { createSite, untilDeployed } from '../support/site.ts'

/** `SALLYPORT_FUZZ_REQUESTS=100000` for the long run. */
const REQUESTS = Number(process.env.SALLYPORT_FUZZ_REQUESTS ?? 400)
/** On a busy machine; on a quiet one it is two seconds. */
const RECORDED_WITHIN_MS = 20_000
const CONNECTIONS = 4
const HOST = 'hostile.gate.localhost'

const origin = await startOrigin()
const installation = await startInstallation()
after(async () => {
  await installation.remove()
  await origin.close()
})

test(`${REQUESTS} mutated requests, enforced, are all recorded`, async (context) => {
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
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => worker(index)))

  let recorded = 0
  await eventually(async () => {
    recorded = await countOf('')
    return recorded >= REQUESTS
  }, RECORDED_WITHIN_MS).catch(() => {})
  assert.equal(recorded, REQUESTS)
  const [full, partial, skipped] = await Promise.all(
    ['full', 'partial', 'skipped'].map((extent) => countOf(`&inspection=${extent}`)),
  )
  context.diagnostic(JSON.stringify({ full, partial, skipped }))
  assert.equal((full ?? 0) + (partial ?? 0) + (skipped ?? 0), REQUESTS)
  assert.ok(full && partial)
  assert.equal(installation.process('gateway').pid, pid)
})

/** How many requests of the site are in the record. */
async function countOf(filter: string): Promise<number> {
  const path = `/api/Analytics/facets?field=outcome${filter}`
  return (await installation.api<{ total: number }>('GET', path)).body.total
}
