/** Where several organizations share an installation, a site opens only before an origin that is proved. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { OriginProof, Site } from '@sallyport/contract'
import { listenOnLoopback } from '../../../../../../test/support/loopback.ts'
import { startTestControl, type TestControl, type TestOrganization } from '../../../support/control.ts'
import { startDnsServer } from '../../../support/dns-server.ts'

const dns = await startDnsServer()
after(() => dns.close())
const reached: string[] = []
/** Would prove everything, and must not be asked: it lies on loopback, which nobody allows here. */
const inner = await listenOnLoopback(
  createServer((request, response) => {
    reached.push(request.url ?? '')
    response.end([...dns.records.values()].flat().join('\n'))
  }),
)
after(inner.close)
const { port } = inner
const NAMED = `http://localhost:${port}`
const ADDRESS = `http://127.0.0.1:${port}`
const RECORD = '_sallyport.localhost'

const control = await startTestControl({ originProof: 'auto' })
after(() => control.close())
const first = await control.createOrganization('first')

interface Answer<Body> {
  readonly status: number
  readonly json: Body & { code?: string; detail?: string }
}

const as = ({ keys }: TestOrganization, where: TestControl = control) => {
  const call = <Body>(method: string, path: string, body?: object): Promise<Answer<Body>> =>
    where.call(method, path, { key: keys.owner, ...(body && { body }) })
  return {
    create: (body: object) => call<Site>('POST', '/api/Sites', body),
    change: (id: string, body: object) => call<Site>('PATCH', `/api/Sites/${id}`, body),
    read: (id: string) => call<Site>('GET', `/api/Sites/${id}`),
    enable: (id: string) => call<Site>('POST', `/api/Sites/enable/${id}`),
    disable: (id: string) => call<Site>('GET', `/api/Sites/disable/${id}`),
    proof: (id: string) => call<OriginProof>('GET', `/api/Sites/${id}/originProof`),
    check: (id: string) => call<OriginProof>('POST', `/api/Sites/${id}/originProof`),
    forget: (id: string) => call('DELETE', `/api/Sites/${id}/originProof`),
    audit: async () => {
      const { json } = await call<{ items: { action: string; target: { id: string }; after: unknown }[] }>(
        'GET',
        '/api/AuditLog',
      )
      return json.items
    },
  }
}
const one = as(first)

async function refused(answer: Promise<Answer<unknown>>, what: string): Promise<void> {
  const { status, json } = await answer
  assert.equal(status, 409, `${what}: ${JSON.stringify(json)}`)
  assert.equal(json.code, 'origin_unproved', what)
}

const opened = await one.create({ originName: ADDRESS, isActive: true })
const closed = await one.create({ originName: NAMED })

test('a single organization is not asked, and nothing is looked up for it', async () => {
  assert.equal(opened.status, 201)
  for (const answer of [await one.proof(opened.json.id), await one.check(closed.json.id)]) {
    assert.deepEqual([answer.json.required, answer.json.state], [false, 'notRequired'])
  }
  assert.equal((await one.enable(closed.json.id)).status, 200)
  assert.equal((await one.disable(closed.json.id)).status, 200)
  assert.deepEqual([dns.asked, reached], [[], []])
})

test('with a second one open sites stay open, marked, and nothing opens without a proof', async () => {
  await control.createOrganization('second')
  const { id } = opened.json
  assert.deepEqual(pick((await one.proof(id)).json), [true, 'unproved', null, null])
  assert.equal((await one.read(id)).json.isActive, true)
  assert.equal((await one.change(id, { instructions: 'kept', isActive: true })).status, 200)
  await refused(one.change(id, { originName: NAMED }), 'another origin while open')
  await refused(one.change(id, { originName: `https://127.0.0.1:${port}` }), 'another scheme while open')
  assert.equal((await one.read(id)).json.originName, ADDRESS)

  await refused(one.create({ originName: NAMED, isActive: true }), 'created open')
  const later = { startDate: '2999-01-01T00:00:00Z', stopDate: '2999-02-01T00:00:00Z', isActive: true }
  await refused(one.create({ originName: NAMED, ...later }), 'created to open later')
  await refused(one.enable(closed.json.id), 'enabled')
  await refused(one.change(closed.json.id, later), 'enabled for later')
  assert.equal((await one.change(closed.json.id, { originName: `${NAMED}/` })).status, 200)

  await control.database.write(first.orgId, (tx) =>
    tx.query(`UPDATE sites SET starts_at = now() - interval '2 hours', stops_at = now() - interval '1 hour'
      WHERE id = '${id}'`),
  )
  await refused(one.change(id, { stopDate: '2999-01-01T00:00:00Z' }), 'ended, and opened again by its date')
  await refused(one.enable(id), 'ended, and enabled')
  assert.deepEqual(reached, [], 'what may not be connected to was')
})

