/** Mutated requests over real sockets: the gate goes on, and records each of them. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { benignRequests } from '../../../../firewall/test/support/benign.ts'
import { createMutations } from '../../../../firewall/test/support/mutations.ts'
import { sendAlone, wireBytes } from '../../../../firewall/test/support/wire.ts'
import { HOST, KEY, startTestDataPlane } from '../../support/test-data-plane.ts'

/** `SALLYPORT_FUZZ_REQUESTS=100000` for the long run. */
const REQUESTS = Number(process.env.SALLYPORT_FUZZ_REQUESTS ?? 600)
const CONNECTIONS = 4
const own = [`Host: ${HOST}`, `Sallyport-Key: ${KEY}`]

test(`${REQUESTS} mutated requests through the gate, in observe and in enforce`, async (context) => {
  const origin = createServer((incoming, response) => {
    incoming.resume()
    incoming.on('end', () => response.end('ok'))
  })
  await new Promise<void>((ready) => origin.listen(0, '127.0.0.1', ready))
  context.after(() => origin.close())
  context.after(() => origin.closeAllConnections())
  const { port } = origin.address() as AddressInfo
  const seeds = benignRequests(320, 5)
  const seen = new Map<string, number>()
  for (const mode of ['observe', 'enforce'] as const) {
    const gate = await startTestDataPlane(context, port, {
      site: { firewall: { mode, overrides: [], exclusions: [] } },
    })
    const { mutated } = createMutations(mode.length)
    const half = REQUESTS / 2
    const worker = async (first: number): Promise<void> => {
      for (let index = first; index < half; index += CONNECTIONS) {
        const seed = seeds[index % seeds.length]
        if (seed) await sendAlone(gate.port, wireBytes(mutated(seed), own))
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => worker(index)))
    const events = await gate.recorder.waitFor(half)
    assert.equal(events.length, half)
    for (const { inspection, outcome, hits } of events) {
      const key = `${mode} ${outcome} ${inspection}`
      seen.set(key, (seen.get(key) ?? 0) + 1)
      assert.ok(hits.every(({ excerpt }) => excerpt.isWellFormed()))
      // What the gate itself refused was not inspected; all else was, and says how far.
      assert.ok(outcome === 'gate' || inspection === 'full' || inspection === 'partial', key)
    }
  }
  context.diagnostic(JSON.stringify(Object.fromEntries(seen)))
})
