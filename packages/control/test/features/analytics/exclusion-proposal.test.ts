/** An exclusion of several rules that matched in one place, by HTTP. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { after, test } from 'node:test'
import { exclusionProposal, exclusionTrial } from '@sallyport/contract'
import { postBatch, startTestControl } from '../../support/control.ts'
import { event, hit } from '../../support/traffic.ts'

const control = await startTestControl()
after(() => control.close())
const mine = await control.createOrganization('mine')
const other = await control.createOrganization('other')
const viewer = { key: mine.keys.viewer }

test('several rules that matched in one place are tried and proposed as one', async () => {
  const site = await control.call('POST', '/api/Sites', {
    key: mine.keys.admin,
    body: { originName: 'https://shop.example.com' },
  })
  const siteId = site.json.id
  const id = randomUUIDv7()
  const hits = [hit(), hit({ rule: 'own-second' }), hit({ rule: 'own-elsewhere', parameter: 'elsewhere' })]
  const recorded = event({
    id,
    orgId: mine.orgId,
    siteId,
    host: site.json.gatedName,
    time: Date.now() - 5,
    path: '/two',
    target: '/two',
    hits,
  })
  await postBatch(control, [recorded])
  const propose = (furtherRules: readonly string[], as: { readonly key: string } = viewer) =>
    control.call('POST', '/api/Analytics/proposeExclusion', {
      ...as,
      body: { requestId: id, rule: 'crs-942-100', furtherRules },
    })
  const { exclusion, ...both } = exclusionProposal.parse((await propose(['own-second'])).json)
  assert.equal(exclusion.rule, 'crs-942-100')
  assert.equal(exclusion.pathPrefix, '/two')
  assert.equal(both.removed, 2)
  assert.deepEqual(both.rules.map(({ value }) => value).sort(), ['crs-942-100', 'own-second'])
  assert.equal((await propose(['own-second', 'own-elsewhere'])).status, 404)
  assert.equal((await propose(['never-matched'])).status, 404)
  assert.equal((await propose(['own-second'], { key: other.keys.owner })).status, 404)
  assert.equal((await propose(Array.from({ length: 33 }, (_, index) => `rule-${index}`))).status, 400)
  const trial = await control.call('POST', '/api/Analytics/tryExclusion', {
    ...viewer,
    body: {
      siteId,
      exclusion: { id: 'x', rule: 'crs-942-100', pathPrefix: '/two' },
      furtherRules: ['own-second', 'own-elsewhere'],
    },
  })
  assert.equal(exclusionTrial.parse(trial.json).removed, 3)
})