test('a record opens all sites with the name, for the organization that it was made for alone', async () => {
  const two = as(await control.createOrganization('third'))
  const theirs = await two.create({ originName: NAMED })
  const { json } = await one.proof(closed.json.id)
  assert.deepEqual([json.dnsName, json.fileUrl], [RECORD, `${NAMED}/.well-known/sallyport.txt`])
  const asked = await one.enable(closed.json.id)
  for (const part of [RECORD, json.dnsValue, `${json.fileUrl}`]) assert.ok(asked.json.detail?.includes(part))

  dns.records.set(RECORD, [json.dnsValue])
  const enabled = await one.enable(closed.json.id)
  assert.deepEqual([enabled.status, enabled.json.isActive], [200, true])
  const proved = (await one.proof(closed.json.id)).json
  assert.deepEqual(pick(proved).slice(0, 3), [true, 'proved', 'dns'])
  const [entry] = (await one.audit()).filter(({ action }) => action === 'site.proveOrigin')
  assert.deepEqual(entry?.after, { method: 'dns', host: 'localhost' })

  const queries = dns.asked.length
  assert.equal((await one.change(closed.json.id, { originName: 'https://localhost:1' })).status, 200)
  assert.equal((await one.change(closed.json.id, { originName: NAMED })).status, 200)
  assert.equal((await one.create({ originName: 'localhost', isActive: true })).status, 201)
  assert.equal(dns.asked.length, queries, 'a proof is not asked for again')
  await refused(one.change(closed.json.id, { originName: ADDRESS }), 'an unproved origin while open')

  await refused(two.enable(theirs.json.id), 'with the proof of another organization')
  const their = await two.check(theirs.json.id)
  assert.equal(their.json.state, 'unproved')
  assert.notEqual(their.json.dnsValue, json.dnsValue)
  for (const act of [two.proof, two.check, two.forget]) assert.equal((await act(closed.json.id)).status, 404)
  dns.records.set(RECORD, [json.dnsValue, their.json.dnsValue])
  assert.equal((await two.check(theirs.json.id)).json.state, 'proved')
  assert.equal((await two.enable(theirs.json.id)).status, 200)
})

test('a proof is forgotten when it is told to be: what is open stays open, and opens no more', async () => {
  dns.records.delete(RECORD)
  const { id } = closed.json
  assert.equal((await one.forget(id)).status, 204)
  assert.equal((await one.forget(id)).status, 204)
  assert.deepEqual(pick((await one.proof(id)).json), [true, 'unproved', null, null])
  assert.equal((await one.read(id)).json.isActive, true)
  await one.disable(id)
  await refused(one.enable(id), 'after its proof was forgotten')
  const acts = (await one.audit()).filter(({ action }) => action === 'site.forgetOriginProof')
  assert.equal(acts.length, 1)
})

test('no race of two changes opens a site with an unproved origin', async () => {
  const racer = await control.createOrganization('racer')
  const racing = as(racer)
  const { json: site } = await racing.create({ originName: NAMED })
  dns.records.set(RECORD, [(await racing.proof(site.id)).json.dnsValue])
  assert.equal((await racing.check(site.id)).json.state, 'proved')
  let opens = 0
  for (let round = 0; round < 25; round++) {
    await racing.change(site.id, { originName: NAMED, isActive: false })
    const [enabled, moved] = await Promise.all([
      racing.enable(site.id),
      // Later by a little more in each round, so that each comes first in some.
      delay(round).then(() => racing.change(site.id, { originName: 'http://192.0.2.1' })),
    ])
    for (const { status } of [enabled, moved]) assert.ok([200, 409, 429].includes(status), String(status))
    const { json } = await racing.read(site.id)
    assert.ok(!json.isActive || json.originName === NAMED, 'an unproved origin is open')
    if (json.isActive) opens++
  }
  assert.ok(opens > 0, 'nothing ever opened')
})

test('an organization looks for proofs at a bounded pace', async () => {
  const hasty = as(await control.createOrganization('hasty'))
  const { json: site } = await hasty.create({ originName: ADDRESS })
  const answers = await Promise.all(Array.from({ length: 35 }, () => hasty.check(site.id)))
  const statuses = answers.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [...Array(30).fill(200), ...Array(5).fill(429)])
  assert.equal((await hasty.enable(site.id)).status, 429)
  const other = await one.check(opened.json.id)
  assert.equal(other.status, 200, 'others have a pace of their own')
})

const pick = ({ required, state, method, provedAt }: OriginProof) => [required, state, method, provedAt]
