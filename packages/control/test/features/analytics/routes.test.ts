import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import {
  exclusionProposal,
  exclusionTrial,
  facetCounts,
  summaryTrafficTable,
  type TrafficEvent,
  totalRequest,
  trafficTimeline,
  wafRulesTimeline,
} from '@sallyport/contract'
import { postBatch, startTestControl } from '../../support/control.ts'
import { event, hit } from '../../support/traffic.ts'

const control = await startTestControl()
const mine = await control.createOrganization('mine')
const other = await control.createOrganization('other')
const viewer = { key: mine.keys.viewer }
let site: { id: string; gatedName: string }
let sent: TrafficEvent[]

after(() => control.close())
before(async () => {
  const created = await control.call('POST', '/api/Sites', {
    key: mine.keys.admin,
    body: { originName: 'https://shop.example.com' },
  })
  site = created.json
  sent = [
    recorded({ outcome: 'origin', hits: [hit()] }),
    recorded({ outcome: 'block', rule: 'rule-1', status: 403, reason: 'block_rule' }),
    recorded({ outcome: 'limit', rule: 'fixed', status: 429, reason: 'rate_limit', researcherId: 'someone' }),
  ]
  await postBatch(control, sent)
})

const recorded = (given: Partial<TrafficEvent> = {}): TrafficEvent =>
  event({
    id: randomUUIDv7(),
    orgId: mine.orgId,
    siteId: site.id,
    host: site.gatedName,
    time: Date.now() - 5,
    ...given,
  })

test('the four operations answer a JSON document in a string, of the documented shape', async () => {
  const total = await control.call('GET', '/api/Analytics/getTotalRequest', viewer)
  assert.equal(total.status, 200, total.text)
  assert.equal(typeof total.json, 'string')
  assert.equal(totalRequest.parse(JSON.parse(total.json)).total, 3)
  const bare = await control.call('GET', '/api/Analytics/getTotalRequest', {
    ...viewer,
    headers: { accept: 'text/plain' },
  })
  assert.equal(totalRequest.parse(JSON.parse(bare.text)).outcomes.block, 1)

  const timeline = await control.call(
    'GET',
    '/api/Analytics/getTrafficTimeline?interval=1h&gte=now-6h',
    viewer,
  )
  const { buckets } = trafficTimeline.parse(JSON.parse(timeline.json))
  assert.ok(buckets.length >= 6)
  assert.equal(
    buckets.reduce((sum, bucket) => sum + bucket.total, 0),
    3,
  )
  const rules = await control.call('GET', '/api/Analytics/getWAFSummaryRulesTimeline', viewer)
  assert.equal(wafRulesTimeline.parse(JSON.parse(rules.json)).rules[0]?.total, 1)

  for (const urls of [[], [site.gatedName], ['shop.example.com'], [`https://${site.gatedName}/orders`]]) {
    const summary = await control.call('POST', '/api/Analytics/getSummaryTrafficTable', {
      ...viewer,
      body: { gte: 'now-1h', lte: 'now', urls },
    })
    const { rows } = summaryTrafficTable.parse(JSON.parse(summary.json))
    assert.equal(rows.length, 1, String(urls))
    assert.equal(rows[0]?.url, `${site.gatedName}/orders/{id}`)
    assert.equal(rows[0]?.requests, 3)
  }
})

test('the request log, one request, facets, activity, rules and the trial of an exclusion answer', async () => {
  const log = await control.call('GET', '/api/Analytics/requests?outcome=block&outcome=limit&limit=1', viewer)
  assert.equal(log.status, 200, log.text)
  assert.equal(log.json.items.length, 1)
  const next = await control.call(
    'GET',
    `/api/Analytics/requests?outcome=!origin&cursor=${log.json.next}`,
    viewer,
  )
  assert.equal(next.json.items.length, 1)
  assert.equal(next.json.next, null)

  const one = await control.call('GET', `/api/Analytics/requests/${sent[0]?.id}`, viewer)
  assert.equal(one.json.events[0].hits[0].rule, 'crs-942-100')
  const facets = await control.call('GET', '/api/Analytics/facets?field=rule&field=hacker', viewer)
  assert.equal(facetCounts.parse(facets.json).facets.length, 2)
  const activity = await control.call('GET', '/api/Analytics/activity?by=hacker', viewer)
  assert.deepEqual(
    activity.json.rows.map((row: { value: string; requests: number }) => [row.value, row.requests]),
    [
      ['researcher-a', 2],
      ['someone', 1],
    ],
  )
  const rules = await control.call('GET', '/api/Analytics/rules', viewer)
  assert.deepEqual(rules.json.rows.map((row: { kind: string }) => row.kind).sort(), [
    'block',
    'firewall',
    'limit',
  ])
  const trial = await control.call('POST', '/api/Analytics/tryExclusion', {
    ...viewer,
    body: { siteId: site.id, exclusion: { id: 'x', rule: 'crs-942-100' } },
  })
  assert.equal(exclusionTrial.parse(trial.json).removed, 1)
})

