/** The researcher's page and its API, and that nothing else under its path goes any further. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startRawOrigin } from './support/raw-origin.ts'
import { HOST, hashOf, KEY, openTestDoor, request, researcher, sendRaw } from './support/test-door.ts'

const jsonOf = (text: string) => JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))

test('the page is served to anyone, its API to the researcher alone', async (context) => {
  const origin = await startRawOrigin()
  context.after(origin.close)
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-page-'))
  context.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Page</title>')
  const rules = [
    { id: 'r1', pathPrefix: '/admin', methods: [], status: 403, enabled: true, note: 'live data' },
  ]
  const { port, recorder } = await openTestDoor(context, origin.port, {
    settings: { researcherPageDir: folder },
    site: { blockRules: rules, instructions: 'Be kind.', hasCredentials: true },
  })
  const page = await sendRaw(port, `GET /.sallyport/ HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
  assert.match(page.text, /^HTTP\/1\.1 200[\s\S]*<title>Page<\/title>$/)
  const stranger = await sendRaw(port, `GET /.sallyport/api/me HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
  assert.equal(stranger.status, 401)
  await sendRaw(port, request('GET /admin/x'))
  const ask = async (name: string) =>
    jsonOf((await sendRaw(port, request(`GET /.sallyport/api/${name}`))).text)
  assert.equal((await ask('me')).researcher.email, 'ada@example.org')
  const scope = await ask('scope')
  assert.deepEqual(scope.blocked, [{ id: 'r1', pathPrefix: '/admin', methods: [], note: 'live data' }])
  assert.equal(scope.instructions, 'Be kind.')
  assert.deepEqual((await ask('budget')).limits, [])
  const { items } = await ask('requests')
  assert.deepEqual(
    items.map(({ target, reason, rule }: Record<string, string>) => [target, reason, rule]),
    [['/admin/x', 'block_rule', 'r1']],
  )
  assert.equal((await ask(`requests/${items[0].id}`)).status, 403)
  assert.deepEqual(await ask('credentials'), { credentials: 'user: ada' })
  assert.deepEqual(
    (await recorder.waitFor(3)).map(({ target, status }) => [target, status]),
    [
      ['/.sallyport/api/me', 401],
      ['/admin/x', 403],
      ['/.sallyport/api/credentials', 200],
    ],
    'of what the page asks for, refusals and credentials alone are in the record',
  )
  assert.equal(origin.connections, 0)
})

test('no reading of a path of ours reaches the origin', async (context) => {
  const origin = await startRawOrigin()
  context.after(origin.close)
  const { port } = await openTestDoor(context, origin.port)
  for (const target of [
    '/.sallyport',
    '/.sallyport/nothing',
    '/.sallyport/api/../x',
    '/%2esallyport/x',
    '/%252esallyport/x',
    '/x/../.sallyport/x',
    '//.sallyport/x',
    '/\\.sallyport\\x',
    '/.SALLYPORT/x',
    '/.sallyport;a=b/x',
  ])
    assert.equal((await sendRaw(port, request(`GET ${target}`), 30)).status, 404, target)
  assert.equal(origin.connections, 0)
  assert.equal((await sendRaw(port, request('GET /sallyport/x?.sallyport'))).status, 200)
})

test('a researcher who asks for credentials again and again does not bring each time to the control plane', async (context) => {
  let asked = 0
  const { port, recorder, snapshots } = await openTestDoor(context, 1, {
    site: { hasCredentials: true },
    revealCredentials: async () => {
      asked += 1
      return 'user: ada'
    },
  })
  snapshots.putResearcher(researcher({ id: 'researcher-2', keyHashes: [hashOf('rk_live_other')] }))
  const reveal = request('GET /.sallyport/api/credentials')
  const { text } = await sendRaw(port, reveal.repeat(50))
  assert.equal(text.match(/HTTP\/1\.1 (?:200|429) /g)?.length, 50)
  assert.match(
    text,
    /HTTP\/1\.1 429 [^{]*Retry-After: 1\r\n[^{]*{[^}]*"reason":"researcher_share","rule":"sallyport"/,
  )
  assert.ok(asked < 10, `${asked} came through`)
  assert.equal((await recorder.waitFor(50)).length, 50)
  const other = await sendRaw(port, reveal.replace(KEY, 'rk_live_other'))
  assert.equal(other.status, 200)
})
