/** The piece of code that the documentation gives to origins, run as it is written there, against an installation. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { EXAMPLE, type Site } from '@sallyport/contract'
import { decodeJwt } from 'jose'
import { eventually, type Installation, startInstallation } from '../support/installation.ts'
import { createOrganization } from '../support/organization.ts'
import { type Origin, startOrigin } from '../support/origin.ts'
import { createSite } from '../support/site.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const GATED_NAME = 'assertion.gate.localhost'
type WhoCalls = (request: { headers: IncomingHttpHeaders }) => Promise<string>

/** Loads the documented code with the names of its example replaced by those of an installation and of a site there. */
async function documented(
  folder: string,
  controlUrl: string,
  site: Pick<Site, 'id' | 'orgId'>,
  instance = '',
): Promise<WhoCalls> {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/gateway.md'), 'utf8')
  const code = /```js\n([^`]*createRemoteJWKSet[^`]*)```/.exec(page)?.[1] ?? ''
  const file = join(folder, 'who-calls.mjs')
  const replaced = code
    .replace("'jose'", JSON.stringify(import.meta.resolve('jose')))
    .replace('http://127.0.0.1:7070', controlUrl)
    .replace(EXAMPLE.orgId, site.orgId)
    .replace(EXAMPLE.siteId, site.id)
  for (const name of [controlUrl, site.orgId, site.id]) assert.ok(replaced.includes(name), name)
  writeFileSync(file, replaced)
  return (await import(pathToFileURL(file).href + instance)).whoCalls
}

/** What another organization obtains that puts a site of its own before the same origin and invites the same address. */
async function assertionOfAnother(installation: Installation, origin: Origin): Promise<string> {
  const { apiKey } = await createOrganization(installation, 'Mallory')
  const as: Installation = {
    ...installation,
    api: (method, path, body) => installation.api(method, path, body, apiKey),
  }
  await createSite(as, 'mallory.gate.localhost', origin.url)
  const { email } = installation.firstRun.researcher
  const { body } = await as.api<{ key: string }>('POST', '/api/Hackers', { email })
  await eventually(async () => {
    const { status } = await installation.gate('mallory.gate.localhost', '/', { key: body.key })
    return status === 200
  })
  return String(origin.seen.at(-1)?.headers['sallyport-assertion'])
}

test('an origin learns from the assertion who is calling, also after the gateway has a new key', async (context) => {
  const folder = temporaryFolder(context)
  const origin = await startOrigin()
  context.after(() => origin.close())
  const installation = await startInstallation()
  context.after(() => installation.remove())
  const site = await createSite(installation, GATED_NAME, origin.url)
  const whoCalls = await documented(folder, installation.controlUrl, site)

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

  const stolen = await assertionOfAnother(installation, origin)
  assert.equal(decodeJwt(stolen).email, installation.firstRun.researcher.email)
  await assert.rejects(whoCalls({ headers: { 'sallyport-assertion': stolen } }), { claim: 'aud' })
  const second = await createSite(installation, 'second-site.gate.localhost', origin.url)
  const ofSecond = await documented(folder, installation.controlUrl, second, '?second')
  await assert.rejects(ofSecond({ headers }), { claim: 'aud' })

  process.kill(installation.process('gateway').pid, 'SIGKILL')
  const later = await eventually(async () => {
    const { status } = await installation.gate(GATED_NAME, '/').catch(() => ({ status: 0 }))
    return status === 200 && origin.seen.at(-1)?.headers
  }, 20_000)
  assert.notEqual(later['sallyport-assertion'], headers['sallyport-assertion'])
  // An origin that has fetched the keys before fetches them again for a key that it does not know, but no sooner than the
  // library's pause between two fetches has passed; one that starts now has them at once.
  const startedNow = await documented(folder, installation.controlUrl, site, '?again')
  assert.equal(await startedNow({ headers: later }), installation.firstRun.researcher.email)
})
