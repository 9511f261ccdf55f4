/**
 * What survives. A gateway, or everything, is killed under load: every request that the origin saw is in the record
 * exactly once, no acknowledged change is lost, and nothing has to be mended by hand. `bench/crash.ts` does the same at
 * full length and prints the times; the bounds on time here leave room for a busy machine.
 */
import assert from 'node:assert/strict'
import { appendFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Site } from '@sallyport/contract'
import { compareWithRecord, type GateLoad, startGateLoad } from '../support/gate-load.ts'
import { eventually, type Installation, startInstallation } from '../support/installation.ts'
import { type Origin, startOrigin } from '../support/origin.ts'
import { createSite } from '../support/site.ts'

const GATED_NAME = 'crash.gate.localhost'
let installation: Installation
let origin: Origin
let site: Site

before(async () => {
  origin = await startOrigin()
  installation = await startInstallation()
  site = await createSite(installation, GATED_NAME, origin.url)
})
after(async () => {
  await installation?.remove()
  await origin?.close()
})

/** Everything that the origin saw under `prefix` is in the record once; the last of it may still be on its way. */
async function assertRecorded(prefix: string): Promise<void> {
  await eventually(
    async () => (await compareWithRecord(installation, origin, prefix)).missing.length === 0,
    10_000,
  )
  await delay(1_500)
  const { seen, missing, repeated } = await compareWithRecord(installation, origin, prefix)
  assert.ok(seen > 0)
  assert.deepEqual({ missing, repeated }, { missing: [], repeated: [] })
}

/** Runs `act` while the gate is under load, and stops the load whatever happens. */
async function underLoad(
  prefix: string,
  connections: number,
  act: (load: GateLoad) => Promise<void>,
): Promise<void> {
  const load = startGateLoad(installation, GATED_NAME, prefix, connections)
  try {
    await load.untilFlowing()
    await act(load)
  } finally {
    await load.stop()
  }
}

test('a gateway killed under load comes back at once and has lost nothing', async () => {
  await underLoad('/gateway/', 8, async (load) => {
    for (let round = 0; round < 3; round += 1) {
      process.kill(installation.process('gateway').pid, 'SIGKILL')
      const ms = await load.untilFlowing()
      assert.ok(ms < 10_000, `traffic flowed again after ${ms} ms`)
      await delay(200)
    }
  })
  await assertRecorded('/gateway/')
})

test('a control plane that dies is started again, and the gateway serves meanwhile', async () => {
  await underLoad('/control/', 4, async (load) => {
    process.kill(installation.process('control').pid, 'SIGKILL')
    for (let round = 0; round < 5; round += 1) {
      const ms = await load.untilFlowing()
      assert.ok(ms < 1_000, `a request took ${ms} ms`)
      await delay(100)
    }
  })
  await eventually(
    async () => (await fetch(`${installation.controlUrl}/readyz`).catch(() => null))?.ok,
    20_000,
  )
  await assertRecorded('/control/')
})

test('everything killed at once, started again: every acknowledged change and every request is there', async () => {
  let acknowledged = 0
  await underLoad('/all/', 4, async () => {
    let isKilled = false
    const changes = (async () => {
      for (let number = 1; !isKilled; number += 1) {
        const change = { instructions: `change ${number}` }
        const { status } = await installation.api('PATCH', `/api/Sites/${site.id}`, change)
        if (status === 200) acknowledged = number
      }
    })().catch(() => undefined)
    await delay(700)
    isKilled = true
    await installation.kill()
    await changes
  })
  await installation.start()
  const { body } = await installation.api<Site>('GET', `/api/Sites/${site.id}`)
  // The change that was under way may have been kept without its acknowledgement having arrived.
  const kept = [acknowledged, acknowledged + 1].map((number) => `change ${number}`)
  assert.ok(acknowledged > 0)
  assert.ok(kept.includes(body.instructions), `${kept[0]} became ${body.instructions}`)
  await assertRecorded('/all/')
})

test('a journal with a torn end and a snapshot full of noise are set aside with one line each', async () => {
  const gatewayDir = join(installation.dataDir, 'gateway')
  assert.equal((await installation.gate(GATED_NAME, '/before-noise/1')).status, 200)
  await installation.kill()
  const journal = join(gatewayDir, 'journal')
  const segment = readdirSync(journal)
    .filter((name) => /^\d/.test(name))
    .toSorted()
    .at(-1)
  assert.ok(segment, readdirSync(journal).join())
  const noise = Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 151 + 7) % 256))
  appendFileSync(join(journal, segment), noise)
  const snapshot = join(gatewayDir, 'snapshot.ndjson')
  const text = readFileSync(snapshot)
  writeFileSync(snapshot, Buffer.concat([text.subarray(0, text.length / 2), noise]))
  const printed = installation.output().length
  await installation.start()
  await eventually(async () => (await installation.gate(GATED_NAME, '/after-noise/1')).status === 200)
  const lines = installation
    .output()
    .slice(printed)
    .split('\n')
    .filter((line) => /set aside/.test(line))
  assert.equal(lines.filter((line) => /snapshot/.test(line)).length, 1, installation.output().slice(printed))
  assert.equal(lines.filter((line) => /journal/.test(line)).length, 1, installation.output().slice(printed))
  assert.ok(readdirSync(join(journal, 'damaged')).length > 0)
  await assertRecorded('/before-noise/')
  await assertRecorded('/after-noise/')
})

test('a journal cut short keeps what came before the cut', async () => {
  await installation.stop()
  const journal = join(installation.dataDir, 'gateway', 'journal')
  for (const name of readdirSync(journal).filter((entry) => /^\d/.test(entry)))
    truncateSync(join(journal, name), Math.floor(readFileSync(join(journal, name)).length / 2))
  await installation.start()
  assert.equal((await installation.gate(GATED_NAME, '/after-cut/1')).status, 200)
  await assertRecorded('/after-cut/')
})
