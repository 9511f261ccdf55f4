/** The coverage of operations to which the gate let nothing through, or nothing that was inspected. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ATTACK_CLASS_NAMES, type CoverageMap, type TrafficEvent } from '@sallyport/contract'
import { postBatch, startTestControl } from '../../support/control.ts'
import { event, hit } from '../../support/traffic.ts'

const control = await startTestControl()
after(() => control.close())
const shop = await control.createOrganization('shop')
const owner = { key: shop.keys.owner }

test('an operation of which the gate let nothing through says so, and stays untested', async () => {
  const added = await control.call('POST', '/api/Sites', {
    ...owner,
    body: { originName: 'refused.example.com' },
  })
  const site: string = added.json.id
  const get = { get: { responses: { 200: { description: 'There it is.' } } } }
  const paths = {
    '/blocked': get,
    '/defined': get,
    '/let/through': get,
    '/caf%C3%A9/{id}': get,
    '/slash/': get,
  }
  const saved = await control.call('PUT', `/api/Sites/${site}/definition`, {
    ...owner,
    body: { openapi: '3.1.0', info: { title: 'Refused', version: '1' }, paths },
  })
  assert.equal(saved.status, 204, saved.text)
  const from = (route: string, given: Partial<TrafficEvent>) =>
    event({ orgId: shop.orgId, siteId: site, route, path: route, target: route, ...given })
  const blocked = { outcome: 'block', reason: 'block_rule', status: 403, inspection: 'skipped' } as const
  const byDefinition = { outcome: 'firewall', reason: 'definition', status: 403, inspection: 'full' } as const
  const violation = hit({ class: 'definition', rule: 'definition-parameter-type', parameter: 'page' })
  await postBatch(control, [
    from('/blocked', blocked),
    from('/blocked', { ...blocked, outcome: 'limit', reason: 'rate_limit', status: 429 }),
    from('/defined', { ...byDefinition, hits: [violation] }),
    from('/defined', blocked),
    from('/let/through', { outcome: 'origin', status: 200, inspection: 'full' }),
    from('/let/through', blocked),
    // As a gateway writes the template, and as it writes the path while it does not know it.
    from('/caf%C3%A9/{id}', { hits: [hit()] }),
    from('/café/{id}', { hits: [hit()] }),
    from('/slash', { hits: [hit()] }),
  ])
  const answer = await control.call('GET', `/api/Sites/${site}/coverage?maxUntested=2`, owner)
  const map: CoverageMap = answer.json
  assert.deepEqual(
    map.operations.map(({ template, untested, requests, uninspected, cells }) => [
      ...[template, untested, requests, uninspected],
      cells.map((cell) => [cell.class, cell.attempts]),
    ]),
    [
      ['/blocked', 'refused_before_inspection', 2, 2, []],
      ['/caf%C3%A9/{id}', null, 2, 0, [['sql_injection', 2]]],
      ['/defined', 'refused', 2, 1, []],
      ['/let/through', 'untried', 2, 1, []],
      ['/slash/', null, 1, 0, [['sql_injection', 1]]],
    ],
  )
  assert.equal(map.classes.length, ATTACK_CLASS_NAMES.length)
  assert.deepEqual([map.summary.untested, map.summary.untestedRefused, map.bounds.passed], [3, 2, false])
  assert.deepEqual(map.elsewhere, { requests: 0, attempts: 0 })
  for (const [format, wanted] of [
    ['csv', /^GET,\/blocked,given,,,xss,refused_before_inspection,0,/m],
    ['junit', /message="never tried: the gate refused every request to it before the firewall looked"/],
    ['sarif', /Never tried: the gate refused every request to it\./],
  ] as const) {
    const file = await control.call('GET', `/api/Sites/${site}/coverage/export?format=${format}`, owner)
    assert.match(file.text, wanted)
  }
})
