import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOST, sendRaw, site, startTestDataPlane } from '../../support/test-data-plane.ts'

test('strangers cannot tell an unknown name from a closed site, nor learn of the origin', async (context) => {
  const { port, snapshots } = await startTestDataPlane(context, 1)
  snapshots.putSite(site(1, { enabled: false }))
  const pages = await Promise.all(
    [HOST, 'nobody.gate.localhost'].map((host) =>
      sendRaw(port, `GET / HTTP/1.1\r\nHost: ${host}\r\nAccept: text/html\r\n\r\n`),
    ),
  )
  const [closed, unknown] = pages.map((page) => page.text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID'))
  assert.equal(closed, unknown)
  assert.doesNotMatch(closed ?? '', /127\.0\.0\.1/)
})
