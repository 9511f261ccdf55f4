/** The proof of an origin in the console: marked where it is missing, with what to publish, and looked for on demand. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OriginProof, Site } from '@sallyport/contract'
import { startInstallation } from '../support/installation.ts'
import { startBrowser, withoutChromium } from './support/chromium.ts'
import { consoleUrlOf, signIn, unexpected } from './support/console.ts'

test('a site says that its origin is not proved, what to publish, and why it does not open', {
  skip: withoutChromium,
}, async (context) => {
  const installation = await startInstallation({ environment: { SALLYPORT_ORIGIN_PROOF: 'always' } })
  context.after(() => installation.remove())
  const browser = await startBrowser()
  context.after(() => browser.close())
  // An address outside the ranges that this installation allows: nothing is ever sent there.
  const { body: site } = await installation.api<Site>('POST', '/api/Sites', {
    originName: 'https://10.0.0.1',
  })
  const { body: proof } = await installation.api<OriginProof>('GET', `/api/Sites/${site.id}/originProof`)

  const page = await browser.open()
  await page.goto(consoleUrlOf(installation))
  await signIn(page, installation)
  await page.goto(`${consoleUrlOf(installation)}sites/${site.id}/settings`)
  await page.getByText('Origin not proved').waitFor()
  await page.getByText('Origin not allowed').waitFor()
  await page.getByText(/^Requests fail: all addresses of the origin are private/).waitFor()
  for (const published of [proof.dnsValue, `${proof.fileUrl}`, `sallyport:org:${site.orgId}:site:${site.id}`])
    await page.getByText(published, { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('The proof is not there yet.').waitFor()
  await page.getByRole('switch', { name: /^Open .* to researchers$/ }).press('Space')
  await page.getByText(/is not proved to belong to your organization/).waitFor()
  assert.equal(await page.getByRole('switch', { name: /^Open / }).isChecked(), false)
  assert.deepEqual(unexpected(browser.faults, /409/), [])
})
