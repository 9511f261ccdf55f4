import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createStoredBatches } from '../../src/collector/stored-batches.ts'
import { openTemporaryStore } from '../support/traffic.ts'

const temporary = await openTemporaryStore()
after(temporary.remove)

test('the last batch is the one that was stored last, also where the clock went back between two', async (context) => {
  const gatewayId = 'gateway-clock'
  const [first, second] = ['first', 'second'].map((batchId) => ({ gatewayId, batchId, journalNumber: 0 }))
  assert.ok(first && second)
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 7_200_000 })
  await createStoredBatches(temporary.store).add(first)
  context.mock.timers.reset()
  await createStoredBatches(temporary.store).add(second)
  const afterRestart = createStoredBatches(temporary.store)
  assert.equal(await afterRestart.has(second), true)
  assert.equal(await afterRestart.has(first), false)
})

test('what another process has stored is seen a minute later, whatever the clock says', async (context) => {
  const gatewayId = 'gateway-other'
  const [first, second] = ['first', 'second'].map((batchId) => ({ gatewayId, batchId, journalNumber: 0 }))
  assert.ok(first && second)
  const [here, elsewhere] = [createStoredBatches(temporary.store), createStoredBatches(temporary.store)]
  await here.add(first)
  await elsewhere.add(second)
  const now = performance.now()
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() - 7_200_000 })
  context.mock.method(performance, 'now', () => now + 61_000)
  assert.equal(await here.has(second), true)
})
