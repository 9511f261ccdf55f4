/** The pages of the gate's own host: who may open them, and what they may load. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { ask, GATE_HOST, startTestDataPlane } from '../support/test-data-plane.ts'

function pageFolder(context: TestContext): string {
  const folder = temporaryFolder(context)
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Page</title>')
  return folder
}

test('the page is for everyone, and no other origin gets hold of it', async (context) => {
  const { port, recorder } = await startTestDataPlane(context, 1, {
    settings: { researcherPageDir: pageFolder(context) },
  })
  const gate = `http://${GATE_HOST}:${port}`
  const open = (path: string, headers = {}) => ask(port, 'GET', new URL(gate + path), { headers })
  for (const path of ['/', '/sign-in?host=x', '/invitation', '/sites/a-site']) {
    const page = await open(path)
    assert.equal(page.status, 200, path)
    assert.match(page.body, /<title>Page/)
    assert.equal(page.header('cross-origin-opener-policy'), 'same-origin')
    assert.equal(page.header('strict-transport-security'), '', 'the gate is at http:// here')
    assert.equal(page.header('cross-origin-resource-policy'), 'same-origin')
    assert.equal(page.header('origin-agent-cluster'), '?1')
    assert.equal(page.header('x-content-type-options'), 'nosniff')
    assert.equal(page.header('referrer-policy'), 'no-referrer')
    assert.match(
      page.header('content-security-policy'),
      /script-src 'self';.*connect-src 'self';.*frame-ancestors 'none'$/,
    )
  }
  for (const destination of ['iframe', 'image', 'script', 'object', 'embed', 'serviceworker'])
    assert.equal((await open('/', { 'Sec-Fetch-Dest': destination })).status, 403, destination)
  const refused = await open('/nothing')
  assert.equal(refused.status, 404)
  assert.equal(refused.header('cross-origin-opener-policy'), 'same-origin')
  assert.match(refused.header('content-security-policy'), /frame-ancestors 'none'/)
  assert.deepEqual(
    (await recorder.waitFor(7)).map(({ status }) => status),
    [403, 403, 403, 403, 403, 403, 404],
    'a page that is served is no traffic',
  )
})

test('the page may ask the gated host that it was led from for its nonce, and nothing else', async (context) => {
  const { port } = await startTestDataPlane(context, 1, {
    settings: { researcherPageDir: pageFolder(context) },
  })
  const policy = async (host: string) => {
    const url = new URL(`http://${GATE_HOST}:${port}/sign-in?host=${encodeURIComponent(host)}`)
    return /connect-src ([^;]*)/.exec((await ask(port, 'GET', url)).header('content-security-policy'))?.[1]
  }
  assert.equal(await policy(`app.gate.localhost:${port}`), `'self' http://app.gate.localhost:${port}`)
  for (const host of [
    'app.gate.localhost',
    'app.gate.localhost:1',
    'x; script-src *',
    `a b:${port}`,
    `*:${port}`,
    `-:${port}`,
    `x/y:${port}`,
  ])
    assert.equal(await policy(host), "'self'", host)
})
