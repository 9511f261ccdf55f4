/** Invitations, as the gate's own host takes them to the control plane. */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { InvitationAcceptance } from '@sallyport/contract'
import type { Acceptance } from '../../src/control-plane/control-client.ts'
import { TestBrowser } from '../support/test-browser.ts'
import { BOB, GATE_HOST, hashOf, startTestDataPlane } from '../support/test-data-plane.ts'

const COOKIE = '__Host-Http-sallyport-gate'
const TOKEN = 'T'.repeat(32)
const ATTEMPT = 'A'.repeat(22)

test('an invitation is used up at the control plane, and fails closed', async (context) => {
  const asked: Omit<InvitationAcceptance, 'gatewayId'>[] = []
  let answer: Acceptance = { researcherId: 'researcher-1', orgId: 'org', sessionGeneration: 0 }
  const dataPlane = await startTestDataPlane(context, 1, {
    acceptInvitation: async (acceptance) => {
      asked.push(acceptance)
      return answer
    },
  })
  dataPlane.snapshots.putResearcher(BOB)
  const browser = new TestBrowser(dataPlane)
  const accept = (more: object = {}) =>
    browser.call('POST', 'invitations', { token: TOKEN, attempt: ATTEMPT, ...more })
  const accepted = await accept()
  assert.equal(accepted.json.researcher.name, 'Ada')
  assert.equal(asked[0]?.tokenHash, hashOf(TOKEN))
  assert.equal(asked[0]?.attempt, ATTEMPT)
  assert.equal(asked[0]?.keepResearcherId, '')
  assert.equal((await browser.call('GET', 'me')).status, 200)
  answer = 'other'
  const other = await accept()
  assert.equal(other.status, 409)
  assert.deepEqual(other.json.signedInAs, { name: 'Ada', email: 'ada@example.org' })
  assert.equal(asked[1]?.keepResearcherId, 'researcher-1')
  answer = { researcherId: 'researcher-2', orgId: 'org', sessionGeneration: 0 }
  assert.equal((await accept({ replace: true })).json.researcher.name, 'Bob')
  assert.equal(asked[2]?.keepResearcherId, '')
  const kept = browser.cookie(browser.gate, COOKIE)
  const refusals: [Acceptance, number][] = [
    ['unknown', 404],
    ['away', 503],
    [{ researcherId: 'not-here-yet', orgId: 'org', sessionGeneration: 0 }, 503],
    [{ researcherId: 'researcher-1', orgId: 'other', sessionGeneration: 0 }, 503],
  ]
  for (const [said, status] of refusals) {
    answer = said
    const refused = await accept({ replace: true })
    assert.equal(refused.status, status)
    assert.equal(refused.header('retry-after'), status === 503 ? '1' : '')
    assert.deepEqual(refused.cookies, [])
  }
  assert.equal(browser.cookie(browser.gate, COOKIE), kept)
  for (const wrong of [{ token: 'short' }, { attempt: 'x' }, { token: `${TOKEN} ` }])
    assert.equal((await accept(wrong)).status, 400)
  assert.equal(asked.length, 7)
  const events = await dataPlane.recorder.waitFor(7)
  assert.deepEqual(
    [events[0]?.target, events[0]?.orgId, events[0]?.researcherId],
    ['/api/invitations', 'org', 'researcher-1'],
  )
  assert.ok(!JSON.stringify(events).includes(TOKEN))
})

test('invented invitations leave places to others while the control plane is slow', async (context) => {
  const { promise: slow, resolve: answer } = Promise.withResolvers<Acceptance>()
  let waiting = 0
  const dataPlane = await startTestDataPlane(context, 1, {
    acceptInvitation: () => {
      waiting += 1
      return slow
    },
  })
  const accept = (localAddress: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = {
        Host: GATE_HOST,
        'Sec-Fetch-Site': 'same-origin',
        'Content-Type': 'application/json',
      }
      const path = '/api/invitations'
      const asked = httpRequest(
        { port: dataPlane.port, host: '127.0.0.1', localAddress, method: 'POST', path, headers },
        (response) => resolve(response.resume().statusCode ?? 0),
      )
      asked.on('error', reject).end(JSON.stringify({ token: TOKEN, attempt: ATTEMPT }))
    })
  let refused = 0
  const attacker = Array.from({ length: 40 }, async () => {
    const status = await accept('127.0.0.1')
    if (status === 503) refused += 1
  })
  for (let round = 0; refused < 32 && round < 500; round++) await sleep(10)
  assert.deepEqual([waiting, refused], [8, 32])
  const other = accept('127.0.0.2')
  for (let round = 0; waiting < 9 && round < 200; round++) await sleep(10)
  assert.equal(waiting, 9)
  answer('unknown')
  assert.equal(await other, 404, 'the other is heard')
  await Promise.all(attacker)
})