test('at the edge of the retention the log, the totals and the traffic by URL are of the same requests', async () => {
  const { orgId, keys } = await control.createOrganization('long')
  const keptFrom = Date.now() - 90 * 86_400_000
  // Sums of a day are past their retention as soon as its first moment is.
  const times = [keptFrom - 60_000, keptFrom + 7_200_000]
  await postBatch(
    control,
    times.map((time) => recorded({ orgId, time })),
  )
  const key = keys.viewer
  const log = await control.call('GET', '/api/Analytics/requests?gte=now-100d', { key })
  assert.equal(log.json.items.length, 1)
  const total = await control.call('GET', '/api/Analytics/getTotalRequest?gte=now-100d', { key })
  assert.equal(JSON.parse(total.json).total, 1)
  const byUrl = await control.call('POST', '/api/Analytics/getSummaryTrafficTable', {
    key,
    body: { gte: 'now-100d' },
  })
  const { rows } = summaryTrafficTable.parse(JSON.parse(byUrl.json))
  assert.deepEqual(
    rows.map(({ requests }) => requests),
    [1],
  )
})

test('a recorded hit proposes the narrowest exclusion, with what it would have done', async () => {
  const hit = { requestId: sent[0]?.id, rule: 'crs-942-100' }
  const propose = (body: object, as: { readonly key: string } = viewer) =>
    control.call('POST', '/api/Analytics/proposeExclusion', { ...as, body })
  const proposal = exclusionProposal.parse((await propose(hit)).json)
  const { part, parameter } = sent[0]?.hits[0] ?? {}
  assert.equal(proposal.siteId, site.id)
  assert.equal(proposal.removed, 1)
  assert.deepEqual(
    { ...proposal.exclusion, id: '' },
    { id: '', rule: 'crs-942-100', pathPrefix: sent[0]?.path, part, parameter, note: '' },
  )
  assert.deepEqual(
    proposal.samples.map(({ id }) => id),
    [sent[0]?.id],
  )
  for (const unknown of [
    { ...hit, rule: 'another' },
    { ...hit, parameter: 'another' },
    { ...hit, requestId: randomUUIDv7() },
    { ...hit, requestId: 'x' },
  ])
    assert.equal((await propose(unknown)).status, 404, JSON.stringify(unknown))
  assert.equal((await propose({ rule: 'crs-942-100' })).status, 400)
  assert.equal((await propose(hit, { key: other.keys.owner })).status, 404)
})

test('another organization sees nothing, and learns nothing', async () => {
  const key = { key: other.keys.owner }
  const total = await control.call('GET', `/api/Analytics/getTotalRequest?site=${site.id}`, key)
  assert.equal(JSON.parse(total.json).total, 0)
  const mineOne = await control.call('GET', `/api/Analytics/requests/${sent[0]?.id}`, key)
  const unknown = await control.call('GET', `/api/Analytics/requests/${randomUUIDv7()}`, key)
  assert.equal(mineOne.status, 404)
  assert.deepEqual(
    { ...mineOne.json, requestId: '', instance: '' },
    { ...unknown.json, requestId: '', instance: '' },
  )
  const log = await control.call('GET', "/api/Analytics/requests?gte=now-30d&path=/'%20OR%201=1&site=!x", key)
  assert.deepEqual(log.json.items, [])
  const summary = await control.call('POST', '/api/Analytics/getSummaryTrafficTable', {
    ...key,
    body: { urls: [site.gatedName] },
  })
  assert.deepEqual(JSON.parse(summary.json).rows, [])
  const exported = await control.call('GET', '/api/Analytics/export?gte=now-30d', key)
  assert.equal(exported.text, '')
})

