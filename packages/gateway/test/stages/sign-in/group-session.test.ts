/** One sign-in for all hosts of a group of sites: who gets its cookie, where it counts, and what others may plant beside it. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { SiteConfig } from '@sallyport/contract'
import { GROUP_SESSION, gatedPlaceOf, sessionCookie } from '../../../src/credentials/session.ts'
import { startRawOrigin } from '../../support/raw-origin.ts'
import { TestBrowser } from '../../support/test-browser.ts'
import {
  ask,
  BOB,
  HOST,
  KEY,
  pairOf,
  researcher,
  SESSION_KEY,
  site,
  startTestDataPlane,
} from '../../support/test-data-plane.ts'

const GROUP = 'group.gate.localhost'
const NAME = GROUP_SESSION.cookie
const LABELS = ['shop', 'api'] as const
const hostOf = (label: string): string => `${label}.${GROUP}`

async function openGate(context: TestContext, changes: Partial<SiteConfig> = {}) {
  const origin = await startRawOrigin(context)
  const dataPlane = await startTestDataPlane(context, origin.port)
  const { snapshots, port } = dataPlane
  snapshots.putResearcher(BOB)
  const sites = LABELS.map((label) => ({ gatedName: hostOf(label), origin: site(origin.port).origin }))
  const group = { gatedName: GROUP, sites }
  for (const label of LABELS)
    snapshots.putSite(
      site(origin.port, { id: label, gatedName: hostOf(label), group, ...(label === 'api' && changes) }),
    )
  const status = async (host: string, cookie: string): Promise<number> =>
    (await ask(port, 'GET', new URL(`http://${host}:${port}/a`), { headers: { Cookie: cookie } })).status
  return { origin, dataPlane, snapshots, status }
}

const place = { kind: GROUP_SESSION, host: GROUP }
const sessionOf = (who = researcher()): string => pairOf(sessionCookie(place, SESSION_KEY, who, ''))

test('who enters one host has a session at all of the group, and at no other', async (context) => {
  const { origin, dataPlane, status } = await openGate(context)
  const { port, recorder } = dataPlane
  const browser = new TestBrowser(dataPlane)
  await browser.call('POST', 'session', { key: KEY })
  const url = `http://${hostOf('shop')}:${port}`
  const begun = await browser.open(`${url}/.sallyport/sign-in?to=/cart`)
  const asked = new URL(begun.header('location')).searchParams
  const { json } = await browser.call('POST', 'codes', {
    host: asked.get('host'),
    nonce: asked.get('nonce'),
    to: asked.get('to'),
  })
  const entered = await browser.open(json.location)
  assert.equal(entered.header('location'), `${url}/cart`)
  assert.match(
    entered.cookies[0] ?? '',
    /^__Http-sallyport-group=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=None; Max-Age=86400; Domain=group\.gate\.localhost$/,
  )
  const cookie = pairOf(entered.cookies[0])
  for (const label of LABELS) assert.equal(await status(hostOf(label), `a=1; ${cookie}`), 200, label)
  assert.equal(await status(HOST, cookie), 401, 'a site of no group')
  assert.equal(await status(HOST, cookie.replace(NAME, '__Host-Http-sallyport')), 401)
  assert.ok(!origin.received.join('').includes('sallyport-group'), 'no origin sees it')
  const events = await recorder.waitFor(6)
  const ofApi = events.find(({ host }) => host.startsWith(hostOf('api')))
  assert.deepEqual(
    [ofApi?.siteId, ofApi?.researcherId, ofApi?.credential],
    ['api', 'researcher-1', 'session'],
  )
})

test('each site of the group says for itself who may enter, and when', async (context) => {
  const { origin, snapshots, status } = await openGate(context, { access: 'listed', researcherIds: [BOB.id] })
  assert.equal(await status(hostOf('shop'), sessionOf()), 200)
  assert.equal(await status(hostOf('api'), sessionOf()), 403)
  assert.equal(await status(hostOf('api'), sessionOf(BOB)), 200)
  const group = { gatedName: GROUP, sites: [] }
  snapshots.putSite(site(origin.port, { id: 'api', gatedName: hostOf('api'), group, enabled: false }))
  assert.equal(await status(hostOf('api'), sessionOf(BOB)), 503)
  snapshots.putResearcher(researcher({ sessionGeneration: 1 }))
  assert.equal(await status(hostOf('shop'), sessionOf()), 401, 'after the sessions were ended')
})

test('a session of one host, of another group or of another kind is none of the group', async (context) => {
  const { status } = await openGate(context)
  const others = [
    { kind: GROUP_SESSION, host: 'other.gate.localhost' },
    { kind: GROUP_SESSION, host: hostOf('shop') },
    gatedPlaceOf({ gatedName: hostOf('shop') }),
    gatedPlaceOf({ gatedName: GROUP }),
  ]
  for (const other of others) {
    const value = pairOf(sessionCookie(other, SESSION_KEY, researcher(), '')).split('=')[1]
    assert.equal(await status(hostOf('shop'), `${NAME}=${value}`), 401, other.host)
    assert.equal(await status(hostOf('shop'), `__Host-Http-sallyport=${value}`), 401, other.host)
  }
})

test('what is planted beside a session neither ends nor replaces it', async (context) => {
  const { status } = await openGate(context)
  const own = sessionOf()
  const junk = `${NAME}=junk`
  const host = hostOf('api')
  assert.equal(await status(host, `${junk}; ${own}`), 200)
  assert.equal(await status(host, `${own}; ${junk}; ${NAME}=`), 200)
  assert.equal(await status(host, `${own}; ${own}`), 200)
  assert.equal(await status(host, `${sessionOf(BOB)}; ${own}`), 401, 'of two researchers neither counts')
  assert.equal(await status(host, `${`${junk}; `.repeat(8)}${own}`), 401)
  assert.equal(await status(host, junk), 401)
})

test('a researcher of another organization has no way in by a session of the group', async (context) => {
  const { snapshots, status } = await openGate(context)
  snapshots.putOtherOrganization('org-2', 'rk_live_other')
  const stranger = { ...researcher(), id: 'researcher-2' }
  assert.equal(await status(hostOf('shop'), sessionOf(stranger)), 401)
})
