/** Sessions and codes are sealed by the key of the organization; what was sealed by the key of all before stays good where there is one. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { GATE_SESSION, sessionCookie } from '../../src/credentials/session.ts'
import { startRawOrigin } from '../support/raw-origin.ts'
import { TestBrowser } from '../support/test-browser.ts'
import {
  GATE_HOST,
  KEY,
  pairOf,
  researcher,
  SESSION_KEY,
  startTestDataPlane,
} from '../support/test-data-plane.ts'

const [OWN_KEY, FOREIGN_KEY] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64url')) as [
  string,
  string,
]

/** A gateway whose organization has a key of its own, and what it says of sessions that were sealed by a key. */
async function openGate(context: TestContext, keyOfAll: string) {
  const origin = await startRawOrigin(context)
  const dataPlane = await startTestDataPlane(context, origin.port)
  const { gateUrl = '' } = dataPlane.snapshots.current.installation ?? {}
  dataPlane.snapshots.putInstallation({ sessionKey: keyOfAll, gateUrl })
  const value = { id: 'org', name: 'Org', open: true, sessionKey: OWN_KEY }
  dataPlane.snapshots.apply({ type: 'put', kind: 'organization', id: 'org', value })
  const statusOf = async (key: string): Promise<number> => {
    const browser = new TestBrowser(dataPlane)
    const made = sessionCookie({ kind: GATE_SESSION, host: GATE_HOST }, key, researcher(), '')
    const [name = '', text = ''] = pairOf(made).split('=', 2)
    browser.setCookie(browser.gate, name, text)
    return (await browser.call('GET', 'me')).status
  }
  return { dataPlane, statusOf }
}

test('a session holds by the key of its organization, or of all, and by no other', async (context) => {
  const { statusOf } = await openGate(context, SESSION_KEY)
  assert.deepEqual(
    await Promise.all([OWN_KEY, SESSION_KEY, FOREIGN_KEY, ''].map(statusOf)),
    [200, 200, 401, 401],
  )
})

test('where a gateway has no key of all, none is taken for it', async (context) => {
  const { statusOf } = await openGate(context, '')
  assert.deepEqual(
    await Promise.all([OWN_KEY, SESSION_KEY, FOREIGN_KEY, ''].map(statusOf)),
    [200, 401, 401, 401],
  )
})

test('a browser comes in by a code of the same key', async (context) => {
  const { dataPlane } = await openGate(context, '')
  const browser = new TestBrowser(dataPlane)
  assert.equal((await browser.call('POST', 'session', { key: KEY })).status, 200)
  const code = await browser.fetchCode('/inside')
  assert.equal((await browser.open(code.href)).status, 303)
  assert.equal((await browser.open(`${browser.site}/inside`)).status, 200)
})
