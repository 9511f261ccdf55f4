import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startTestControl } from '../support/control.ts'

const consoleDir = mkdtempSync(join(tmpdir(), 'sallyport-console-'))
mkdirSync(join(consoleDir, 'assets'))
writeFileSync(
  join(consoleDir, 'index.html'),
  '<!doctype html><meta name="csp-nonce" nonce="__CSP_NONCE__" />',
)
writeFileSync(join(consoleDir, 'assets', 'main.js'), 'console.log("plain")')
writeFileSync(join(consoleDir, 'assets', 'main.js.br'), 'compressed')
const control = await startTestControl({ consoleDir })
after(async () => {
  await control.close()
  rmSync(consoleDir, { recursive: true })
})
const get = (path: string, headers: Record<string, string> = {}) => control.call('GET', path, { headers })

test('every address of the console answers its page, with a nonce of its own and a strict policy', async () => {
  const nonces = new Set<string>()
  for (const path of ['/console', '/console/', '/console/sites/some-id/blocks', '/console/callback?code=1']) {
    const page = await get(path)
    assert.equal(page.status, 200)
    const nonce = /nonce="([\w-]{20,})"/.exec(page.text)?.[1] ?? ''
    assert.notEqual(nonce, '')
    nonces.add(nonce)
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'; script-src 'self';/)
    assert.ok(policy.includes(`style-src 'self' 'nonce-${nonce}';`))
    assert.doesNotMatch(policy, /unsafe/)
    assert.equal(page.headers.get('cache-control'), 'no-store')
  }
  assert.equal(nonces.size, 4)
})

test('a request for the head alone is answered like the page, without it', async () => {
  for (const path of ['/', '/console', '/console/', '/console/sites/some-id', '/console/config.json']) {
    const head = await control.call('HEAD', path)
    const page = await get(path)
    assert.equal(head.status, page.status, path)
    assert.equal(head.text, '')
    assert.equal(head.headers.get('content-type'), page.headers.get('content-type'))
    if (page.text !== '') assert.equal(head.headers.get('content-length'), page.headers.get('content-length'))
  }
  assert.equal((await control.call('HEAD', '/console/assets/main.js')).status, 200)
  assert.equal((await control.call('HEAD', '/swagger/v2/swagger.json')).status, 200)
})

test('the root leads to the console', async () => {
  const root = await get('/')
  assert.equal(root.status, 302)
  assert.equal(root.headers.get('location'), '/console/')
})

test('files are served for good, compressed beforehand for those who take it', async () => {
  const plain = await get('/console/assets/main.js')
  assert.equal(plain.text, 'console.log("plain")')
  assert.match(plain.headers.get('cache-control') ?? '', /immutable/)
  assert.match(plain.headers.get('content-type') ?? '', /javascript/)
  const packed = await get('/console/assets/main.js', { 'accept-encoding': 'br' })
  assert.equal(packed.headers.get('content-encoding'), 'br')
  assert.equal(packed.text, 'compressed')
})

test('nothing outside of the folder is served', async () => {
  for (const path of [
    '/console/researcher/index.html',
    '/console/..%2f..%2fpackage.json',
    '/console/%2e%2e/x',
  ])
    assert.doesNotMatch((await get(path)).text, /dependencies/)
})

test('the settings say how to sign in, and hold no secret', async () => {
  const config = (await get('/console/config.json')).json
  assert.deepEqual(Object.keys(config).sort(), [
    'audience',
    'clientId',
    'gateDomain',
    'gatewayPublicUrl',
    'issuer',
    'scope',
  ])
  assert.equal(config.issuer, 'http://localhost:7070/identity')
})
