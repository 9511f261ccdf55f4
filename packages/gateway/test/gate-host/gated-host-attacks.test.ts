/**
 * What a script of a gated host, a page of another site, and whoever got hold of a cookie could do while the gate stood on the
 * web origins of its sites. Each of these worked once.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { startRawOrigin } from '../support/raw-origin.ts'
import { HOST, KEY, request, sendRaw, site, startTestDataPlane } from '../support/test-data-plane.ts'

const OTHER_HOST = 'other.gate.localhost'
const NAMES = ['__Host-sallyport', '__Host-Http-sallyport', '__Host-Http-sallyport-gate']
const IMAGE = ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: image']

async function openGate(context: TestContext) {
  const origin = await startRawOrigin(context)
  let reveals = 0
  const dataPlane = await startTestDataPlane(context, origin.port, {
    site: { hasCredentials: true, instructions: 'Be kind.' },
    revealCredentials: async () => {
      reveals += 1
      return 'user: ada'
    },
  })
  dataPlane.snapshots.putSite(site(origin.port, { id: 'site-2', gatedName: OTHER_HOST }))
  return { ...dataPlane, revealed: () => reveals }
}

const get = (path: string, host: string, ...lines: string[]) =>
  [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...lines, '', ''].join('\r\n')

test('a script of a gated host reads nothing of the gate, whoever it acts for', async (context) => {
  const { port, revealed } = await openGate(context)
  const ownScript = ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty']
  for (const name of ['me', 'scope', 'budget', 'requests', 'credentials'])
    for (const head of [
      request(`GET /.sallyport/api/${name}`, ...ownScript),
      request(`GET /api/${name}`, ...ownScript),
    ]) {
      const { text } = await sendRaw(port, head, 30)
      assert.doesNotMatch(text, /ada@example|Be kind|user: ada|"limits"|"items"/, name)
    }
  assert.equal(revealed(), 0)
})

test('an image on a page of another site neither begins a session nor reveals credentials', async (context) => {
  const { port, revealed } = await openGate(context)
  for (const path of [
    '/.sallyport/invite?token=invitation',
    '/.sallyport/sign-in',
    '/.sallyport/enter?code=x',
  ])
    for (let times = 0; times < 2; times += 1) {
      const { text } = await sendRaw(port, get(path, HOST, ...IMAGE), 30)
      assert.doesNotMatch(text, /Set-Cookie/i, path)
    }
  await sendRaw(port, request('GET /.sallyport/api/credentials', ...IMAGE), 30)
  assert.equal(revealed(), 0)
})

test('a key that was recognized once is no session', async (context) => {
  const { port } = await openGate(context)
  assert.equal((await sendRaw(port, request('GET /'), 30)).status, 200)
  for (const name of NAMES)
    assert.equal((await sendRaw(port, get('/', HOST, `Cookie: ${name}=${KEY}`), 30)).status, 401, name)
})

test('a session in the earlier form, which every host took and which had four spellings, is none', async (context) => {
  const { port } = await openGate(context)
  const text = `researcher-1.0.${Math.floor(Date.now() / 1000)}`
  const mac = createHmac('sha256', Buffer.alloc(32, 7)).update(text).digest()
  const sealed = mac.toString('base64url')
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = letters.indexOf(sealed.slice(-1))
  for (const step of [0, 1, 2, 3])
    for (const host of [HOST, OTHER_HOST])
      for (const name of NAMES) {
        const cookie = `Cookie: ${name}=${text}.${sealed.slice(0, -1)}${letters[(last & ~3) + step]}`
        assert.equal((await sendRaw(port, get('/', host, cookie), 30)).status, 401, `${cookie} at ${host}`)
      }
})
