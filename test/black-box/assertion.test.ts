/** The piece of code that the documentation gives to origins, run as it is written there, against an installation. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { eventually, startInstallation } from '../support/installation.ts'
import { startOrigin } from '../support/origin.ts'
import { createSite } from '../support/site.ts'

const GATED_NAME = 'assertion.gate.localhost'
type WhoCalls = (request: { headers: IncomingHttpHeaders }) => Promise<string>

/** Loads the documented code with the names of its example replaced by real ones. */
async function documented(
  folder: string,
  controlUrl: string,
  originUrl: string,
  instance = '',
): Promise<WhoCalls> {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/gateway.md'), 'utf8')
  const code = /```js\n([^`]*createRemoteJWKSet[^`]*)```/.exec(page)?.[1] ?? ''
  const file = join(folder, 'who-calls.mjs')
  const replaced = code
    .replace("'jose'", JSON.stringify(import.meta.resolve('jose')))
    .replace('http://127.0.0.1:7070', controlUrl)
    .replace('https://shop.example', originUrl)
  assert.notEqual(replaced, code)
  writeFileSync(file, replaced)
  return (await import(pathToFileURL(file).href + instance)).whoCalls
}

test('an origin learns from the assertion who is calling, also after the gateway has a new key', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-assertion-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const origin = await startOrigin()
  context.after(() => origin.close())
  const installation = await startInstallation()
  context.after(() => installation.remove())
  await createSite(installation, GATED_NAME, origin.url)
  const whoCalls = await documented(folder, installation.controlUrl, origin.url)

  const call = async (): Promise<IncomingHttpHeaders> => {
    const { status } = await installation.gate(GATED_NAME, '/')
    assert.equal(status, 200)
    return origin.seen.at(-1)?.headers ?? {}
  }
  const headers = await call()
  assert.equal(await whoCalls({ headers }), installation.firstRun.researcher.email)
  await assert.rejects(whoCalls({ headers: {} }))
  const [head, payload = '', signature] = String(headers['sallyport-assertion']).split('.')
  const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), email: 'mallory@example.org' }
  const forged = [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.')
  await assert.rejects(whoCalls({ headers: { 'sallyport-assertion': forged } }))

  process.kill(installation.process('gateway').pid, 'SIGKILL')
  const later = await eventually(async () => {
    const { status } = await installation.gate(GATED_NAME, '/').catch(() => ({ status: 0 }))
    return status === 200 && origin.seen.at(-1)?.headers
  }, 20_000)
  assert.notEqual(later['sallyport-assertion'], headers['sallyport-assertion'])
  // An origin that has fetched the keys before fetches them again for a key that it does not know, but no sooner than the
  // library's pause between two fetches has passed; one that starts now has them at once.
  const startedNow = await documented(folder, installation.controlUrl, origin.url, '?again')
  assert.equal(await startedNow({ headers: later }), installation.firstRun.researcher.email)
})
