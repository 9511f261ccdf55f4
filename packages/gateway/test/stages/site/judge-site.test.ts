import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatedPlaceOf } from '../../../src/credentials/session.ts'
import { openSession, startHttp2DataPlane } from '../../support/http2/http2-client.ts'
import { sessionOfResearcher } from '../../support/test-browser.ts'
import {
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

/** What is sent at a site that is closed, or not there, and what the record says of who sent it. */
const SENT: readonly (readonly [what: string, header: string, researcherId: string])[] = [
  ['nothing', '', ''],
  ['an invalid key', 'Sallyport-Key: rk_live_wrong', ''],
  ['a key that is too long for one', `Sallyport-Key: ${'k'.repeat(200)}`, ''],
  ['an invalid session', `Cookie: ${PLACE.kind.cookie}=a.0.b.1.c`, ''],
  ['a valid key', `Sallyport-Key: ${KEY}`, 'researcher-1'],
  ['a valid session', `Cookie: ${sessionOfResearcher()}`, 'researcher-1'],
  ['a key of another organization', `Sallyport-Key: ${OTHER_KEY}`, ''],
]

const withoutIds = (text: string): string => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')

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

for (const [how, close] of Object.entries(CLOSED))
  test(`at a site that is ${how}, a researcher is recorded by name, and everybody is told the same`, async (context) => {
    const plane = await startTestDataPlane(context, 1)
    plane.snapshots.putOtherOrganization('other', OTHER_KEY)
    close(plane)
    for (const accept of ['*/*', 'text/html']) {
      const answers = new Set<string>()
      for (const [what, header, researcherId] of SENT) {
        const lines = ['GET / HTTP/1.1', `Host: ${HOST}`, `Accept: ${accept}`, header, '', '']
        const bytes = lines.filter((line, index) => line !== '' || index > 3).join('\r\n')
        const before = plane.recorder.events.length
        const answer = await sendRaw(plane.port, bytes)
        answers.add(withoutIds(answer.text))
        assert.equal(answer.closed, true)
        const event = (await plane.recorder.waitFor(before + 1))[before]
        assert.deepEqual(
          [event?.researcherId, event?.reason, event?.siteId, event?.orgId],
          [researcherId, 'site_closed', 'site-1', 'org'],
          what,
        )
      }
      const unknown = await sendRaw(
        plane.port,
        `GET / HTTP/1.1\r\nHost: ${NOBODYS}\r\nAccept: ${accept}\r\n\r\n`,
      )
      answers.add(withoutIds(unknown.text))
      assert.equal(answers.size, 1)
      assert.match([...answers][0] ?? '', /^HTTP\/1\.1 503 [\s\S]*site_closed/)
      assert.doesNotMatch([...answers][0] ?? '', /127\.0\.0\.1/)
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

test('over HTTP/2 a closed site tells everybody the same, and records a researcher by name', async (context) => {
  const plane = await startHttp2DataPlane(context, 1, { site: { enabled: false } })
  const seen = new Set<string>()
  for (const key of ['', 'rk_live_wrong', KEY]) {
    const { send } = openSession(context, plane.dataPlane)
    const { status, text, headers } = await send({ ':path': '/', ...(key && { 'sallyport-key': key }) })
    delete headers.date
    seen.add(withoutIds(JSON.stringify([status, text, headers])))
  }
  assert.equal(seen.size, 1)
  assert.deepEqual(
    (await plane.recorder.waitFor(3)).map(({ researcherId }) => researcherId),
    ['', '', 'researcher-1'],
  )
})
