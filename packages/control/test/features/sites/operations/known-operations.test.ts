/** What was learned is answered again as long as it holds, and learned anew where it does not, whoever changed what it rests on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LearnedOperation } from '@sallyport/api-learning'
import { newId } from '../../../../src/database/database.ts'
import { ProblemError } from '../../../../src/errors.ts'
import type { ApiLearner, LearnedApi } from '../../../../src/features/sites/definition/api-learner.ts'
import { KeptOperations } from '../../../../src/features/sites/operations/kept-operations.ts'
import { createOperationsInForce } from '../../../../src/features/sites/operations/known-operations.ts'
import {
  deleteConfirmed,
  findKnownSource,
  insertConfirmed,
  readKnown,
} from '../../../../src/features/sites/operations/store.ts'
import { createOperator } from '../../../../src/operator/operator.ts'
import { openTestDatabase } from '../../../support/database.ts'

const { database, owner } = await openTestDatabase()
const operator = createOperator(database)
const SECOND_MS = 1_000
const CONFIRMED = {
  method: 'GET',
  template: '/kept',
  parameters: [],
  bodyTypes: [],
  mediaTypes: [],
  statuses: [200],
}

async function createSite(name: string): Promise<{ orgId: string; id: string }> {
  const email = `owner@${name}.example`
  const { organizationId: orgId } = await operator.createOrganization({ name, email })
  const id = newId()
  await owner.query(
    `INSERT INTO sites (id, org_id, origin_name, origin_scheme, origin_host, origin_port, gated_name, is_enabled, starts_at, stops_at, created_by)
     VALUES ($1, $2, $3, 'https', $3, 443, $4, true, now(), now() + interval '1 day', 'test')`,
    [id, orgId, `${name}.example.com`, `${name}.gate.localhost`],
  )
  return { orgId, id }
}

const seenAs = (template: string): LearnedOperation => ({
  method: 'GET',
  template,
  state: 'learned',
  parameters: [],
  bodyTypes: [],
  mediaTypes: [],
  statuses: [200],
  evidence: { requests: 1, covered: 0, researchers: 3, firstSeen: 0, lastSeen: 0, confidence: 1 },
})

/** A control plane whose learner sees `template`, and learns as fast as `hold` lets it. */
function openPlane() {
  const plane = {
    template: '/a',
    learned: 0,
    time: 1_000_000,
    hold: Promise.resolve(),
    fault: undefined as unknown,
  }
  const learn: ApiLearner['learn'] = async ({ orgId, id }): Promise<LearnedApi> => {
    plane.learned += 1
    const { template } = plane
    const { confirmed, source } = await database.read(orgId, (tx) => readKnown(tx, orgId, id))
    await plane.hold
    if (plane.fault !== undefined) throw plane.fault
    return { hasDocument: false, known: { given: [], confirmed }, seen: [seenAs(template)], source }
  }
  const failures: unknown[] = []
  const inForce = createOperationsInForce({
    database,
    apiLearner: { learn },
    failed: (error) => failures.push(error),
    now: () => plane.time,
  })
  const templates = async ({ orgId, id }: { orgId: string; id: string }): Promise<string[]> =>
    (await inForce.of(orgId, id)).operations.map(({ template }) => template)
  return { plane, learn, inForce, templates, failures }
}

test('a clock that is set back keeps nothing for longer', async (t) => {
  const site = await createSite('set-back')
  const { plane, learn } = openPlane()
  const inForce = createOperationsInForce({ database, apiLearner: { learn }, failed: () => undefined })
  await inForce.of(site.orgId, site.id)
  const [dateNow, performanceNow] = [Date.now, performance.now.bind(performance)]
  t.mock.method(Date, 'now', () => dateNow() - 3_600 * SECOND_MS)
  t.mock.method(performance, 'now', () => performanceNow() + 16 * SECOND_MS)
  await inForce.of(site.orgId, site.id)
  assert.equal(plane.learned, 2)
})

const isNotFound = (error: unknown): boolean => error instanceof ProblemError && error.code === 'not_found'

