/** The challenges of a gateway, and which answers renew its lease. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { feedPut, type LeaseChallenge, type LeaseGrant } from '@sallyport/contract'
import { ControlUrls } from '../../src/control-plane/control-urls.ts'
import { GatewayCredential } from '../../src/control-plane/credential.ts'
import { LeaseClient } from '../../src/control-plane/lease-client.ts'
import { Lease } from '../../src/lease/lease.ts'
import { LeaseFile } from '../../src/lease/lease-file.ts'
import { closeAtEnd, temporaryDirectory, until } from '../record/support.ts'
import { TestSnapshots } from '../support/test-data-plane.ts'

type Answer = (asked: LeaseChallenge) => LeaseGrant | Promise<LeaseGrant> | number

async function start(context: TestContext, answer: Answer) {
  const asked: LeaseChallenge[] = []
  const server = createServer(async (request, response) => {
    const challenge: LeaseChallenge = JSON.parse(await text(request))
    asked.push(challenge)
    const said = await answer(challenge)
    response.statusCode = typeof said === 'number' ? said : 200
    response.end(typeof said === 'number' ? '' : JSON.stringify(said))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const snapshots = new TestSnapshots()
  snapshots.apply(feedPut('organization', 'org', { id: 'org', name: 'Org', open: true, leaseMs: 10_000 }))
  const lease = new Lease()
  const lines: string[] = []
  const log = (_level: string, line: string): number => lines.push(line)
  const file = await LeaseFile.open(join(await temporaryDirectory(context), 'lease.json'), log)
  const client = new LeaseClient({
    controlUrls: new ControlUrls([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]),
    credential: new GatewayCredential('token'),
    gatewayId: 'one',
    version: '1.2.3',
    lease,
    file,
    snapshots,
    log,
  })
  closeAtEnd(context, client)
  return { asked, client, lease, lines, snapshots }
}

test('a grant counts from the sending of its challenge, once the gateway runs its revision', async (context) => {
  const { asked, client, lease, snapshots } = await start(context, async ({ challenge }) => {
    await sleep(200)
    return { challenge, revision: 2 }
  })
  await until(() => asked.length > 0, 'a challenge')
  assert.deepEqual([asked[0]?.gatewayId, asked[0]?.revision, asked[0]?.version], ['one', 1, '1.2.3'])
  await until(() => client.isGranting, 'the grant')
  assert.equal(lease.ageMs, Number.POSITIVE_INFINITY, 'revision 1 is not what was vouched for')
  snapshots.apply(feedPut('organization', 'other', { id: 'other', name: 'Other', open: true }))
  assert.ok(lease.ageMs >= 200 && lease.ageMs < 2_000, String(lease.ageMs))
  await until(() => asked.length > 1, 'another challenge')
  assert.notEqual(asked[0]?.challenge, asked[1]?.challenge)
})

test('an answer with another challenge renews nothing, as one that was buffered somewhere', async (context) => {
  const { asked, client, lease, lines } = await start(context, () => ({ challenge: 'stale', revision: 1 }))
  await until(() => asked.length > 1, 'challenges')
  assert.equal(lease.ageMs, Number.POSITIVE_INFINITY)
  assert.equal(client.isGranting, false)
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /does not renew the lease: it echoes another challenge/)
})

for (const [why, answer] of [
  ['it knows no leases', () => 404],
  ['this gateway does not run what was granted last', ({ challenge }) => ({ challenge, revision: null })],
] as [string, Answer][])
  test(`that ${why} is said in the log once, and nothing is renewed`, async (context) => {
    const { asked, lease, lines } = await start(context, answer)
    await until(() => asked.length > 1, 'challenges', 5_000)
    assert.equal(lease.ageMs, Number.POSITIVE_INFINITY)
    assert.equal(lines.length, 1)
    assert.ok(lines[0]?.includes(why))
  })
