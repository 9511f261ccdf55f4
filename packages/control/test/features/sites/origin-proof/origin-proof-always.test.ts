/** Where the operator asks for a proof always: of every origin but those in the private ranges that it allows. */
import assert from 'node:assert/strict'
import names from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Site } from '@sallyport/contract'
import { eventually } from '../../../../../../test/support/installation.ts'
import { startTestControl } from '../../../support/control.ts'
import { startDnsServer } from '../../../support/dns-server.ts'

const dns = await startDnsServer()
after(() => dns.close())
const control = await startTestControl({ originProof: 'always', allowPrivateOrigins: ['127.0.0.0/8'] })
after(() => control.close())
const { keys } = await control.createOrganization('only')
const open = (originName: string) =>
  control.call('POST', '/api/Sites', { key: keys.owner, body: { originName, isActive: true } })

test('origins in allowed ranges, by address or by name, need no proof', async () => {
  for (const originName of ['http://127.0.0.1:1', 'http://localhost:1', '[::ffff:127.0.0.1]']) {
    const { status, json } = await open(originName)
    assert.equal(status, 201)
    const site: Site = json
    const proof = await control.call('GET', `/api/Sites/${site.id}/originProof`, { key: keys.owner })
    assert.deepEqual([proof.json.required, proof.json.state], [false, 'exempt'])
  }
  assert.deepEqual(dns.asked, [])
})

test('all others do, also for a single organization', async () => {
  for (const originName of ['http://10.0.0.1', 'http://[::1]', 'https://192.0.2.1:8443']) {
    const { status, json } = await open(originName)
    assert.deepEqual([status, json.code], [409, 'origin_unproved'], originName)
  }
})

test('an origin that the gate may not connect to says so before a request fails at it', async () => {
  for (const [originName, range] of [
    ['http://10.0.0.1', 'private'],
    ['http://[::ffff:10.0.0.1]', 'private'],
    ['http://127.0.0.1', null],
    ['https://192.0.2.1', 'reserved'],
    ['http://*.localhost', null],
  ]) {
    const created = await control.call('POST', '/api/Sites', { key: keys.owner, body: { originName } })
    const path = `/api/Sites/${created.json.id}/originProof`
    const { json } = await control.call('GET', path, { key: keys.viewer })
    assert.equal(json.forbiddenRange, range, `${originName}`)
  }
})

test('a role that may not change sites sees how an origin stands, and looks for no proof', async () => {
  const { json: site } = await control.call('POST', '/api/Sites', {
    key: keys.owner,
    body: { originName: '10.0.0.1' },
  })
  const path = `/api/Sites/${site.id}/originProof`
  const { json } = await control.call('GET', path, { key: keys.viewer })
  assert.deepEqual(
    [json.state, json.dnsName, json.fileUrl],
    ['unproved', null, 'https://10.0.0.1/.well-known/sallyport.txt'],
  )
  for (const method of ['POST', 'DELETE'])
    assert.equal((await control.call(method, path, { key: keys.viewer })).status, 403)
})

test('a wildcard is proved by a record below its domain, made for it alone, and by no file', async () => {
  const created = await control.call('POST', '/api/Sites', {
    key: keys.owner,
    body: { originName: 'http://*.localhost:1' },
  })
  const path = `/api/Sites/${created.json.id}/originProof`
  const { json } = await control.call('GET', path, { key: keys.owner })
  assert.deepEqual([json.required, json.state], [true, 'unproved'], 'its hosts may be anywhere')
  assert.deepEqual([json.dnsName, json.fileUrl], ['_sallyport.localhost', null])
  const of = await control.call('POST', '/api/Sites', { key: keys.owner, body: { originName: 'localhost' } })
  const ofHost = await control.call('GET', `/api/Sites/${of.json.id}/originProof`, { key: keys.owner })
  assert.notEqual(ofHost.json.dnsValue, json.dnsValue)
  const enable = () => control.call('POST', `/api/Sites/enable/${created.json.id}`, { key: keys.owner })
  dns.records.set('_sallyport.localhost', [ofHost.json.dnsValue])
  const refused = await enable()
  assert.equal(refused.json.code, 'origin_unproved')
  assert.doesNotMatch(refused.json.detail, /file/)
  dns.records.set('_sallyport.localhost', [ofHost.json.dnsValue, json.dnsValue])
  assert.equal((await enable()).status, 200)
})

test('the proof of an origin is in the evidence of its site, and of no other', async () => {
  const call = (method: string, path: string, body?: object) =>
    control.call(method, path, { key: keys.owner, ...(body && { body }) })
  const { json: another } = await call('POST', '/api/Sites', { originName: 'plain.example' })
  const { json: closed } = await call('POST', '/api/Sites', { originName: 'proved.example' })
  const { json: proof } = await call('GET', `/api/Sites/${closed.id}/originProof`)
  dns.records.set('_sallyport.proved.example', [proof.dnsValue])
  const opened = await call('POST', '/api/Sites', { originName: 'proved.example', isActive: true })
  assert.equal(opened.status, 201, opened.text)
  const packOf = async (id: string) => (await call('GET', `/api/Evidence/${id}`)).text
  assert.match(await packOf(opened.json.id), /site\.proveOrigin.*proved\.example/)
  assert.doesNotMatch(await packOf(another.id), /proved\.example/)
})

test('the names of an organization are looked up one after the other, whether sites or webhooks have them', async (context) => {
  const { lookup } = names
  context.after(() => {
    names.lookup = lookup
    syncBuiltinESMExports()
  })
  const asked: string[] = []
  let underWay = 0
  let mostUnderWay = 0
  const slowly = async (host: string) => {
    asked.push(host)
    underWay += 1
    mostUnderWay = Math.max(mostUnderWay, underWay)
    await sleep(500)
    underWay -= 1
    return [{ address: '127.0.0.1', family: 4 }]
  }
  names.lookup = slowly as unknown as typeof lookup
  syncBuiltinESMExports()
  const call = (method: string, path: string, body?: object) =>
    control.call(method, path, { key: keys.owner, ...(body && { body }) })
  const sites: Site[] = []
  for (let count = 0; count < 6; count += 1)
    sites.push((await call('POST', '/api/Sites', { originName: `origin-${count}.example` })).json)
  const webhook = { kind: 'webhook', name: 'hook', target: 'https://hook.example/', types: [] }
  const { json: destination } = await call('POST', '/api/Notifications/destinations', webhook)
  await call('POST', `/api/Notifications/destinations/${destination.id}/test`)
  await Promise.all(sites.map(({ id }) => call('GET', `/api/Sites/${id}/originProof`)))
  await eventually(() => (asked.length === 7 && underWay === 0) || undefined)
  assert.equal(mostUnderWay, 1)
})
