/** Whatever a request is made of, its record is one that the control plane stores. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  firewallHitSchema,
  type SiteConfig,
  type TrafficEvent,
  trafficRequestSchema,
} from '@sallyport/contract'
import { redactHits } from '../../src/record/redact.ts'
import { startRawOrigin } from '../support/raw-origin.ts'
import { startTestDataPlane } from '../support/test-data-plane.ts'

/** The record of a request to a site, which must be within the bounds of its fields. */
async function recordOf(
  context: TestContext,
  target: string,
  changes: Partial<SiteConfig>,
): Promise<TrafficEvent | undefined> {
  const origin = await startRawOrigin(context)
  const { recorder, send } = await startTestDataPlane(context, origin.port, { site: changes })
  await send(`GET ${target}`)
  const [event] = await recorder.waitFor(1)
  assert.deepEqual(trafficRequestSchema.safeParse(event).error?.issues ?? [], [])
  return event
}

test('a path that is blocked by a long way of reading it', async (context) => {
  const rule = { id: 'secret', pathPrefix: '/admin/secret', methods: [], status: 404, enabled: true } as const
  const target = '/(S(x))%2561%00dmin;x/x/..%5c%20/secret'
  const event = await recordOf(context, target, { blockRules: [{ ...rule, methods: [] }] })
  assert.deepEqual([event?.outcome, event?.rule], ['block', 'secret'])
  assert.match(event?.reading ?? '', /^decoded twice, backslashes folded, /)
})

const MASKED = { queryValues: 'mask', clientAddress: 'keep', userAgent: 'keep' } as const

test('a long query of short values, each of which is masked', async (context) => {
  const event = await recordOf(context, `/?${'a=1&'.repeat(2_000)}`, { redaction: MASKED })
  assert.match(event?.target ?? '', /^\/\?(?:a=\*\*\*&)+/)
})

test('an excerpt of short codes, each of which is masked', () => {
  const hit = {
    ...({ rule: 'r', class: 'c', severity: 'low', part: 'query', parameter: 'q', excluded: false } as const),
    ...{ excerpt: `/a/.sallyport/enter${'/code=1'.repeat(20)}`, scorePercent: 0, reason: '' },
  }
  const [masked] = redactHits([hit], { ...MASKED, queryValues: 'keep' })
  assert.match(masked?.excerpt ?? '', /(?:\/code=\*\*\*)+/)
  assert.deepEqual(firewallHitSchema.safeParse(masked).error?.issues ?? [], [])
})
