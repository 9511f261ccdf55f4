/** What answers of the analytics have beyond their counts where it is asked for: names of researchers, and what people changed. */
import assert from 'node:assert/strict'
import { randomUUID, randomUUIDv7 } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { ChangeMark, ResearcherName, TrafficEvent } from '@sallyport/contract'
import { postBatch, startTestControl, type TestOrganization } from '../../support/control.ts'
import { event } from '../../support/traffic.ts'

const control = await startTestControl()
after(() => control.close())
const mine = await control.createOrganization('mine')
const other = await control.createOrganization('other')
const NAME = 'Mira \u202e<b>'

const make = async (
  { keys }: TestOrganization,
  path: string,
  body: object,
): Promise<{ id: string; gatedName: string }> => {
  const answer = await control.call('POST', path, { key: keys.admin, body })
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}
const site = await make(mine, '/api/Sites', { originName: 'https://shop.example.com', isActive: true })
const foreignSite = await make(other, '/api/Sites', { originName: 'https://foreign.example.com' })
const named = await make(mine, '/api/Hackers', { email: 'mira@example.com', name: NAME })
const nameless = await make(mine, '/api/Hackers', { email: 'noor@example.com' })
const foreign = await make(other, '/api/Hackers', { email: 'stray@example.com', name: 'Stray' })
const GONE = randomUUID()

before(async () => {
  const events: TrafficEvent[] = [named.id, nameless.id, foreign.id, GONE, 'no-uuid', ''].map(
    (researcherId) =>
      event({
        ...{ id: randomUUIDv7(), orgId: mine.orgId, siteId: site.id, researcherId },
        ...{ time: Date.now() - 50, outcome: 'origin', status: 200 },
        leadsTo: ['shop.example.com', 'foreign.example.com', 'cdn.example.net'],
      }),
  )
  await postBatch(control, events)
})

const ask = async (path: string, key = mine.keys.viewer) => {
  const answer = await control.call('GET', path, { key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

const LISTS = [
  '/api/Analytics/requests?gte=now-1h',
  '/api/Analytics/facets?gte=now-1h&field=hacker',
  '/api/Analytics/activity?gte=now-1h&by=hacker',
] as const

for (const path of LISTS)
  test(`${path} names the researchers in it, of the own organization only`, async () => {
    const answer: { researcherNames: ResearcherName[] } = await ask(`${path}&include=names`)
    const names = new Map(answer.researcherNames.map(({ id, name }) => [id, name]))
    assert.deepEqual(
      [...names].sort(),
      [
        [named.id, NAME],
        [nameless.id, 'noor@example.com'],
        [foreign.id, null],
        [GONE, null],
        ['no-uuid', null],
      ].sort(),
    )
    assert.ok(!('researcherNames' in (await ask(path))), 'nothing that was not asked for')
    const theirs = await ask(`${path}&include=names`, other.keys.viewer)
    assert.deepEqual(theirs.researcherNames, [])
  })

test('of hosts that answers lead to, those that are origins of own sites are said to be', async () => {
  const { hostSites, facets } = await ask('/api/Analytics/facets?gte=now-1h&field=leadsTo&include=sites')
  assert.equal(facets[0].values.length, 3)
  assert.deepEqual(hostSites, [{ id: site.id, name: site.gatedName, host: 'shop.example.com' }])
  assert.ok(!('hostSites' in (await ask('/api/Analytics/facets?gte=now-1h&field=leadsTo'))))
  const theirs = await ask('/api/Analytics/facets?gte=now-1h&field=leadsTo&include=sites', other.keys.viewer)
  assert.deepEqual(theirs.hostSites, [])
})

test('an activity that is not by researcher names none, and what is not known cannot be included', async () => {
  const bySite = await ask('/api/Analytics/activity?gte=now-1h&by=site&include=names')
  assert.deepEqual(bySite.researcherNames, [])
  const refused = await control.call('GET', `${LISTS[0]}&include=secrets`, { key: mine.keys.owner })
  assert.equal(refused.status, 400)
})

const OVER_TIME = ['/api/Analytics/timeline?include=changes&', '/api/Analytics/situation?'] as const

for (const path of OVER_TIME)
  test(`${path} has what people changed, for who may read the audit log`, async () => {
    const answer: { changes: ChangeMark[] } = await ask(`${path}gte=now-1h`, mine.keys.admin)
    const created = answer.changes.find(({ action }) => action === 'site.create')
    assert.deepEqual(created?.target, { kind: 'site', id: site.id })
    assert.equal(created?.actor.kind, 'api-key')
    assert.deepEqual(Object.keys(created ?? {}).sort(), ['action', 'actor', 'sequence', 'target', 'time'])
    const order = answer.changes.map(({ sequence }) => sequence)
    assert.deepEqual(
      order,
      order.toSorted((left, right) => right - left),
      'newest first',
    )
    assert.ok(!JSON.stringify(answer.changes).includes(foreignSite.id), 'none of another organization')
    assert.ok(!JSON.stringify(answer.changes).includes('shop.example.com'), 'not what the things were')

    const viewed = await ask(`${path}gte=now-1h`)
    assert.ok(!('changes' in viewed), 'absent for a role that may not read them')
    assert.ok('buckets' in viewed, 'and the rest is there')
    const earlier = await ask(`${path}gte=now-3h&lte=now-2h`, mine.keys.admin)
    assert.deepEqual(earlier.changes, [], 'those of the window')
  })

test('a timeline has no changes that were not asked for', async () => {
  assert.ok(!('changes' in (await ask('/api/Analytics/timeline?gte=now-1h', mine.keys.owner))))
})
