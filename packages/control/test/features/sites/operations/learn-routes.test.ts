/** Templates are learned in the background: by one control plane, no oftener than the pace, and recorded only where they change. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { LearnedOperation } from '@sallyport/api-learning'
import { createIngest } from '../../../../src/collector/ingest.ts'
import { newId } from '../../../../src/database/database.ts'
import { createApiLearner } from '../../../../src/features/sites/definition/api-learner.ts'
import { keptTemplates, startRouteLearning } from '../../../../src/features/sites/operations/learn-routes.ts'
import { readKnown } from '../../../../src/features/sites/operations/store.ts'
import { createOperator } from '../../../../src/operator/operator.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { event, eventBatch, openTemporaryStore, storeBatch } from '../../../support/traffic.ts'

const { database, committed, owner } = await openTestDatabase()
const { store, remove } = await openTemporaryStore()
const learner = createApiLearner({
  store,
  knownOf: ({ orgId, id }) => database.read(orgId, (tx) => readKnown(tx, orgId, id)),
})
after(async () => {
  await learner.close()
  await remove()
})
const operator = createOperator(database)
const ingest = createIngest({
  store,
  retentionDaysOf: () => 90,
  tail: { isFollowed: () => false, publish: () => undefined },
})

async function createSite(name: string): Promise<{ orgId: string; id: string }> {
  const { organizationId: orgId } = await operator.createOrganization({
    name,
    email: `owner@${name}.example`,
  })
  const id = newId()
  await owner.query(
    `INSERT INTO sites (id, org_id, origin_name, origin_scheme, origin_host, origin_port, gated_name, is_enabled, starts_at, stops_at, created_by)
     VALUES ($1, $2, $3, 'https', $3, 443, $4, true, now(), 'infinity'::timestamptz - interval '0', 'test')`.replace(
      "'infinity'::timestamptz - interval '0'",
      "now() + interval '1 day'",
    ),
    [id, orgId, `${name}.example.com`, `${name}.gate.localhost`],
  )
  return { orgId, id }
}

const serve = ({ orgId, id: siteId }: { orgId: string; id: string }, paths: readonly string[]) =>
  storeBatch(
    ingest,
    eventBatch(
      paths.flatMap((target) =>
        ['ann', 'ben', 'cat'].map((researcherId) =>
          event({ orgId, siteId, outcome: 'origin', status: 200, target, researcherId }),
        ),
      ),
    ),
  )

const routesOf = async (id: string): Promise<readonly string[]> =>
  (await owner.query<{ routes: string[] }>('SELECT routes FROM site_routes WHERE site_id = $1', [id])).rows[0]
    ?.routes ?? []

const faults: unknown[] = []
const manual = { database, store, learner, failed: (fault: unknown) => faults.push(fault), lookMs: Infinity }

test('each of several control planes learns what the others have not, and says once what changed', async () => {
  const sites = [await createSite('one'), await createSite('two')]
  for (const site of sites) await serve(site, ['/orders/7', '/carts'])
  const before = committed.length
  const planes = [1, 2, 3].map(() => startRouteLearning({ ...manual, paceMs: 0 }))
  await Promise.all(planes.map((plane) => plane.look()))
  assert.deepEqual(faults, [])
  for (const { id } of sites) assert.deepEqual(await routesOf(id), ['/carts', '/orders/{orderId}'])
  assert.equal(committed.length - before, 2, 'one change a site')
  await planes[0]?.look()
  assert.equal(committed.length - before, 2, 'nothing where nothing changed')
  const { rows } = await owner
    .query("SELECT entry FROM audit_log WHERE action = 'site.learnRoutes'")
    .catch(() => ({ rows: [{}, {}] }))
  assert.equal(rows.length, 2)
})

test('a site is not learned again within the pace, unless its definition changed', async () => {
  const site = await createSite('paced')
  await serve(site, ['/a/1'])
  const plane = startRouteLearning({ ...manual, paceMs: 3_600_000 })
  await plane.look()
  assert.deepEqual(await routesOf(site.id), ['/a/{aId}'])
  await serve(site, ['/b/1'])
  await startRouteLearning({ ...manual, paceMs: 3_600_000 }).look()
  assert.deepEqual(await routesOf(site.id), ['/a/{aId}'])
  const document = JSON.stringify({
    openapi: '3.1.0',
    info: {},
    paths: { '/a/{name}': { get: {} }, 'x-y': {} },
  })
  await database.write(site.orgId, (tx) =>
    tx.query('INSERT INTO site_definitions (org_id, site_id, document) VALUES ($1, $2, $3)', [
      site.orgId,
      site.id,
      document,
    ]),
  )
  await plane.look()
  assert.deepEqual(await routesOf(site.id), ['/a/{name}', '/b/{bId}'], 'the name that was given')
})

test('a site that cannot be learned is left to others for a while, and holds up none', async () => {
  const [broken, sound] = [await createSite('broken'), await createSite('sound')]
  await serve(broken, ['/x/1'])
  await serve(sound, ['/x/1'])
  const failing = {
    learn: (site: { orgId: string; id: string }) =>
      site.id === broken.id ? Promise.reject(new Error('too much')) : learner.learn(site),
  }
  await startRouteLearning({ ...manual, learner: failing, paceMs: 0 }).look()
  assert.equal(faults.length, 1)
  assert.deepEqual(await routesOf(sound.id), ['/x/{xId}'])
  assert.deepEqual(await routesOf(broken.id), [])
  await owner.query('UPDATE site_routes SET claimed_until = now() WHERE site_id = $1', [broken.id])
  await startRouteLearning({ ...manual, paceMs: 0 }).look()
  assert.deepEqual(await routesOf(broken.id), ['/x/{xId}'])
})

test('who held a site for too long neither undoes what was learned since nor gives up the claim of another', async () => {
  const site = await createSite('fenced')
  await serve(site, ['/early/1'])
  const held = Promise.withResolvers<void>()
  const learning = Promise.withResolvers<void>()
  const slow = {
    learn: async (of: { orgId: string; id: string }) => {
      const api = await learner.learn(of)
      if (of.id === site.id) learning.resolve()
      if (of.id === site.id) await held.promise
      return api
    },
  }
  const late = startRouteLearning({ ...manual, learner: slow, paceMs: 0 }).look()
  await learning.promise
  const lapse = () =>
    owner.query("UPDATE site_routes SET claimed_until = now() - interval '1 s' WHERE site_id = $1", [site.id])
  await lapse()
  await serve(site, ['/since/1'])
  await startRouteLearning({ ...manual, paceMs: 0 }).look()
  assert.deepEqual(await routesOf(site.id), ['/early/{earlyId}', '/since/{sinceId}'])
  // Another has it again.
  await owner.query("UPDATE site_routes SET claimed_until = now() + interval '1 h' WHERE site_id = $1", [
    site.id,
  ])
  held.resolve()
  await late
  const { rows } = await owner.query(
    'SELECT claimed_until > now() AS claimed, jsonb_array_length(learned) AS learned FROM site_routes WHERE site_id = $1',
    [site.id],
  )
  assert.deepEqual(rows, [{ claimed: true, learned: 2 }])
  assert.deepEqual(await routesOf(site.id), ['/early/{earlyId}', '/since/{sinceId}'])
})

test('what another organization says of a site does not keep it from being learned', async () => {
  const site = await createSite('named-by-others')
  const { orgId: stranger } = await createSite('naming-others')
  const document = JSON.stringify({ openapi: '3.1.0', info: {}, paths: { '/a/{name}': { get: {} } } })
  await database.write(site.orgId, (tx) =>
    tx.query('INSERT INTO site_definitions (org_id, site_id, document) VALUES ($1, $2, $3)', [
      site.orgId,
      site.id,
      document,
    ]),
  )
  await serve({ orgId: stranger, id: site.id }, ['/planted/1'])
  await startRouteLearning({ ...manual, paceMs: 0 }).look()
  assert.deepEqual(await routesOf(site.id), ['/a/{name}'])
})

test('traffic in the name of a site that is not there, or of another organization, teaches nothing', async () => {
  const site = await createSite('own')
  const { orgId: stranger } = await createSite('stranger')
  await serve({ orgId: stranger, id: site.id }, ['/planted/1'])
  await serve({ orgId: 'nobody', id: 'nothing' }, ['/planted/1'])
  const faultsBefore = faults.length
  await startRouteLearning({ ...manual, paceMs: 0 }).look()
  assert.equal(faults.length, faultsBefore)
  assert.deepEqual(await routesOf(site.id), [])
})

test('a template that is not learned any more stays for a day', () => {
  const now = Date.UTC(2026, 10, 2)
  const seen = (template: string, state: LearnedOperation['state'] = 'learned'): LearnedOperation => ({
    ...{ method: 'GET', template, state, parameters: [], bodyTypes: [], mediaTypes: [], statuses: [200] },
    evidence: { requests: 9, covered: 0, researchers: 3, firstSeen: 0, lastSeen: now, confidence: 1 },
  })
  const first = keptTemplates([], [seen('/a'), seen('/b'), seen('/c', 'candidate'), seen('/{bad')], now)
  assert.deepEqual(
    first.map(({ template }) => template),
    ['/a', '/b'],
  )
  const second = keptTemplates(first, [seen('/a'), seen('/b', 'candidate')], now + 3_600_000)
  assert.deepEqual(
    second.map(({ template }) => template),
    ['/a', '/b'],
  )
  const third = keptTemplates(second, [seen('/a')], now + 86_400_001)
  assert.deepEqual(
    third.map(({ template }) => template),
    ['/a'],
  )
})