test('a bad window, interval or cursor is a 400 that names it; no token is a 401; a viewer may not export', async () => {
  for (const [query, path] of [
    ['gte=yesterday', 'query/gte'],
    ['gte=now&lte=now-1h', 'query/gte'],
    ['timeZone=Nowhere', 'query/timeZone'],
    ['interval=0h', 'query/interval'],
  ]) {
    const answer = await control.call('GET', `/api/Analytics/getTrafficTimeline?${query}`, viewer)
    assert.equal(answer.status, 400, query)
    assert.equal(answer.json.errors[0].path, path)
  }
  const summary = await control.call('POST', '/api/Analytics/getSummaryTrafficTable', {
    ...viewer,
    body: { lte: 'then' },
  })
  assert.equal(summary.json.errors[0].path, '/lte')
  assert.equal((await control.call('GET', '/api/Analytics/requests?cursor=x', viewer)).status, 400)
  assert.equal((await control.call('GET', '/api/Analytics/getTotalRequest')).status, 401)
  assert.equal((await control.call('GET', '/api/Analytics/export', viewer)).status, 403)
})

test('an export is a download in the format asked for', async () => {
  const admin = { key: mine.keys.admin }
  const csv = await control.call('GET', '/api/Analytics/export?format=csv', admin)
  assert.match(csv.headers.get('content-disposition') ?? '', /attachment; filename="requests\.csv"/)
  assert.equal(csv.text.trimEnd().split('\r\n').length, 4)
  const ocsf = await control.call('GET', '/api/Analytics/export?format=ocsf&outcome=block', admin)
  assert.equal(JSON.parse(ocsf.text).class_uid, 4002)
})

test('the live tail shows a request soon after it was reported, and ends with its reader', async () => {
  const reading = new AbortController()
  const response = await fetch(`${control.url}/api/Analytics/tail?tool=tail-test`, {
    headers: { authorization: `Bearer ${mine.keys.viewer}` },
    signal: reading.signal,
  })
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const seen = readUntil(response, 'event: request')
  const wanted = recorded({ tool: 'tail-test' })
  await postBatch(control, [recorded(), wanted])
  const text = await seen
  assert.ok(text.includes(wanted.id))
  assert.equal(text.match(/event: request/g)?.length, 1)
  reading.abort()
})

test('the live tail ends when its token is no longer good', async () => {
  const created = await control.call('POST', '/api/ApiKeys', {
    key: mine.keys.owner,
    body: { name: 'follower', role: 'viewer' },
  })
  const response = await fetch(`${control.url}/api/Analytics/tail?tool=tail-of-revoked`, {
    headers: { authorization: `Bearer ${created.json.key}` },
    signal: AbortSignal.timeout(20_000),
  })
  const staying = new AbortController()
  const other = await fetch(`${control.url}/api/Analytics/tail?tool=tail-of-revoked`, {
    headers: { authorization: `Bearer ${mine.keys.viewer}` },
    signal: staying.signal,
  })
  const path = `/api/ApiKeys/${created.json.id}`
  assert.equal((await control.call('DELETE', path, { key: mine.keys.owner })).status, 204)
  const seen = await readUntil(response, 'event: request')
  assert.equal(seen.includes('event: request'), false)
  const seenByOther = readUntil(other, 'event: request')
  const wanted = recorded({ tool: 'tail-of-revoked' })
  await postBatch(control, [wanted])
  assert.ok((await seenByOther).includes(wanted.id), 'and no other one does')
  staying.abort()
})

async function readUntil(response: Response, wanted: string): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.includes(wanted)) return text
  }
  return text
}

test('requests that can be given up leave nothing on the connection that they share', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const warnings: string[] = []
  const note = ({ message }: Error) => warnings.push(message)
  process.on('warning', note)
  for (let count = 0; count < 15; count += 1) {
    const url = `${control.url}/api/Analytics/facets?field=tool`
    const asked = get(url, { agent, headers: { authorization: `Bearer ${mine.keys.viewer}` } })
    const [answer]: IncomingMessage[] = await once(asked, 'response')
    assert.equal(answer?.statusCode, 200)
    answer?.resume()
    if (answer) await once(answer, 'end')
  }
  agent.destroy()
  process.off('warning', note)
  assert.deepEqual(warnings, [])
})
