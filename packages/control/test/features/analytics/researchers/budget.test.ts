/** A researcher's budget by HTTP: what is used of the limits of open sites, as the record counts it. */
import assert from 'node:assert/strict'
import { randomUUID, randomUUIDv7 } from 'node:crypto'
import { after, test } from 'node:test'
import type { HackerBudget, TrafficEvent } from '@sallyport/contract'
import { eventually } from '../../../../../../test/support/installation.ts'
import { postBatch, startTestControl, type TestOrganization } from '../../../support/control.ts'
import { event } from '../../../support/traffic.ts'

const control = await startTestControl()
after(() => control.close())
const mine = await control.createOrganization('mine')
const other = await control.createOrganization('other')

const make = async ({ keys }: TestOrganization, path: string, body: object) => {
  const answer = await control.call('POST', path, { key: keys.admin, body })
  assert.ok(answer.status < 300, answer.text)
  return answer.json
}
const addSite = async (organization: TestOrganization, host: string, rateLimit: string, isActive = true) => {
  const site = await make(organization, '/api/Sites', { originName: `https://${host}`, isActive })
  if (rateLimit) await make(organization, '/api/sites/setRateLimiting', { id: site.id, rateLimit })
  return site as { id: string; gatedName: string }
}
const policies = (await control.call('GET', '/api/RateLimitPolicies', { key: mine.keys.viewer })).json.items
/** With a share of the researcher's own that is counted in a window, one of another kind, and one without. */
const windowed = policies.find(({ perResearcher }: { perResearcher: { kind: string } | null }) =>
  ['fixed', 'sliding'].includes(perResearcher?.kind ?? ''),
)
const unshared = policies.find(({ perResearcher }: { perResearcher: unknown }) => perResearcher === null)
assert.ok(windowed && unshared, 'the plan has both')

const shared = await addSite(mine, 'shared.example.com', windowed.name)
const whole = await addSite(mine, 'whole.example.com', unshared.name)
await addSite(mine, 'free.example.com', '')
await addSite(mine, 'closed.example.com', windowed.name, false)
await addSite(other, 'theirs.example.com', windowed.name)
const mira = await make(mine, '/api/Hackers', { email: 'mira@example.com' })
const noor = await make(mine, '/api/Hackers', { email: 'noor@example.com' })

const send = async (given: readonly Partial<TrafficEvent>[]): Promise<void> => {
  const events = given.map((one) =>
    event({
      ...{ id: randomUUIDv7(), orgId: mine.orgId, siteId: shared.id, researcherId: mira.id },
      ...{ time: Date.now(), outcome: 'origin', status: 200, ...one },
    }),
  )
  await postBatch(control, events)
}
const budgetOf = async (id: string): Promise<HackerBudget> => {
  const answer = await control.call('GET', `/api/Hackers/${id}/budget`, { key: mine.keys.viewer })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}
const siteIn = ({ sites }: HackerBudget, { id }: { readonly id: string }) =>
  sites.find(({ site }) => site.id === id)

test('open sites with a limit are there, with their policies, and no others', async () => {
  const budget = await budgetOf(mira.id)
  assert.deepEqual(
    budget.sites.map(({ site }) => site),
    [whole, shared].map(({ id, gatedName }) => ({ id, name: gatedName })),
  )
  assert.deepEqual(new Set(budget.policies.map(({ name }) => name)), new Set([windowed.name, unshared.name]))
  assert.deepEqual(siteIn(budget, whole), { ...siteIn(budget, whole), used: null, refused: 0 })
})

test('what is used is what they sent in the window; what limits and block rules refused is not', async () => {
  const limit = { outcome: 'limit', status: 429, reason: 'rate_limit', rule: windowed.name } as const
  // The window may turn between what is sent and what is asked: then it is sent and asked again.
  const { windowMs } = windowed.perResearcher
  await eventually(async () => {
    const began = Date.now()
    const { used: before, refused: refusedBefore } = siteIn(await budgetOf(mira.id), shared) ?? {}
    await send([
      ...[{}, {}, limit, { outcome: 'block', status: 403, reason: 'block_rule' } as const],
      ...[{ researcherId: noor.id }, { time: began - 2 * windowMs }],
    ])
    const after = siteIn(await budgetOf(mira.id), shared)
    if (Math.floor(began / windowMs) !== Math.floor(Date.now() / windowMs)) return false
    assert.equal(after?.used, (before ?? 0) + 2)
    assert.equal(after?.refused, (refusedBefore ?? 0) + 1)
    return true
  })
})

test('a researcher of another organization, or of none, has no budget here', async () => {
  const stray = await make(other, '/api/Hackers', { email: 'stray@example.com' })
  for (const id of [stray.id, randomUUID(), 'nobody'])
    assert.equal(
      (await control.call('GET', `/api/Hackers/${id}/budget`, { key: mine.keys.owner })).status,
      404,
      id,
    )
})
