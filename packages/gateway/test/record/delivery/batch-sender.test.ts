import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BatchHeader } from '@sallyport/contract'
import type { Delivery } from '../../../src/control-plane/batch-client.ts'
import { BatchSender, type HealthChange } from '../../../src/record/delivery/batch-sender.ts'

const REPORT = { batchId: '', events: 0, lines: Buffer.alloc(0), isCompressed: false }

test('health that is not known any more is told until it is heard, apart from what is known', async () => {
  const heard: Pick<BatchHeader, 'health' | 'healthUnknown'>[] = []
  const found = { siteId: 'found', state: 'open', reason: 'origin_unreachable', since: 1 } as const
  const changes: HealthChange[] = [found, { siteId: 'moved', state: 'unknown' }]
  const sender = new BatchSender({
    client: {
      takesCompressed: true,
      async send({ health, healthUnknown }): Promise<Delivery> {
        heard.push({ health, ...(healthUnknown && { healthUnknown }) })
        return heard.length === 1 ? { kind: 'again', reason: 'away' } : { kind: 'accepted' }
      },
    },
    report: () => ({
      ...{ gatewayId: 'gateway-1', revision: 7, assertionKeys: { keys: [] } },
      ...{ health: changes.splice(0), journal: { pending: 0, pendingBytes: 0, damagedBytes: 0 } },
    }),
    log: () => {},
  })
  for (let reports = 0; reports < 3; reports += 1) await sender.send(REPORT)
  const said = { health: [found], healthUnknown: ['moved'] }
  assert.deepEqual(heard, [said, said, { health: [] }])
})