test('what was learned is answered again, learned meanwhile, and not for longer than a quarter of an hour', async () => {
  const site = await createSite('aged')
  const { plane, inForce, templates, failures } = openPlane()
  assert.deepEqual(await templates(site), ['/a'])
  plane.template = '/b'
  plane.time += 14 * SECOND_MS
  assert.deepEqual([await templates(site), plane.learned], [['/a'], 1])
  plane.time += 2 * SECOND_MS
  assert.deepEqual([await templates(site), plane.learned], [['/b'], 2], 'learned soon enough to be answered')

  plane.template = '/c'
  plane.time += 16 * SECOND_MS
  const { promise, resolve } = Promise.withResolvers<void>()
  plane.hold = promise
  assert.deepEqual(await templates(site), ['/b'], 'nobody waits for what takes long')
  const fresh = inForce.of(site.orgId, site.id, { isFresh: true })
  resolve()
  assert.equal((await fresh).operations[0]?.template, '/c')
  assert.deepEqual(await templates(site), ['/c'], 'what was learned meanwhile is kept')

  plane.time += 16 * 60 * SECOND_MS
  plane.fault = new ProblemError('unavailable')
  await assert.rejects(templates(site), ProblemError)
  plane.time -= 60 * SECOND_MS + 1
  assert.deepEqual(await templates(site), ['/c'], 'what is kept is better than nothing')
  assert.deepEqual(failures, [])
})

test('whoever changes what is known of an API, no control plane answers what it was before', async () => {
  const site = await createSite('changed')
  const { orgId, id } = site
  const planes = [openPlane(), openPlane()]
  for (const { templates } of planes) assert.deepEqual(await templates(site), ['/a'])
  const before = await database.read(orgId, (tx) => findKnownSource(tx, orgId, id))
  await database.write(orgId, (tx) => insertConfirmed(tx, orgId, id, CONFIRMED, 'somebody'))
  for (const { templates } of planes) assert.deepEqual(await templates(site), ['/a', '/kept'])
  // The same again is another, too: what it says of parameters may differ.
  const confirmed = await database.read(orgId, (tx) => findKnownSource(tx, orgId, id))
  await database.write(orgId, (tx) => insertConfirmed(tx, orgId, id, CONFIRMED, 'somebody'))
  const again = await database.read(orgId, (tx) => findKnownSource(tx, orgId, id))
  assert.equal(new Set([before, confirmed, again]).size, 3)
  await database.write(orgId, (tx) => deleteConfirmed(tx, orgId, id, CONFIRMED))
  for (const { templates } of planes) assert.deepEqual(await templates(site), ['/a'])
})

test('learning that was under way when a definition changed is not what it is after', async () => {
  const site = await createSite('raced')
  const { orgId, id } = site
  const { plane, inForce } = openPlane()
  const { promise, resolve } = Promise.withResolvers<void>()
  plane.hold = promise
  const early = inForce.learn(site)
  while (plane.learned === 0) await new Promise(setImmediate)
  const source = await database.read(orgId, (tx) => findKnownSource(tx, orgId, id))
  await database.write(orgId, (tx) => insertConfirmed(tx, orgId, id, CONFIRMED, 'somebody'))
  resolve()
  assert.equal((await early).source, source)
  const { operations } = await inForce.of(orgId, id)
  assert.deepEqual(
    operations.map(({ template, source: from }) => [template, from]),
    [
      ['/a', 'learned'],
      ['/kept', 'confirmed'],
    ],
  )
})

test('another organization has no such site, kept or not', async () => {
  const site = await createSite('mine')
  const other = await createSite('theirs')
  const { inForce, templates } = openPlane()
  await templates(site)
  await assert.rejects(inForce.of(other.orgId, site.id), isNotFound)
  await assert.rejects(inForce.of(site.orgId, 'no-id'), isNotFound)
})

test('what is kept is bounded, of one site and of all, and what was asked for last stays', () => {
  const kept = new KeptOperations()
  const of = (chars: number, learnedAt = 1) => ({
    operations: [{ method: 'GET', template: '/'.repeat(chars), source: 'given' as const, parameters: [] }],
    source: '',
    learnedAt,
  })
  const site = (id: string) => ({ orgId: 'org', id })
  kept.set(site('huge'), of(9 * 2 ** 20))
  assert.equal(kept.get(site('huge')), undefined)
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) kept.set(site(id), of(5 * 2 ** 20))
  assert.ok(kept.get(site('a')))
  kept.set(site('g'), of(5 * 2 ** 20))
  assert.deepEqual(
    ['a', 'b', 'c', 'g'].map((id) => kept.get(site(id)) !== undefined),
    [true, false, true, true],
  )
  assert.equal(kept.get({ orgId: 'other', id: 'a' }), undefined)
  kept.set(site('a'), of(1, 0))
  assert.equal(kept.get(site('a'))?.learnedAt, 1, 'nothing older in place of what is newer')
})
