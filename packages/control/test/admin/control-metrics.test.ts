import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { BATCHES_PATH, FEED_PATH } from '@sallyport/contract'
import {
  GATEWAY_TOKEN,
  startTestControl,
  type TestControl,
  type TestOrganization,
} from '../support/control.ts'
import { batchBody, event } from '../support/traffic.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/operations.md'), 'utf8')
let control: TestControl
let organization: TestOrganization

before(async () => {
  control = await startTestControl({ version: '1.2.3' })
  organization = await control.createOrganization('One')
})
after(() => control.close())

const readText = async (): Promise<string> => (await fetch(`${control.adminUrl}/metrics`)).text()

/** A series by its name and labels, as they stand in the text. */
async function read(series: string): Promise<number> {
  const line = (await readText()).split('\n').find((one) => one.startsWith(`${series} `))
  return Number(line?.slice(series.length + 1) ?? 0)
}

async function until(series: string, value: number): Promise<void> {
  for (let waited = 0; waited < 10_000 && (await read(series)) !== value; waited += 50) await sleep(50)
  assert.equal(await read(series), value, series)
}

test('every metric of the control plane is documented, once, and nothing else is', async () => {
  const text = await readText()
  const types = Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = '', type = '']) => [
    name,
    type,
  ])
  const names = types.map(([name = '']) => name)
  const isOurs = (name: string): boolean => name.startsWith('sallyport_')
  const section = page.slice(page.indexOf('\n## Metrics\n'), page.indexOf('\n## Crashes\n'))
  const documented = Array.from(section.matchAll(/^\| `(sallyport_\w+)` \|/gm), ([, name = '']) => name)
  assert.deepEqual(documented.toSorted(), names.filter(isOurs).toSorted())
  for (const other of names.filter((name) => !isOurs(name))) assert.match(other, /^(process|nodejs)_/)
  for (const [name = '', type] of types.filter(([name = '']) => isOurs(name)))
    assert.equal(name.endsWith('_total'), type === 'counter', name)
})

test('requests are told apart by operation and by nothing that a caller writes', async () => {
  const { owner: key } = organization.keys
  await control.call('GET', '/api/Sites', { key })
  await control.call('GET', '/api/Sites')
  await control.call('GET', '/nowhere/secret-of-a-caller', { key })
  await control.call('PROPFIND', '/api/Sites?secret-of-a-caller', { key })
  const text = await readText()
  assert.match(text, /^sallyport_http_requests_total\{operation="sitesList",method="GET",status="2xx"\} 1$/m)
  assert.match(text, /^sallyport_http_requests_total\{operation="sitesList",method="GET",status="4xx"\} 1$/m)
  assert.match(text, /^sallyport_http_requests_total\{operation="none",method="GET",status="4xx"\} 1$/m)
  assert.match(text, /^sallyport_http_requests_total\{operation="none",method="_OTHER",status="4xx"\} 1$/m)
  assert.doesNotMatch(text, /secret|PROPFIND|\/api\//)
  assert.doesNotMatch(text, new RegExp(organization.orgId))
})

test('databases, their connections and the program are there', async () => {
  const node = process.version
  assert.equal(await read(`sallyport_build_info{version="1.2.3",node="${node}"}`), 1)
  assert.equal(await read('sallyport_database_up'), 1)
  assert.equal(await read('sallyport_traffic_store_up'), 1)
  assert.equal(await read('sallyport_database_connections_max'), 16)
  assert.ok((await read('sallyport_database_connections')) > 0)
})

test('batches are counted by what became of them, with the age of their events', async () => {
  const send = (body: string | Buffer) =>
    fetch(new URL(BATCHES_PATH, control.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${GATEWAY_TOKEN}`, 'content-type': 'application/x-ndjson' },
      body: body as string,
    })
  const { orgId } = organization
  const batch = batchBody([event({ orgId, time: Date.now() - 4_000, durationUs: 1_000_000 })], {
    batchId: 'b1',
  })
  assert.equal((await send(batch)).status, 204)
  assert.equal((await send(batch)).status, 204)
  assert.equal((await send('no batch\n')).status, 400)
  assert.equal(await read('sallyport_batches_total{result="stored"}'), 1)
  assert.equal(await read('sallyport_batches_total{result="duplicate"}'), 1)
  assert.equal(await read('sallyport_batches_total{result="quarantined"}'), 1)
  assert.equal(await read('sallyport_batches_total{result="later"}'), 0)
  assert.equal(await read('sallyport_batch_events_total'), 1)
  assert.equal(await read('sallyport_batch_quarantined_lines_total'), 1)
  assert.equal(await read('sallyport_delivery_seconds_count'), 1)
  assert.ok((await read('sallyport_delivery_seconds_sum')) >= 3)
  assert.ok((await read('sallyport_traffic_store_duration_seconds_count{use="insert",result="ok"}')) >= 2)
})

test('followers of the feed are counted, and how far the slowest gateway is behind', async () => {
  const leave = new AbortController()
  const feed = await fetch(new URL(FEED_PATH, control.url), {
    headers: { authorization: `Bearer ${GATEWAY_TOKEN}` },
    signal: leave.signal,
  })
  assert.equal(feed.status, 200)
  await until('sallyport_feed_followers', 1)
  const headers = { authorization: `Bearer ${GATEWAY_TOKEN}`, 'content-type': 'application/x-ndjson' }
  const body = batchBody([], { batchId: '', gatewayId: 'behind', revision: 0 })
  const report = () => fetch(new URL(BATCHES_PATH, control.url), { method: 'POST', headers, body })
  const { owner: key } = organization.keys
  const stopped = await control.call('POST', '/api/Organization/stop', { key, body: {} })
  assert.ok(stopped.status < 300, stopped.text)
  let measured = { revision: 0, lag: 0, live: 0 }
  for (let waited = 0; waited < 10_000 && measured.lag === 0; waited += 50) {
    // A gateway reports each second at least, or it is not live.
    await report()
    const text = await readText()
    const of = (name: string): number => Number(new RegExp(`^sallyport_${name} (\\d+)$`, 'm').exec(text)?.[1])
    measured = { revision: of('config_revision'), lag: of('gateway_revision_lag'), live: of('gateways_live') }
    await sleep(50)
  }
  assert.ok(measured.revision > 0 && measured.live > 0)
  assert.equal(measured.lag, measured.revision)
  leave.abort()
  await until('sallyport_feed_followers', 0)
  assert.equal(await read('sallyport_http_request_duration_seconds_count{operation="gatewayFeed"}'), 0)
})

test('nothing else is answered at the port', async () => {
  assert.equal((await fetch(`${control.adminUrl}/api/Sites`)).status, 404)
  assert.equal((await fetch(`${control.url}/metrics`)).status, 404)
})
