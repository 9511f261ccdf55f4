import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatedPlaceOf } from '../../../src/credentials/session.ts'
import { openSession, startHttp2DataPlane } from '../../support/http2/http2-client.ts'
import { sessionOfResearcher } from '../../support/test-browser.ts'
import {
  GATE_HOST,
  HOST,
  KEY,
  sendRaw,
  site,
  startTestDataPlane,
  type TestDataPlane,
} from '../../support/test-data-plane.ts'

const NOBODYS = 'nobody.gate.localhost'
const OTHER_KEY = 'rk_live_other'

const PLACE = gatedPlaceOf({ gatedName: HOST })

const RESEARCHERS: readonly string[] = [`Sallyport-Key: ${KEY}`, `Cookie: ${sessionOfResearcher()}`]
/** What shows that somebody is nobody at this site. */
const STRANGERS: readonly string[] = [
  'X-Nothing: 1',
  'Sallyport-Key: rk_live_wrong',
  `Sallyport-Key: ${'k'.repeat(200)}`,
  `Cookie: ${PLACE.kind.cookie}=a.0.b.1.c`,
  `Sallyport-Key: ${OTHER_KEY}`,
]
/** What may be asked: of the application, and of each of the gate's own paths. */
const ASKED: readonly (readonly string[])[] = [
  ['GET /path?q=1'],
  ['GET /', 'Accept: text/html'],
  ['GET /path?q=1', 'Accept: text/html', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'],
  ['HEAD /'],
  ['OPTIONS /', 'Origin: http://evil.example', 'Access-Control-Request-Method: PUT'],
  [
    'GET /',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${'A'.repeat(22)}==`,
  ],
  [
    'GET /.sallyport/sign-in?to=%2Fx',
    'Accept: text/html',
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-Dest: document',
  ],
  [
    'GET /.sallyport/enter?code=made-up',
    'Accept: text/html',
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-Dest: document',
  ],
  ['GET /.sallyport/nonce', `Origin: http://${GATE_HOST}:PORT`],
  [
    'GET /.sallyport/invite?token=x',
    'Accept: text/html',
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-Dest: document',
  ],
  ['GET /.sallyport/', 'Accept: text/html', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'],
  ['GET /.sallyport/other'],
]

/** Nonces and ids differ each time, and so does the name that was asked for. */
const alike = (text: string): string =>
  withoutIds(text)
    .replaceAll(NOBODYS, HOST)
    .replaceAll(/(nonce=|_nonce=)[\w-]{22,}/g, '$1NONCE')

const withoutIds = (text: string): string =>
  text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID').replace(/Date: [^\r]+/, 'Date: NOW')

/** Each way in which a site is closed. */
const CLOSED: Record<string, (plane: TestDataPlane) => void> = {
  'switched off': ({ snapshots }) => snapshots.putSite(site(1, { enabled: false })),
  'not begun': ({ snapshots }) => snapshots.putSite(site(1, { startsAt: Date.now() + 60_000 })),
  over: ({ snapshots }) => snapshots.putSite(site(1, { stopsAt: Date.now() - 1 })),
  'stopped with its organization': ({ snapshots }) =>
    snapshots.apply({
      type: 'put',
      kind: 'organization',
      id: 'org',
      value: { id: 'org', name: 'Org', open: false },
    }),
}

/** What a stranger is answered to everything that may be asked under a name, in order. */
async function answersAt(plane: TestDataPlane, host: string): Promise<string[]> {
  const answers: string[] = []
  for (const credential of STRANGERS)
    for (const [line = '', ...lines] of ASKED) {
      const head = [`${line} HTTP/1.1`, `Host: ${host}`, credential, ...lines, 'Connection: close']
      // A second Connection header would take the place of the upgrade.
      const sent = lines.some((one) => one.startsWith('Connection')) ? head.slice(0, -1) : head
      const { text } = await sendRaw(
        plane.port,
        `${sent.join('\r\n').replace('PORT', String(plane.port))}\r\n\r\n`,
      )
      answers.push(`${line} by ${credential}\n${alike(text)}`)
    }
  return answers
}

for (const [how, close] of Object.entries(CLOSED))
  test(`a stranger cannot tell a site that is ${how} from one that is open, or from none`, async (context) => {
    const plane = await startTestDataPlane(context, 1)
    plane.snapshots.putOtherOrganization('other', OTHER_KEY)
    const open = await answersAt(plane, HOST)
    assert.equal(open.filter((text) => text.includes(' 401 ')).length > 0, true)
    assert.deepEqual(await answersAt(plane, NOBODYS), open)
    const before = plane.recorder.events.length
    close(plane)
    assert.deepEqual(await answersAt(plane, HOST), open)
    assert.doesNotMatch(open.join(), /site-1|127\.0\.0\.1|closed/)
    const [event] = plane.recorder.events.slice(before)
    assert.deepEqual(
      [event?.reason, event?.status, event?.siteId, event?.orgId],
      ['site_closed', 401, 'site-1', 'org'],
    )
  })

for (const [how, close] of Object.entries(CLOSED))
  test(`a researcher is told that a site is ${how}, and recorded by name`, async (context) => {
    const plane = await startTestDataPlane(context, 1)
    close(plane)
    for (const credential of RESEARCHERS) {
      const before = plane.recorder.events.length
      const { text } = await sendRaw(plane.port, `GET / HTTP/1.1\r\nHost: ${HOST}\r\n${credential}\r\n\r\n`)
      assert.match(text, /^HTTP\/1\.1 503 [\s\S]*site_closed/)
      const event = (await plane.recorder.waitFor(before + 1))[before]
      assert.deepEqual(
        [event?.researcherId, event?.reason, event?.siteId, event?.orgId],
        ['researcher-1', 'site_closed', 'site-1', 'org'],
      )
    }
  })

test('a researcher who asks for a name that no site has is recorded, and nobody else is', async (context) => {
  const { port, recorder } = await startTestDataPlane(context, 1)
  const ask = (...lines: string[]) =>
    sendRaw(port, ['GET / HTTP/1.1', `Host: ${NOBODYS}`, ...lines, '', ''].join('\r\n'))
  const theirs = await ask(`Sallyport-Key: ${KEY}`)
  const nobodys = await ask('Sallyport-Key: rk_live_wrong')
  assert.equal(withoutIds(theirs.text), withoutIds(nobodys.text))
  assert.deepEqual(
    (await recorder.waitFor(2)).map(({ researcherId, orgId, siteId, reason, credential }) =>
      [researcherId, orgId, siteId, reason, credential].join(' '),
    ),
    ['researcher-1 org  unknown_host key', '   unknown_host none'],
  )
})

test('over HTTP/2 a closed site tells strangers what an open one does, and a researcher that it is closed', async (context) => {
  const plane = await startHttp2DataPlane(context, 1)
  const ask = async (key: string): Promise<string> => {
    const { send } = openSession(context, plane.dataPlane)
    const { status, text, headers } = await send({ ':path': '/', ...(key && { 'sallyport-key': key }) })
    delete headers.date
    return withoutIds(JSON.stringify([status, text, headers]))
  }
  const strangers = ['', 'rk_live_wrong']
  const open = await Promise.all(strangers.map(ask))
  plane.snapshots.putSite(site(1, { enabled: false }))
  assert.deepEqual(await Promise.all(strangers.map(ask)), open)
  assert.match(await ask(KEY), /^\[503,.*site_closed/)
  const events = await plane.recorder.waitFor(5)
  assert.deepEqual(
    events.slice(2).map(({ researcherId, reason }) => [researcherId, reason]),
    [
      ['', 'site_closed'],
      ['', 'site_closed'],
      ['researcher-1', 'site_closed'],
    ],
  )
})
